// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! usable_cpus: the processors that the program was started on, and how many threads are worth having there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#if defined(__linux__)
#include <array>

#include <sched.h>
#include <unistd.h>
#endif

namespace adamant::inline v0 {

//! A launcher (taskset, mpirun, a batch system) says with the affinity of the process what is ours; the
//! program may pin single threads later, and theirs is then not the process's. So the main thread's affinity
//! is read when this code is loaded. OMP_PROC_BIND pins that thread earlier still: openmp_executor knows more
//! then.
class usable_cpus {
public:
    static const usable_cpus& of_process() {
        static const usable_cpus found;
        return found;
    }

    //! One per processor, fewer where a control group grants less time than that.
    int threads() const { return std::clamp(cpus_, 1, std::max(1, granted())); }

    //! Undoes what the calling thread inherited from a pinned one. Where that is not allowed it stays there.
    void allow_this_thread() const {
#if defined(__linux__)
        if (known_) ::sched_setaffinity(0, sizeof(set_), set());
#endif
    }

private:
    usable_cpus() {
#if defined(__linux__)
        known_ = ::sched_getaffinity(::getpid(), sizeof(set_), set()) == 0;
        if (known_) cpus_ = CPU_COUNT_S(sizeof(set_), set());
#endif
    }

    //! Processors' worth of time, rounded up.
    static int granted() {
        constexpr int any = 1 << 20;
        std::FILE* const file = std::fopen("/sys/fs/cgroup/cpu.max", "r");
        if (file == nullptr) return any;
        double quota = 0, period = 0;  // "max 100000" where there is no limit
        const bool limited = std::fscanf(file, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0;
        std::fclose(file);
        return limited ? static_cast<int>(std::min<double>(any, std::ceil(quota / period))) : any;
    }

#if defined(__linux__)
    cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(set_.data()); }
    const cpu_set_t* set() const { return reinterpret_cast<const cpu_set_t*>(set_.data()); }

    alignas(cpu_set_t) std::array<unsigned long, 128> set_{};  // 8192 processors: cpu_set_t ends at 1024
    bool known_ = false;
#endif
    int cpus_ = static_cast<int>(std::thread::hardware_concurrency());
};

namespace detail {
inline const usable_cpus& cpus_at_load = usable_cpus::of_process();
}  // namespace detail

}  // namespace adamant::inline v0
