// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! thread_pool: a task_runner with threads of its own, started by the first region of more than one task.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <adamant/base/error.hpp>
#include <adamant/step/task.hpp>
#include <adamant/step/thread_team.hpp>
#include <adamant/step/usable_cpus.hpp>

#include <pthread.h>

namespace adamant::inline v0 {

namespace detail {

//! How many forks lie between the process that loaded this code and the one that asks.
inline unsigned fork_count() {
    static std::atomic<unsigned> forks{0};
    static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
    static_cast<void>(registered);
    return forks.load(std::memory_order_relaxed);
}

}  // namespace detail

//! Any thread may run regions, several at once too: they follow each other. A region that a task begins runs
//! on the task's thread. After a fork the child starts threads of its own when it needs them.
class thread_pool {
public:
    //! The thread that runs a region is one of `threads`; by default as many as the process may use.
    //! Error: config_error where there is not even that one.
    explicit thread_pool(int threads = usable_cpus::of_process().threads())
        : threads_(checked(threads)), crew_(new crew(threads)) {}
    thread_pool(thread_pool&& other) noexcept
        : threads_(other.threads_), crew_(other.crew_.exchange(nullptr)) {}
    thread_pool& operator=(thread_pool&&) = delete;

    //! Ends the threads. Where that cannot be (in a child that does not have them, in a task of this pool
    //! that leaves the program through exit()) they are left alone, and their memory with them.
    ~thread_pool() {
        crew* const last = crew_.exchange(nullptr);
        if (last == nullptr) return;
        if (can_end(*last)) delete last;
        else abandon(last);
    }

    int threads() const { return threads_; }

    void run(std::int64_t count, task t) {
        if (count > 1 && threads_ > 1 && detail::present_team == nullptr) {
            if (crew* const here = present_crew()) {
                const region_mark mark(here->team);
                return here->team.run(count, t);
            }
        }
        for (std::int64_t i = 0; i < count; ++i) t(i);
    }

    //! Ends the threads early. Regions that come later run on their callers.
    void stop() {
        crew* const present = crew_;
        if (present != nullptr && can_end(*present)) present->team.stop();
    }

private:
    struct crew {
        explicit crew(int threads) : team(threads) {}

        detail::thread_team team;
        unsigned forks = detail::fork_count();
        crew* abandoned_before = nullptr;
    };
    struct region_mark {
        explicit region_mark(const detail::thread_team& team) { detail::present_team = &team; }
        ~region_mark() { detail::present_team = nullptr; }
        region_mark(const region_mark&) = delete;
        region_mark& operator=(const region_mark&) = delete;
    };

    static int checked(int threads) {
        if (threads >= 1) return threads;
        throw config_error("[adamant] a pool has at least one thread: write 1 or more, or nothing, got " +
                           std::to_string(threads) + ".");
    }
    static bool can_end(const crew& c) {
        return c.forks == detail::fork_count() && detail::present_team != &c.team;
    }

    //! In a child the parent's is replaced: its threads are not there, its locks may be held by one of them.
    crew* present_crew() {
        crew* present = crew_;
        if (present == nullptr || present->forks == detail::fork_count()) return present;
        auto own = std::make_unique<crew>(threads_);
        if (!crew_.compare_exchange_strong(present, own.get())) return present;
        abandon(present);
        return own.release();
    }

    //! Not a leak: a list from which what is left alone stays in reach.
    static void abandon(crew* c) {
        static std::atomic<crew*> last{nullptr};
        c->abandoned_before = last.exchange(c);
    }

    int threads_;
    std::atomic<crew*> crew_;
};

//! The pool of the process, which optimizers share unless they are given another executor.
struct process_pool {
    int threads() const { return shared().threads(); }
    void run(std::int64_t count, task t) const { shared().run(count, t); }

private:
    //! It is never destroyed: other static objects may step until the very end. At exit, and when a library
    //! that holds this code is unloaded, its threads end.
    static thread_pool& shared() {
        static thread_pool& pool = *new thread_pool;
        static const struct at_exit {
            at_exit() = default;
            ~at_exit() { pool.stop(); }
        } stopper;
        return pool;
    }
};

}  // namespace adamant::inline v0
