// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What the files of this benchmark share: the instruction sets of this machine, how much fits into its
//! second cache, and what is reported of a kernel.
#pragma once

#include <adamant/step/simd/instruction_set.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

//! Each file's kernels, by name.
void register_plain_updates();
void register_narrow_updates();
void register_norm();
void register_noise();

//! The scalar reference, and what this machine has beside it.
inline std::vector<adamant::instruction_set> instruction_sets() {
    return adamant::instruction_sets_up_to(adamant::best_instruction_set());
}

//! Half of this machine's second cache, a quarter of a mebibyte where it is not known.
inline double working_set() {
    for (const auto& cache : benchmark::CPUInfo::Get().caches)
        if (cache.level == 2) return cache.size / 2.0;
    return 256 * 1024;
}
//! As many elements as have all their streams there.
inline std::int64_t elements_in_cache(double bytes_per_element) {
    return static_cast<std::int64_t>(working_set() / bytes_per_element) / 1024 * 1024;
}

//! An iteration treated so many parameters.
inline void report(benchmark::State& state, std::int64_t parameters) {
    state.SetItemsProcessed(state.iterations() * parameters);
    state.counters["per_param"] =
        benchmark::Counter(static_cast<double>(parameters),
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

//! Registers a function to be timed; with repetitions there is a row for the shortest time.
template <class Function, class... Arguments>
void add(const std::string& name, Function function, Arguments... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        function(state, arguments...);
    })->ComputeStatistics("min", [](const std::vector<double>& times) {
        return *std::min_element(times.begin(), times.end());
    });
}
//! The same as kernel/instruction set/what.
template <class Function, class... Arguments>
void add_kernel(const std::string& kernel, adamant::instruction_set set, const std::string& what,
                Function function, Arguments... arguments) {
    add(kernel + "/" + std::string(adamant::to_string(set)) + "/" + what, function, arguments...);
}

}  // namespace bench
