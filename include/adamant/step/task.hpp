// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! task: a numbered piece of a step, and what it takes to run a row of them.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace adamant::inline v0 {

//! A function of a task's number, borrowed for the length of a call: nothing is allocated.
class task {
public:
    template <class F>
    requires std::invocable<F&, std::int64_t> &&
        (!std::same_as<std::remove_cv_t<F>, task>)explicit task(F& function)
        : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
          call_([](void* f, std::int64_t number) { (*static_cast<F*>(f))(number); }) {}

    void operator()(std::int64_t number) const { call_(function_, number); }

private:
    void* function_;
    void (*call_)(void*, std::int64_t);
};

//! run(count, t) calls t(0) ... t(count - 1), in any order and on any threads, and returns when all are done.
//! Tasks write to disjoint memory and do not throw. threads(), if E has it, says on how many threads at most.
template <class E>
concept task_runner = requires(E& e, std::int64_t count, task t) {
    e.run(count, t);
};

}  // namespace adamant::inline v0
