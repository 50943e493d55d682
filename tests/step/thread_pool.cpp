// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! thread_pool: every task runs exactly once, whoever calls, from wherever, and however often.
#include <adamant/step/executor.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

using namespace adamant;

namespace {

static_assert(task_runner<thread_pool>);
static_assert(task_runner<process_pool>);
static_assert(std::is_convertible_v<thread_pool, executor>);
static_assert(!std::is_copy_constructible_v<thread_pool>);

template <class Runner>
std::vector<int> runs_of(Runner& runner, std::int64_t count) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
    const auto function = [&](std::int64_t number) { ++runs[static_cast<std::size_t>(number)]; };
    runner.run(count, task(function));
    return {runs.begin(), runs.end()};
}

std::vector<int> once(std::int64_t count) { return std::vector<int>(static_cast<std::size_t>(count), 1); }

//! Runs regions of tasks that add without atomics: what a region leaves is seen by the next one.
void check_regions(thread_pool& pool, int regions, std::int64_t count) {
    std::vector<int> values(static_cast<std::size_t>(count));
    auto function = [&](std::int64_t number) { ++values[static_cast<std::size_t>(number)]; };
    for (int i = 0; i < regions; ++i) pool.run(count, task(function));
    CHECK(values == std::vector<int>(static_cast<std::size_t>(count), regions));
}

}  // namespace

TEST_CASE("every task runs once on pools of 1 to 8 threads") {
    for (int threads = 1; threads <= 8; ++threads) {
        thread_pool pool(threads);
        CHECK(pool.threads() == threads);
        for (const std::int64_t count : {0, 1, 2, 3, 5, 7, 8, 9, 100, 1000})
            CHECK(runs_of(pool, count) == once(count));
    }
}

TEST_CASE("a pool has at least one thread") {
    CHECK_THROWS_AS(thread_pool(0), config_error);
    CHECK_THROWS_WITH(thread_pool(-3),
                      "[adamant] a pool has at least one thread: write 1 or more, or nothing, got -3.");
    CHECK(thread_pool().threads() >= 1);
}

TEST_CASE("a pool of one thread, and a region of one task, stay on the calling thread") {
    const auto here = std::this_thread::get_id();
    const auto function = [&](std::int64_t) { CHECK(std::this_thread::get_id() == here); };
    thread_pool(1).run(5, task(function));
    thread_pool(4).run(1, task(function));
}

TEST_CASE("tasks run on several threads") {
    thread_pool pool(2);
    const auto here = std::this_thread::get_id();
    std::atomic<bool> elsewhere = false;
    const auto look = [&](std::int64_t) {
        if (std::this_thread::get_id() != here) elsewhere = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the other thread's time to begin
    };
    for (int i = 0; i < 1000 && !elsewhere; ++i) pool.run(2, task(look));
    CHECK(elsewhere);
}

TEST_CASE("what a slow thread does not get to is run by the others") {
    thread_pool pool(3);
    for (int i = 0; i < 20; ++i) {
        std::atomic<int> ended = 0;
        int ended_before_the_first = 0;  // a task of a share that has ten
        const auto wait_in_first = [&](std::int64_t number) {
            const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
            while (number == 0 && ended < 29 && std::chrono::steady_clock::now() < deadline)
                std::this_thread::yield();
            if (number == 0) ended_before_the_first = ended;
            ++ended;
        };
        pool.run(30, task(wait_in_first));
        REQUIRE(ended_before_the_first == 29);
        CHECK(ended == 30);
    }
}

TEST_CASE("10,000 regions in a row") {
    for (const int threads : {2, 3, 8}) {
        thread_pool pool(threads);
        check_regions(pool, threads == 2 ? 10000 : 1000, 5);
    }
}

