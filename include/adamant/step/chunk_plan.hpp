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

//! A large tensor becomes several chunks whose borders are multiples of 128, small ones share a task.
class chunk_plan {
public:
    static constexpr std::int64_t task_elements = std::int64_t{32} * 1024;

    chunk_plan() = default;

    explicit chunk_plan(std::span<const std::int64_t> sizes) {
        std::int64_t room = 0;
        for (std::size_t tensor = 0; tensor < sizes.size(); ++tensor) {
            for (std::int64_t begin = 0; begin < sizes[tensor];) {
                if (room == 0) {
                    task_starts_.push_back(chunks_.size());
                    room = task_elements;
                }
                const std::int64_t end = std::min(sizes[tensor], begin + room);
                chunks_.push_back({tensor, begin, end});
                const std::int64_t padded =
                    (end - begin + flat_index::alignment - 1) / flat_index::alignment * flat_index::alignment;
                room -= padded;
                begin = end;
            }
        }
        task_starts_.push_back(chunks_.size());
    }

    std::int64_t tasks() const { return static_cast<std::int64_t>(task_starts_.size()) - 1; }

    std::span<const chunk> task(std::int64_t number) const {
        const auto first = task_starts_[static_cast<std::size_t>(number)];
        return {chunks_.data() + first, task_starts_[static_cast<std::size_t>(number) + 1] - first};
    }

private:
    std::vector<chunk> chunks_;
    std::vector<std::size_t> task_starts_;
};

}  // namespace adamant::inline v0
