// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Task runners that a user might write.
#pragma once

#include <adamant/step/executor.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace runners {

//! New threads each time; each takes the next task that nobody has.
struct threaded {
    int threads;

    void run(std::int64_t count, adamant::task task) const {
        std::atomic<std::int64_t> next{0};
        std::vector<std::thread> workers;
        for (int i = 0; i < threads; ++i)
            workers.emplace_back([&] {
                for (std::int64_t number = next++; number < count; number = next++) task(number);
            });
        for (std::thread& worker : workers) worker.join();
    }
};

struct reversed {
    void run(std::int64_t count, adamant::task task) const {
        for (std::int64_t number = count; number-- > 0;) task(number);
    }
};

//! Every second task first, then the others.
struct interleaved {
    void run(std::int64_t count, adamant::task task) const {
        for (std::int64_t number = 1; number < count; number += 2) task(number);
        for (std::int64_t number = 0; number < count; number += 2) task(number);
    }
};

}  // namespace runners
