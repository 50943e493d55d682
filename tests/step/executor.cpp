// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! executor: every task runs exactly once, whoever runs it.
#include "runners.hpp"

#include <doctest/doctest.h>

using namespace adamant;

namespace {

struct no_run {};
struct wrong_arguments {
    void run(int) {}
};
static_assert(task_runner<serial_executor>);
static_assert(task_runner<runners::threaded>);
static_assert(!task_runner<no_run>);
static_assert(!task_runner<wrong_arguments>);
static_assert(std::is_convertible_v<runners::threaded, executor>);
static_assert(!std::is_convertible_v<no_run, executor>);

std::vector<int> runs_of(const executor& runner, std::int64_t count) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
    runner.run(count, [&](std::int64_t number) { ++runs[static_cast<std::size_t>(number)]; });
    return {runs.begin(), runs.end()};
}

//! Counts its calls; needs a place of its own, so copies must share it.
struct recording {
    int calls = 0;
    void run(std::int64_t count, task t) {
        ++calls;
        serial_executor{}.run(count, t);
    }
};

struct counting_through_pointer {
    recording* inner;
    void run(std::int64_t count, task t) { inner->run(count, t); }
};

}  // namespace

TEST_CASE("the serial executor runs tasks in order on the calling thread") {
    std::vector<std::int64_t> order;
    const auto here = std::this_thread::get_id();
    executor(serial_executor{}).run(5, [&](std::int64_t number) {
        order.push_back(number);
        CHECK(std::this_thread::get_id() == here);
    });
    CHECK(order == std::vector<std::int64_t>{0, 1, 2, 3, 4});
}

TEST_CASE("every task runs once") {
    for (const std::int64_t count : {0, 1, 2, 7, 100})
        for (const executor& runner : {executor(), executor(serial_executor{}), executor(thread_pool(3)),
                                       executor(runners::threaded{1}), executor(runners::threaded{8}),
                                       executor(runners::reversed{}), executor(runners::interleaved{})})
            CHECK(runs_of(runner, count) == std::vector<int>(static_cast<std::size_t>(count), 1));
}

TEST_CASE("copies of an executor share one runner") {
    recording inner;
    const executor first(counting_through_pointer{&inner});
    const executor second = first;
    runs_of(first, 3);
    runs_of(second, 3);
    CHECK(inner.calls == 2);

    struct own_count {
        int calls = 0;
        int* last;
        void run(std::int64_t, task) { *last = ++calls; }
    };
    int last = 0;
    const executor owner(own_count{0, &last});
    const executor copy = owner;
    owner.run(1, [](std::int64_t) {});
    copy.run(1, [](std::int64_t) {});
    CHECK(last == 2);
}

TEST_CASE("an executor is serial where its runner says that it has one thread") {
    enum class amount { one = 1 };
    struct silent {
        void run(std::int64_t, task) {}
    };
    struct wide : silent {
        std::size_t threads() { return 1; }
    };
    struct very_wide : silent {
        static std::uint64_t threads() { return (std::uint64_t{1} << 32) + 1; }
    };
    struct with_member : silent {
        int threads = 1;
    };
    struct with_enum : silent {
        amount threads() { return amount::one; }
    };
    CHECK(executor(serial_executor{}).is_serial());
    CHECK(executor(executor(serial_executor{})).is_serial());
    CHECK(executor(thread_pool(1)).is_serial());
    CHECK(!executor(thread_pool(3)).is_serial());
    CHECK(executor().is_serial() == (usable_cpus::of_process().threads() == 1));
    CHECK(executor(wide{}).is_serial());
    CHECK(!executor(very_wide{}).is_serial());
    CHECK(!executor(silent{}).is_serial());
    CHECK(!executor(with_member{}).is_serial());
    CHECK(!executor(with_enum{}).is_serial());
}

TEST_CASE("a task borrows its function") {
    int calls = 0;
    auto function = [&](std::int64_t number) { calls += static_cast<int>(number); };
    const task borrowed(function);
    const task copy = borrowed;
    borrowed(3);
    copy(4);
    CHECK(calls == 7);
}
