// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! openmp_executor: a step's tasks on the threads that the program's OpenMP has already.
#pragma once

#if !defined(_OPENMP)
#error \
    "[adamant] openmp_executor runs tasks on OpenMP's threads: build with -fopenmp (CMake: OpenMP::OpenMP_CXX), or leave the executor out."
#endif

#include <cstdint>

#include <adamant/step/task.hpp>

#include <omp.h>

namespace adamant::inline v0 {

//! One parallel region per run, the tasks in contiguous shares.
struct openmp_executor {
    int threads = 0;  //!< 0: as many as OpenMP uses (OMP_NUM_THREADS, omp_set_num_threads)

    void run(std::int64_t count, task t) const {
        const int team = threads > 0 ? threads : omp_get_max_threads();
#pragma omp parallel for schedule(static) num_threads(team) if (count > 1)
        for (std::int64_t i = 0; i < count; ++i) t(i);
    }
};

}  // namespace adamant::inline v0
