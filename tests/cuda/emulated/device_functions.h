// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What a kernel calls: barriers, shuffles, votes, atomics and arithmetic intrinsics.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "runtime_types.h"

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

namespace emulated_cuda {

enum class shuffle_mode : std::uint8_t { index, up, down, butterfly };
enum class vote_mode : std::uint8_t { ballot, any, all, uniform };

void block_barrier();
void warp_barrier(unsigned mask);
std::uint64_t shuffle(shuffle_mode mode, unsigned mask, std::uint64_t value, unsigned lane, int width);
unsigned vote(vote_mode mode, unsigned mask, bool predicate);
[[noreturn]] void trap();

template <class T>
T shuffle_value(shuffle_mode mode, unsigned mask, T value, unsigned lane, int width) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(T));
    word = shuffle(mode, mask, word, lane, width);
    std::memcpy(&value, &word, sizeof(T));
    return value;
}

// Threads take turns only at barriers, so a plain read and write is atomic.
template <class T, class Change>
T atomically(T* place, Change change) {
    const T before = *place;
    *place = change(before);
    return before;
}

}  // namespace emulated_cuda

inline void __syncthreads() { emulated_cuda::block_barrier(); }
inline void __syncwarp(unsigned mask = 0xFFFFFFFFu) { emulated_cuda::warp_barrier(mask); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
[[noreturn]] inline void __trap() { emulated_cuda::trap(); }

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize) {
    return emulated_cuda::shuffle_value(emulated_cuda::shuffle_mode::index, mask, value,
                                        static_cast<unsigned>(lane), width);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    return emulated_cuda::shuffle_value(emulated_cuda::shuffle_mode::up, mask, value, delta, width);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    return emulated_cuda::shuffle_value(emulated_cuda::shuffle_mode::down, mask, value, delta, width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize) {
    return emulated_cuda::shuffle_value(emulated_cuda::shuffle_mode::butterfly, mask, value,
                                        static_cast<unsigned>(lanes), width);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
    return emulated_cuda::vote(emulated_cuda::vote_mode::ballot, mask, predicate != 0);
}
inline int __any_sync(unsigned mask, int predicate) {
    return static_cast<int>(emulated_cuda::vote(emulated_cuda::vote_mode::any, mask, predicate != 0));
}
inline int __all_sync(unsigned mask, int predicate) {
    return static_cast<int>(emulated_cuda::vote(emulated_cuda::vote_mode::all, mask, predicate != 0));
}

// The types that CUDA has, and no others.
#define ADAMANT_ATOMICS(T)                                                                             \
    inline T atomicExch(T* place, T value) {                                                           \
        return emulated_cuda::atomically(place, [=](T) { return value; });                             \
    }                                                                                                  \
    inline T atomicCAS(T* place, T expected, T value) {                                                \
        return emulated_cuda::atomically(place, [=](T old) { return old == expected ? value : old; }); \
    }                                                                                                  \
    inline T atomicMax(T* place, T value) {                                                            \
        return emulated_cuda::atomically(place, [=](T old) { return std::max(old, value); });          \
    }                                                                                                  \
    inline T atomicMin(T* place, T value) {                                                            \
        return emulated_cuda::atomically(place, [=](T old) { return std::min(old, value); });          \
    }                                                                                                  \
    inline T atomicOr(T* place, T value) {                                                             \
        return emulated_cuda::atomically(place, [=](T old) { return old | value; });                   \
    }                                                                                                  \
    inline T atomicAnd(T* place, T value) {                                                            \
        return emulated_cuda::atomically(place, [=](T old) { return old & value; });                   \
    }
ADAMANT_ATOMICS(int)
ADAMANT_ATOMICS(unsigned)
ADAMANT_ATOMICS(unsigned long long)
#undef ADAMANT_ATOMICS
inline unsigned atomicAdd(unsigned* place, unsigned value) {
    return emulated_cuda::atomically(place, [=](unsigned old) { return old + value; });
}
inline unsigned long long atomicAdd(unsigned long long* place, unsigned long long value) {
    return emulated_cuda::atomically(place, [=](unsigned long long old) { return old + value; });
}
inline int atomicAdd(int* place, int value) {  // wraps on a device
    return emulated_cuda::atomically(place, [=](int old) {
        return static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value));
    });
}

// Where a compiler contracts (-ffp-contract), a value in memory keeps a product a product.
inline float __fmul_rn(float a, float b) {
    float product = a * b;
    __asm__("" : "+m"(product));
    return product;
}
inline double __dmul_rn(double a, double b) {
    double product = a * b;
    __asm__("" : "+m"(product));
    return product;
}
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

inline unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
inline float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
inline int __float_as_int(float a) { return std::bit_cast<int>(a); }
inline float __int_as_float(int a) { return std::bit_cast<float>(a); }
inline long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }
inline double __longlong_as_double(long long a) { return std::bit_cast<double>(a); }

inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(std::uint64_t{a} * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    __extension__ using wide = unsigned __int128;
    return static_cast<unsigned long long>(static_cast<wide>(a) * b >> 64);
}
inline int __clz(int a) { return std::countl_zero(static_cast<unsigned>(a)); }
inline int __clzll(long long a) { return std::countl_zero(static_cast<unsigned long long>(a)); }
inline int __popc(unsigned a) { return std::popcount(a); }
inline int __popcll(unsigned long long a) { return std::popcount(a); }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline unsigned __brev(unsigned a) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (a >> bit & 1u) << (31 - bit);
    return reversed;
}

template <class T>
T __ldg(const T* place) {
    return *place;
}
