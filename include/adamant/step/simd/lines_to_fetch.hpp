// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! lines_to_fetch: how many cache lines of each stream the AVX-512 kernels ask for at a time, before they
//! need them. Results do not depend on it.
#pragma once

#include <cstddef>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace adamant::inline v0 {

//! How many bytes before they are needed.
inline constexpr std::size_t fetched_ahead = 2048;

struct fetched_lines {
    int with_scales;  //!< of policies with scales: 0, 1, 2 or 4, and at least those of a pair
    int without;      //!< of those without
    bool fp32;        //!< where all is fp32: whether one
};

//! Zen 5 fetches by itself too late where a kernel takes a line of each of five streams in turn. Intel's
//! (Emerald Rapids was measured) do so even where all that is done is to read and write them, and many
//! requests at a time are in each other's way there. Zen 4 fetches well, and a policy without scales keeps it
//! so busy that requests of ours are in the way of its own. Others were not measured. With AVX2 there are too
//! few registers for it: on Zen 3 every kernel is faster without.
inline fetched_lines lines_to_fetch() {
#if defined(__x86_64__)
    static const fetched_lines here = [] {
        unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
        __get_cpuid(1, &eax, &ebx, &ecx, &edx);
        const unsigned family = (eax >> 8 & 0xF) + (eax >> 20 & 0xFF);
        if (__builtin_cpu_is("intel")) return fetched_lines{.with_scales = 2, .without = 1, .fp32 = true};
        if (family == 26)  // Zen 5
            return fetched_lines{.with_scales = 4, .without = 4, .fp32 = false};
        return fetched_lines{.with_scales = 2, .without = 0, .fp32 = false};
    }();
    return here;
#else
    return {};
#endif
}

}  // namespace adamant::inline v0
