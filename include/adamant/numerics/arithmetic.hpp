// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! arithmetic: the operations that the host's and a GPU's compiler spell differently, each correctly rounded.
//! In device code an intrinsic is neither fused with its neighbours nor loosened by -prec-div or -prec-sqrt.
#pragma once

#include <cmath>

#include <adamant/base/config.hpp>

namespace adamant::inline v0 {

ADAMANT_KERNEL_INLINE float fused_multiply_add(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
}

ADAMANT_KERNEL_INLINE double fused_multiply_add(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
    return __fma_rn(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}

ADAMANT_KERNEL_INLINE float square_root(float value) {
#if defined(__CUDA_ARCH__)
    return __fsqrt_rn(value);
#else
    return __builtin_sqrtf(value);
#endif
}

ADAMANT_KERNEL_INLINE double square_root(double value) {
#if defined(__CUDA_ARCH__)
    return __dsqrt_rn(value);
#else
    return std::sqrt(value);
#endif
}

ADAMANT_KERNEL_INLINE float quotient(float numerator, float denominator) {
#if defined(__CUDA_ARCH__)
    return __fdiv_rn(numerator, denominator);
#else
    return numerator / denominator;
#endif
}

//! A product that no compiler fuses with a sum: g++ does across statements under -march=native, ptxas does.
ADAMANT_HOST_DEVICE inline double product(double a, double b) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#else
    double result = a * b;
#if defined(__GNUC__) && defined(__x86_64__)
    asm("" : "+x"(result));
#elif defined(__GNUC__) && defined(__aarch64__)
    asm("" : "+w"(result));
#else
    volatile double in_memory = result;
    result = in_memory;
#endif
    return result;
#endif
}

//! A product that is exact, or far below what is added to it: fused or not, the host's bits are the same.
template <class Float>
ADAMANT_HOST_DEVICE constexpr Float exact_product(Float a, Float b) {
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

// std::min and std::max are host functions to nvcc.
template <class T>
ADAMANT_HOST_DEVICE constexpr T smaller(T a, T b) {
    return b < a ? b : a;
}
template <class T>
ADAMANT_HOST_DEVICE constexpr T larger(T a, T b) {
    return a < b ? b : a;
}

}  // namespace adamant::inline v0
