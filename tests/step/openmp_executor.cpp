// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! openmp_executor: every task runs once, in one parallel region, with the bits of the serial one.
#include <optimizer/model.hpp>

#include <adamant/policy/presets.hpp>
#include <adamant/step/openmp_executor.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace adamant;

namespace {

static_assert(task_runner<openmp_executor>);

std::vector<int> runs_of(const executor& runner, std::int64_t count) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
    runner.run(count, [&](std::int64_t number) { ++runs[static_cast<std::size_t>(number)]; });
    return {runs.begin(), runs.end()};
}

std::uint64_t digest_with(const executor& runner) {
    model<presets::lean_bf16> m({.clip_grad = 0.01}, {.executor = runner}, 180000);
    for (std::uint64_t i = 0; i < 3; ++i) m.step_with_new_grads(i);
    return m.digest();
}

}  // namespace

TEST_CASE("every task runs once") {
    for (const int threads : {0, 1, 2, 5})
        for (const std::int64_t count : {0, 1, 2, 7, 100})
            CHECK(runs_of(openmp_executor{threads}, count) ==
                  std::vector<int>(static_cast<std::size_t>(count), 1));
}

TEST_CASE("it has as many threads as were asked for") {
    std::atomic<int> team = 0;
    executor(openmp_executor{3}).run(6, [&](std::int64_t) { team = omp_get_num_threads(); });
    CHECK(team == 3);
    executor(openmp_executor{3}).run(1, [&](std::int64_t) { team = omp_get_num_threads(); });
    CHECK(team == 1);
}

TEST_CASE("the bits are those of the serial executor") {
    const std::uint64_t serial = digest_with(serial_executor{});
    for (int threads = 0; threads <= 8; ++threads) CHECK(digest_with(openmp_executor{threads}) == serial);
}
