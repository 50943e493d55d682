// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What the library asks of the compiler and the machine, checked once.
#pragma once

#if __cplusplus < 202002L
#error "[adamant] the library is C++20: build with -std=c++20."
#endif

#include <bit>
#include <limits>

// Under -ffast-math or -ffinite-math-only a compiler may replace divisions and roots and drop NaN
// checks: results would depend on flags, and a broken gradient would pass unnoticed.
// So may the flags that it is made of, and the registers of the x87.
#if (defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
     (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0) ||                              \
     (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)) &&                                \
    !defined(ADAMANT_ALLOW_FAST_MATH)
#error \
    "[adamant] results do not depend on flags: build without -ffast-math, what it is made of and -mfpmath=387, or define ADAMANT_ALLOW_FAST_MATH."
#endif

static_assert(std::endian::native == std::endian::little,
              "[adamant] stored state is little endian: build for a little-endian machine.");
static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559,
              "[adamant] arithmetic is IEEE 754: build for a machine with IEEE float and double.");

// What kernels of a GPU call as well.
#if defined(__CUDACC__)
#define ADAMANT_HOST_DEVICE __host__ __device__
#else
#define ADAMANT_HOST_DEVICE
#endif

// Kernel bodies are inlined into functions that carry a target attribute, else a fused multiply-add
// would be a library call of 15 ns.
#define ADAMANT_ALWAYS_INLINE inline __attribute__((always_inline))
#define ADAMANT_KERNEL_INLINE ADAMANT_HOST_DEVICE ADAMANT_ALWAYS_INLINE

// Vector kernels, chosen at run time, where the compiler can make them. ADAMANT_NO_SIMD leaves them out: the
// same bits, slowly, compiled sooner (FLAGS=-DADAMANT_NO_SIMD benchmarks/compile_time/run). It is defined in
// all of a program or nowhere.
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(ADAMANT_NO_SIMD)
#define ADAMANT_HAS_SIMD 1
#endif
