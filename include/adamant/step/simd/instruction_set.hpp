// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! instruction_set: what the CPU kernels use, chosen once per process. Results do not depend on it.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <adamant/base/error.hpp>

namespace adamant::inline v0 {

enum class instruction_set : std::uint8_t {
    generic,  //!< the scalar reference
    avx2,     //!< with FMA and F16C
    avx512,   //!< F, BW, DQ and VL
    neon      //!< of aarch64
};

constexpr std::string_view to_string(instruction_set set) {
    constexpr std::array<std::string_view, 4> names{"generic", "avx2", "avx512", "neon"};
    return names[static_cast<std::size_t>(set)];
}

//! The best one that this machine has.
inline instruction_set best_instruction_set() {
#if defined(__x86_64__)
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;  // clang 14 does not know f16c by name
    const bool f16c = __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && f16c;
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx2 && avx512) return instruction_set::avx512;
    if (avx2) return instruction_set::avx2;
#elif defined(__aarch64__)
    return instruction_set::neon;
#endif
    return instruction_set::generic;
}

//! Those of a machine with this best one, the scalar reference first.
inline std::vector<instruction_set> instruction_sets_up_to(instruction_set best) {
    std::vector<instruction_set> sets{instruction_set::generic};
    if (best == instruction_set::avx512) sets.push_back(instruction_set::avx2);
    if (best != instruction_set::generic) sets.push_back(best);
    return sets;
}

//! The one that ADAMANT_SIMD names in the environment, which this machine must have, else the best one.
//! Throws config_error for another word.
inline instruction_set chosen_instruction_set(const char* wish, instruction_set best) {
    if (wish == nullptr || *wish == '\0') return best;
    std::string allowed;
    for (const instruction_set set : instruction_sets_up_to(best)) {
        if (to_string(set) == wish) return set;
        allowed += (allowed.empty() ? "" : ", ") + std::string(to_string(set));
    }
    throw config_error("[adamant] ADAMANT_SIMD is one that this machine has (" + allowed + "): got '" + wish +
                       "'.");
}

//! The one in use.
inline instruction_set active_instruction_set() {
    static const instruction_set active =
        chosen_instruction_set(std::getenv("ADAMANT_SIMD"), best_instruction_set());
    return active;
}

}  // namespace adamant::inline v0
