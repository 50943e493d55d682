// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bucket_work: what ranks do to gradients and parameters where these lie: on the host here, on a GPU in
//! cuda/bucket_work.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <adamant/step/executor.hpp>
#include <adamant/train/grad_bucket.hpp>
#include <adamant/train/rank_sum.hpp>

namespace adamant::inline v0 {

struct byte_copy {
    void* to;
    const void* from;
    std::int64_t bytes;
};

template <memory Memory>
class bucket_work {
    static_assert(is_on_host<Memory>,
                  "[adamant] ranks reduce gradients in the host's memory or in cuda::memory: include "
                  "adamant/cuda/adam.hpp, or use host_memory.");

public:
    explicit bucket_work(executor runner, Memory memory = {})
        : executor_(std::move(runner)), memory_(std::move(memory)) {}

    const Memory& memory() const { return memory_; }

    template <class Grad>
    void zero(std::span<Grad> values) {
        std::ranges::fill(values, Grad{});
    }
    template <class Grad, class T>
    void add(std::span<Grad> sum, std::span<T> gradient, std::size_t tensor) {
        add_gradient(sum, gradient, tensor);
    }
    //! Into the rank's own.
    template <class Grad>
    void sum(const rank_gradients<Grad>& all, reduction how) {
        constexpr std::int64_t elements_of_task = std::int64_t{32} * 1024;
        const auto task = [&](std::int64_t number) {
            const default_float_environment environment;
            const std::int64_t begin = number * elements_of_task;
            sum_ranks(all, begin, std::min(all.count, begin + elements_of_task), how, all.own);
        };
        executor_.run((all.count + elements_of_task - 1) / elements_of_task, task);
    }
    void copy(std::span<const byte_copy> copies) {
        for (const byte_copy& c : copies) std::memcpy(c.to, c.from, static_cast<std::size_t>(c.bytes));
    }
    //! Called before memory goes to other ranks: what was asked for above is done by then.
    template <class Ranks>
    void before_exchange(Ranks&) {}
    //! Returns when all of it is done.
    void wait() {}

private:
    executor executor_;
    Memory memory_;
};

}  // namespace adamant::inline v0
