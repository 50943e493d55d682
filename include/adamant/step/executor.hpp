// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! executor: who runs the tasks of a step. Any object with run(count, task) will do.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>

#include <adamant/step/task.hpp>
#include <adamant/step/thread_pool.hpp>

namespace adamant::inline v0 {

//! One after the other on the calling thread.
struct serial_executor {
    static constexpr int threads() { return 1; }
    void run(std::int64_t count, task t) const {
        for (std::int64_t i = 0; i < count; ++i) t(i);
    }
};

//! Any task_runner behind one type; copies share it, and so may several optimizers. By default the process's
//! pool.
class executor {
public:
    executor() : executor(process_pool{}) {}

    template <task_runner E>
    requires(!std::same_as<E, executor>)
        executor(E runner)  // NOLINT(google-explicit-constructor): a runner is an executor
        : runner_(std::make_shared<E>(std::move(runner))),
          run_([](void* r, std::int64_t count, task t) { static_cast<E*>(r)->run(count, t); }),
          is_serial_([](void* r) { return has_one_thread(*static_cast<E*>(r)); }) {}

    template <class F>
    void run(std::int64_t count, F&& function) const {
        run_(runner_.get(), count, task(function));
    }

    //! Whether the runner has threads(), and that is 1.
    bool is_serial() const { return is_serial_(runner_.get()); }

private:
    template <class E>
    static bool has_one_thread(E& runner) {
        if constexpr (requires { static_cast<bool>(runner.threads() == 1); }) return runner.threads() == 1;
        else return false;
    }

    std::shared_ptr<void> runner_;
    void (*run_)(void*, std::int64_t, task);
    bool (*is_serial_)(void*);
};

}  // namespace adamant::inline v0
