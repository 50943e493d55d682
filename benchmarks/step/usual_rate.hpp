// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! usual_rate: whether the threads run as fast as they can. A neighbour on the same core slows a step by a
//! fifth, additions in the first cache to half their rate, and a root and a division not at all: a comparison
//! with them is of use only without it.
#pragma once

#include <adamant/step/executor.hpp>
#include <adamant/step/usable_cpus.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#if defined(__linux__)
#include <sched.h>
#endif

namespace bench {

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

//! The calling thread, where it may use another one.
inline void move_to_another_processor() {
#if defined(__linux__)
    cpu_set_t others;
    if (::sched_getaffinity(0, sizeof(others), &others) != 0) return;
    CPU_CLR(static_cast<std::size_t>(::sched_getcpu()), &others);
    if (CPU_COUNT(&others) == 0 || ::sched_setaffinity(0, sizeof(others), &others) != 0) return;
    adamant::usable_cpus::of_process().allow_this_thread();
#endif
}

//! Calls f on all threads of an executor at once. A thread that does not wake up for a millisecond is not
//! waited for: then another one calls it twice.
template <class F>
void on_all_threads(const adamant::executor& executor, int threads, F f) {
    std::atomic<int> there = 0;
    executor.run(threads, [&](std::int64_t) {
        ++there;
        for (const double end = now() + 1e-3; there < threads && now() < end;) continue;
        f();
    });
}

class usual_rate {
public:
    //! `patience`: seconds that all waiting may take, and a hundred times what it may take at once.
    explicit usual_rate(double patience) : patience_(patience), patience_at_once_(patience / 100) {
        for (const double end = now() + 0.5; now() < end; move_to_another_processor())
            for (int i = 0; i < 1000; ++i) usual_ = std::min(usual_, seconds_of_additions());
    }

    //! Whether additions take the usual time on all threads of the executor.
    bool holds(const adamant::executor& executor, int threads) {
        double shortest = usual_, longest = 0;
        std::mutex mutex;
        on_all_threads(executor, threads, [&] {
            const double seconds = seconds_of_additions();
            const std::lock_guard lock(mutex);
            shortest = std::min(shortest, seconds);
            longest = std::max(longest, seconds);
        });
        usual_ = shortest;
        return longest < 1.2 * usual_;
    }

    double patience_at_once() const { return std::min(patience_, patience_at_once_); }
    void waited(double seconds) { patience_ -= seconds; }

private:
#if defined(__x86_64__)
    __attribute__((target("avx2")))
#endif
    static double
    seconds_of_additions() {
        typedef float vector __attribute__((vector_size(32)));
        vector values[512]{};
        asm volatile("" : "+m"(values));
        const double begin = now();
        for (int pass = 0; pass < 40; ++pass) {
            for (vector& v : values) v += v;
            asm volatile("" : "+m"(values));
        }
        return now() - begin;
    }

    double usual_ = 1, patience_, patience_at_once_;
};

//! That of an executor's threads; without one, all is as usual.
class rate_watch {
public:
    rate_watch() = default;
    rate_watch(usual_rate& rate, adamant::executor executor, int threads)
        : rate_(&rate),
          executor_(std::move(executor)),
          threads_(threads),
          patience_(rate.patience_at_once()) {}

    bool is_quiet() const { return rate_ == nullptr || rate_->holds(executor_, threads_); }
    //! One thread goes to a processor that may have no neighbour.
    void move_on() const {
        if (threads_ == 1) move_to_another_processor();
    }
    bool has_patience() const { return patience_ > 0; }
    void waited(double seconds) {
        patience_ -= seconds;
        if (rate_ != nullptr) rate_->waited(seconds);
    }

private:
    usual_rate* rate_ = nullptr;
    adamant::executor executor_ = adamant::serial_executor{};
    int threads_ = 1;
    double patience_ = 0;
};

}  // namespace bench
