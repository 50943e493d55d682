// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The noise of stochastic rounding: one Philox call for a group of 32.
#include "kernels.hpp"

#include <adamant/step/step_cpu.hpp>

namespace {

using namespace adamant;

constexpr std::int64_t groups = 1024;

void make_generic(std::uint64_t seed, std::uint64_t step) {
    for (std::int64_t group = 0; group < groups; ++group) {
        auto words = philox(seed, static_cast<std::uint64_t>(group), step);
        benchmark::DoNotOptimize(words);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma,f16c"))) void make_avx2(std::uint64_t seed, std::uint64_t step) {
    avx2::noise_maker maker(seed, step, 0);
    avx2::tile_noise noise;
    for (std::int64_t group = 0; group < groups; group += avx2::tile_groups) {
        maker.make(noise);
        benchmark::DoNotOptimize(noise);
    }
}
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))) void make_avx512(
    std::uint64_t seed, std::uint64_t step) {
    avx512::noise_maker maker(seed, step, 0);
    avx512::tile_noise noise;
    for (std::int64_t group = 0; group < groups; group += avx512::tile_groups) {
        maker.make(noise);
        benchmark::DoNotOptimize(noise);
    }
}
#elif defined(__aarch64__)
void make_neon(std::uint64_t seed, std::uint64_t step) {
    neon::noise_maker maker(seed, step, 0);
    neon::tile_noise noise;
    for (std::int64_t group = 0; group < groups; group += neon::tile_groups) {
        maker.make(noise);
        benchmark::DoNotOptimize(noise);
    }
}
#endif

void time_noise(benchmark::State& state, void (*make)(std::uint64_t, std::uint64_t)) {
    std::uint64_t step = 0;
    for (auto _ : state) make(7, ++step);
    bench::report(state, groups * group_size);
}

}  // namespace

void bench::register_noise() {
    for (const instruction_set set : instruction_sets()) {
        auto make = make_generic;
#if defined(__x86_64__)
        if (set == instruction_set::avx2) make = make_avx2;
        if (set == instruction_set::avx512) make = make_avx512;
#elif defined(__aarch64__)
        if (set == instruction_set::neon) make = make_neon;
#endif
        add_kernel("philox", set, "noise", time_noise, make);
    }
}
