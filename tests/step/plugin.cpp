// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A library that is loaded, runs a region on its own process_pool, and is unloaded again.
#include <adamant/step/executor.hpp>

#include <atomic>

extern "C" __attribute__((visibility("default"))) int run_100_tasks() {
    std::atomic<int> runs = 0;
    adamant::executor().run(100, [&](std::int64_t) { ++runs; });
    return runs;
}