TEST_CASE("threads that fell asleep wake up") {
    thread_pool pool(3);
    for (int i = 0; i < 20; ++i) {
        CHECK(runs_of(pool, 10) == once(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(i % 3));
    }
}

TEST_CASE("a task may run a region, on the same pool and on another") {
    thread_pool pool(3), other(2);
    std::atomic<int> runs = 0;
    const auto inner = [&](std::int64_t) { ++runs; };
    const auto outer = [&](std::int64_t) {
        pool.run(5, task(inner));
        other.run(5, task(inner));
    };
    pool.run(7, task(outer));
    CHECK(runs == 70);
    CHECK(runs_of(pool, 9) == once(9));  // and afterwards it is a pool again
}

TEST_CASE("several threads may run regions at once") {
    thread_pool pool(3);
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) callers.emplace_back([&] { check_regions(pool, 500, 11); });
    for (std::thread& caller : callers) caller.join();
}

TEST_CASE("a pool that was stopped runs tasks on the caller") {
    thread_pool pool(3);
    CHECK(runs_of(pool, 10) == once(10));
    pool.stop();
    pool.stop();
    CHECK(runs_of(pool, 10) == once(10));
}

TEST_CASE("a pool may be stopped while others run regions") {
    thread_pool pool(3);
    std::atomic<bool> running = false;
    std::thread caller([&] {
        for (int i = 0; i < 200; ++i) {
            check_regions(pool, 10, 11);
            running = true;
        }
    });
    while (!running) std::this_thread::yield();
    pool.stop();
    caller.join();
}

TEST_CASE("a pool moves, and many come and go") {
    thread_pool first(2);
    CHECK(runs_of(first, 4) == once(4));
    thread_pool second(std::move(first));
    CHECK(runs_of(second, 4) == once(4));
    for (int i = 0; i < 100; ++i) {
        thread_pool pool(1 + i % 4);
        if (i % 2 == 0) CHECK(runs_of(pool, 6) == once(6));
    }
}

TEST_CASE("a pool that a task of another destroys ends its threads") {
    static std::atomic<int> begun, ended;
    begun = ended = 0;
    struct life {
        life() { ++begun; }
        ~life() { ++ended; }
    };
    auto inner = std::make_unique<thread_pool>(4);
    const auto caller = std::this_thread::get_id();
    const auto be_seen = [&](std::int64_t) {
        if (std::this_thread::get_id() == caller)
            return std::this_thread::sleep_for(std::chrono::milliseconds(1));
        [[maybe_unused]] static thread_local const life of_this_thread;
    };
    inner->run(100, task(be_seen));
    REQUIRE(begun > 0);
    const auto destroy = [&](std::int64_t number) {
        if (number == 0) inner.reset();
    };
    thread_pool(2).run(2, task(destroy));
    CHECK(ended == begun);
}

TEST_CASE("executors may share the process's pool") {
    const executor one, two;
    std::atomic<int> runs = 0;
    std::thread other([&] {
        for (int i = 0; i < 100; ++i) two.run(10, [&](std::int64_t) { ++runs; });
    });
    for (int i = 0; i < 100; ++i) one.run(10, [&](std::int64_t) { ++runs; });
    other.join();
    CHECK(runs == 2000);
}

#if defined(__linux__)
TEST_CASE("threads of a pool made by a pinned thread are not pinned") {
    cpu_set_t all;
    REQUIRE(sched_getaffinity(0, sizeof(all), &all) == 0);
    const int cpus = CPU_COUNT(&all);
    std::vector<int> seen(8, 0);  // by task, the processors that its thread may use
    int pool_threads = 0;
    std::thread pinned([&] {
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
            if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
        sched_setaffinity(0, sizeof(one), &one);
        pool_threads = thread_pool().threads();
        thread_pool pool(2);
        const auto look = [&](std::int64_t number) {
            cpu_set_t mine;
            if (sched_getaffinity(0, sizeof(mine), &mine) == 0)
                seen[static_cast<std::size_t>(number)] = CPU_COUNT(&mine);
            std::this_thread::sleep_for(
                std::chrono::milliseconds(1));  // so that the other thread gets its share
        };
        for (int i = 0; i < 200 && seen[7] != cpus; ++i) pool.run(8, task(look));
    });
    pinned.join();
    CHECK(seen[0] == 1);     // the caller stays as it is
    CHECK(seen[7] == cpus);  // the other thread does not
    CHECK(pool_threads == thread_pool().threads());
}
#endif
