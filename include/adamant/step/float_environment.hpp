// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! default_float_environment: nearest rounding, subnormals kept, for the length of a scope.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace adamant::inline v0 {

//! A program may have switched subnormals off (linking with -ffast-math does); results must not depend on it.
//! Exceptions that are raised inside stay flagged, as after any arithmetic.
class default_float_environment {
public:
#if defined(__x86_64__)
    default_float_environment() : saved_(_mm_getcsr()) {
        if (is_other()) _mm_setcsr(usual);  // only if need be: a core waits for it
    }
    ~default_float_environment() {
        if (is_other()) _mm_setcsr(saved_);
    }

private:
    bool is_other() const { return (saved_ & ~flags) != usual; }

    static constexpr unsigned usual = 0x1F80;  //!< to nearest, subnormals, no traps
    static constexpr unsigned flags = 0x3F;    //!< of exceptions that there were
    unsigned saved_;
#elif defined(__aarch64__)
    default_float_environment() {
        asm volatile("mrs %0, fpcr" : "=r"(saved_));
        asm volatile("msr fpcr, %0" : : "r"(0UL));
    }
    ~default_float_environment() { asm volatile("msr fpcr, %0" : : "r"(saved_)); }

private:
    unsigned long saved_;
#endif

public:
    default_float_environment(const default_float_environment&) = delete;
    default_float_environment& operator=(const default_float_environment&) = delete;
};

}  // namespace adamant::inline v0
