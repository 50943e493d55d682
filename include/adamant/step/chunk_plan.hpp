// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! chunk_plan: a list of tensors cut into tasks of similar size, once, when the optimizer is built.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <adamant/state/flat_index.hpp>

namespace adamant::inline v0 {

//! Elements [begin, end) of a tensor.
struct chunk {
    std::size_t tensor;
    std::int64_t begin;
    std::int64_t end;
};

//! A large tensor becomes several chunks whose borders are multiples of 128, small ones share a task; one
//! without elements is a chunk too, so that every tensor is looked at. All of a small model is one task,
//! which executors run on the calling thread: waking others costs more than it is. For one thread any model
//! of up to 2^37 elements is one.
class chunk_plan {
public:
    static constexpr std::int64_t serial_elements = std::int64_t{8} * 1024;
    static constexpr std::int64_t smallest_task = std::int64_t{8} * 1024,
                                  largest_task = std::int64_t{32} * 1024;
    static constexpr std::int64_t tasks_wanted = 256;  // so that many threads have shares of one size
    static constexpr std::int64_t largest_of_one_thread = std::int64_t{1} << 37;  // see read_gradients

    chunk_plan() = default;

    chunk_plan(std::span<const std::int64_t> sizes, bool one_thread) {
        const std::int64_t task_elements = elements_of_task(sizes, one_thread);
        std::int64_t room = 0;
        for (std::size_t tensor = 0; tensor < sizes.size(); ++tensor) {
            std::int64_t begin = 0;
            do {
                if (room == 0 && (sizes[tensor] > 0 || chunks_.empty())) {
                    task_starts_.push_back(chunks_.size());
                    room = task_elements;
                }
                const std::int64_t end = std::min(sizes[tensor], begin + room);
                chunks_.push_back({tensor, begin, end});
                room -= padded(end - begin);
                begin = end;
            } while (begin < sizes[tensor]);
        }
        task_starts_.push_back(chunks_.size());
    }

    std::int64_t tasks() const { return static_cast<std::int64_t>(task_starts_.size()) - 1; }

    std::span<const chunk> task(std::int64_t number) const {
        const auto first = task_starts_[static_cast<std::size_t>(number)];
        return {chunks_.data() + first, task_starts_[static_cast<std::size_t>(number) + 1] - first};
    }

private:
    static std::int64_t padded(std::int64_t size) {
        return (size + flat_index::alignment - 1) / flat_index::alignment * flat_index::alignment;
    }

    static std::int64_t elements_of_task(std::span<const std::int64_t> sizes, bool one_thread) {
        std::int64_t total = 0;
        for (const std::int64_t size : sizes) total += padded(size);
        if (total <= serial_elements) return serial_elements;
        if (one_thread) return std::min(total, largest_of_one_thread);
        return std::clamp(padded(total / tasks_wanted), smallest_task, largest_task);
    }

    std::vector<chunk> chunks_;
    std::vector<std::size_t> task_starts_;
};

}  // namespace adamant::inline v0
