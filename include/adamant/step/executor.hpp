// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! executor: who runs the tasks of a step. Any object with run(count, task) will do.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace adamant::inline v0 {

//! A function of a task's number, borrowed for the length of a call: nothing is allocated.
class task {
public:
    template <class F>
    requires std::invocable<F&, std::int64_t> &&
        (!std::same_as<std::remove_cv_t<F>, task>)explicit task(F& function)
        : function_(std::addressof(function)),
          call_([](void* f, std::int64_t number) { (*static_cast<F*>(f))(number); }) {}

    void operator()(std::int64_t number) const { call_(function_, number); }

private:
    void* function_;
    void (*call_)(void*, std::int64_t);
};

//! run(count, t) calls t(0) ... t(count - 1), in any order and on any threads, and returns when all are done.
//! Tasks write to disjoint memory and do not throw.
template <class E>
concept task_runner = requires(E& e, std::int64_t count, task t) {
    e.run(count, t);
};

//! One after the other on the calling thread.
struct serial_executor {
    void run(std::int64_t count, task t) const {
        for (std::int64_t i = 0; i < count; ++i) t(i);
    }
};

//! Any task_runner behind one type; copies share it, and so may several optimizers. Serial by default.
class executor {
public:
    executor() : executor(serial_executor{}) {}

    template <task_runner E>
    requires(!std::same_as<E, executor>)
        executor(E runner)  // NOLINT(google-explicit-constructor): a runner is an executor
        : runner_(std::make_shared<E>(std::move(runner))),
          run_([](void* r, std::int64_t count, task t) { static_cast<E*>(r)->run(count, t); }) {}

    template <class F>
    void run(std::int64_t count, F&& function) const {
        run_(runner_.get(), count, task(function));
    }

private:
    std::shared_ptr<void> runner_;
    void (*run_)(void*, std::int64_t, task);
};

}  // namespace adamant::inline v0
