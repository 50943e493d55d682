// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! thread_team: the threads of a pool, which wait for the next region of tasks, shortly awake and then
//! asleep.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <adamant/step/task.hpp>
#include <adamant/step/usable_cpus.hpp>

namespace adamant::inline v0::detail {

class thread_team;

//! Whose region this thread is in, if any: a region in a region runs on the thread that has it.
inline thread_local const thread_team* present_team = nullptr;

inline void pause_thread() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

//! Whether a condition comes true within the time for which waiting awake is cheaper than being woken. The
//! passes of a step follow each other within it, steps with a backward pass between them do not.
template <class Condition>
bool soon(Condition condition) {
    using clock = std::chrono::steady_clock;
    const auto deadline = clock::now() + std::chrono::microseconds(50);
    do {
        for (int i = 0; i < 32; ++i) {
            if (condition()) return true;
            pause_thread();
        }
    } while (clock::now() < deadline);
    return false;
}

//! Tasks are cut into one share per thread, always alike: the same cache sees the same tensors at each step.
//! Who is through with its own share goes on with what is left of the others: nobody waits for a thread to
//! wake up, and one whose processor is slower, or serves someone else too, is left with less.
class thread_team {
public:
    //! The calling thread of a region is one of them.
    explicit thread_team(int threads) : shares_(static_cast<std::size_t>(threads)) {}
    thread_team(const thread_team&) = delete;
    thread_team& operator=(const thread_team&) = delete;
    ~thread_team() { stop(); }

    //! Regions of several callers follow each other.
    void run(std::int64_t count, task t) {
        if (stopping_) return run_all(count, t);  // before the turn, which stop() is waiting for
        const std::lock_guard one_at_a_time(turn_);
        if (stopping_) return run_all(count, t);
        if (!started_) start();
        begin_region(count, t);
        run_tasks(0);
        const auto is_over = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
        if (soon(is_over)) return;
        std::unique_lock lock(mutex_);
        over_.wait(lock, is_over);
    }

    //! Ends the threads, after the region that runs; later regions run on their callers alone.
    void stop() {
        stopping_ = true;
        const std::lock_guard last_turn(turn_);
        {
            const std::lock_guard lock(mutex_);
            region_.store(no_more, std::memory_order_release);
        }
        wake_.notify_all();
        for (std::thread& worker : workers_) worker.join();
        workers_.clear();
    }

private:
    static constexpr std::uint64_t no_more = ~std::uint64_t{0};

    //! Its tasks have tickets, which are counted on from region to region: who holds an old one gets no task.
    struct alignas(64) share {
        std::atomic<std::uint64_t> next_ticket{0}, end_ticket{0};
        std::int64_t end = 0;  // the number of the task that would have end_ticket
    };

    void start() {
        started_ = true;
        workers_.reserve(shares_.size() - 1);
        try {
            for (std::size_t i = 1; i < shares_.size(); ++i) workers_.emplace_back([this, i] { work(i); });
        } catch (const std::system_error&) {}  // a limit on threads: those that there are will do
    }

    void work(std::size_t number) {
        usable_cpus::of_process().allow_this_thread();
        present_team = this;
        for (std::uint64_t region = 0; (region = region_after(region)) != no_more;) run_tasks(number);
    }

    std::uint64_t region_after(std::uint64_t last) {
        const auto is_next = [&] { return region_.load(std::memory_order_acquire) != last; };
        if (!soon(is_next)) {
            std::unique_lock lock(mutex_);
            ++asleep_;
            wake_.wait(lock, is_next);
        }
        return region_.load(std::memory_order_acquire);
    }

    void begin_region(std::int64_t count, const task& t) {
        bool anyone_asleep = false;
        task_ = &t;
        unfinished_.store(count, std::memory_order_relaxed);
        hand_out(count);
        {
            const std::lock_guard lock(mutex_);  // nobody falls asleep between a look at region_ and this
            region_.fetch_add(1, std::memory_order_release);
            anyone_asleep = std::exchange(asleep_, 0) > 0;  // once woken is enough, however long it takes
        }
        if (anyone_asleep) wake_.notify_all();
    }

    void hand_out(std::int64_t count) {
        const auto n = static_cast<std::int64_t>(workers_.size()) + 1;
        const std::int64_t size = count / n, larger = count % n;
        std::int64_t end = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            share& s = shares_[static_cast<std::size_t>(i)];
            const std::int64_t tasks = size + (i < larger ? 1 : 0);
            s.end = end += tasks;
            s.end_ticket.store(
                s.end_ticket.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(tasks),
                std::memory_order_release);
        }
    }

    //! The tasks of this share, and then those that are left of the others.
    void run_tasks(std::size_t number) {
        for (std::size_t i = 0, n = workers_.size() + 1; i < n; ++i) {
            const std::int64_t ran = run_tasks_of(shares_[(number + i) % n]);
            if (ran == 0 || unfinished_.fetch_sub(ran, std::memory_order_acq_rel) > ran) continue;
            const std::lock_guard lock(mutex_);
            over_.notify_one();
        }
    }

    //! Returns how many it ran. What belongs to a region is read only by who holds a ticket of it: the region
    //! lasts until that task has ended.
    std::int64_t run_tasks_of(share& s) {
        std::int64_t ran = 0;
        std::uint64_t ticket = s.next_ticket.load(std::memory_order_relaxed), end = 0;
        while (ticket < (end = s.end_ticket.load(std::memory_order_acquire))) {
            if (!s.next_ticket.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed)) continue;
            (*task_)(s.end - static_cast<std::int64_t>(end - ticket));
            ++ticket;
            ++ran;
        }
        return ran;
    }

    static void run_all(std::int64_t count, task t) {
        for (std::int64_t k = 0; k < count; ++k) t(k);
    }

    std::mutex turn_;   // of a caller, for the length of its region
    std::mutex mutex_;  // for falling asleep and waking up
    std::condition_variable wake_, over_;
    int asleep_ = 0;
    bool started_ = false;
    std::atomic<bool> stopping_ = false;
    std::vector<share> shares_;
    std::vector<std::thread> workers_;
    std::atomic<std::uint64_t> region_ = 0;
    std::atomic<std::int64_t> unfinished_ = 0;
    const task* task_ = nullptr;
};

}  // namespace adamant::inline v0::detail
