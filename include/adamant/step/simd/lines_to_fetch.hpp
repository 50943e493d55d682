// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! lines_to_fetch: how many cache lines of each stream the AVX-512 kernels ask for at a time, before they
//! need them. Results do not depend on it.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace adamant::inline v0 {

struct fetched_lines {
    int with_scales;  //!< 2 or 4, of policies with scales
    int without;      //!< 0 or 4, of those without
};

//! Zen 5 fetches by itself too late where a kernel takes a line of each of five streams in turn. Zen 4 does
//! not, and a policy without scales keeps it so busy that requests of ours are in the way of its own. Others
//! were not measured. With AVX2 there are too few registers for it: on Zen 3 every kernel is faster without.
inline fetched_lines lines_to_fetch() {
#if defined(__x86_64__)
    static const bool is_zen5 = [] {
        unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
        __get_cpuid(1, &eax, &ebx, &ecx, &edx);
        const unsigned family = (eax >> 8 & 0xF) + (eax >> 20 & 0xFF);
        return family == 26;  // of no other maker
    }();
    if (is_zen5) return {.with_scales = 4, .without = 4};
#endif
    return {.with_scales = 2, .without = 0};
}

}  // namespace adamant::inline v0
