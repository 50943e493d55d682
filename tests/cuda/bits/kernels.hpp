// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Small kernels with what larger ones are made of. kernels.cu has them for nvcc.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace bits {

using word = unsigned long long;

template <class T, int N>
struct alignas(16) pack {
    T of[N];
};

//! Pointers and sizes by value, as large as parameters may be.
struct table {
    static constexpr int tensors = 1500;
    const float* from[tensors];
    float* to[tensors];
    std::uint32_t size[tensors];
    std::uint32_t used;
};

__device__ inline float one_element(float a, float b) {
    const float root = __fsqrt_rn(__fmaf_rn(a, a, 1.0f));
    const float quotient = __fdiv_rn(__fmul_rn(b, 3.0f), __fadd_rn(root, 0.25f));
    return fminf(fmaxf(__fsub_rn(quotient, a), -8.0f), 8.0f);
}

//! to[i] = one_element(from[i], to[i]), by vectors of 4 and a tail; a block per tensor.
__global__ void __launch_bounds__(128) elements(const __grid_constant__ table t) {
    using vector = pack<float, 4>;
    const float* from = t.from[blockIdx.x];
    float* to = t.to[blockIdx.x];
    const std::uint32_t size = t.size[blockIdx.x], vectors = size / 4;
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) {
        const vector a = reinterpret_cast<const vector*>(from)[i];
        vector b = reinterpret_cast<const vector*>(to)[i];
#pragma unroll
        for (int e = 0; e < 4; ++e) b.of[e] = one_element(a.of[e], b.of[e]);
        reinterpret_cast<vector*>(to)[i] = b;
    }
#pragma unroll 1
    for (std::uint32_t i = 4 * vectors + threadIdx.x; i < size; i += blockDim.x)
        to[i] = one_element(from[i], to[i]);
}

//! A template of an own type, launched by its address.
template <class T>
__global__ void __launch_bounds__(256) block_sums(const T* from, std::uint32_t size, T* sums) {
    __shared__ T of_warp[8];
    T sum = 0;
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
        sum = sum + from[i];
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum = sum + __shfl_down_sync(0xFFFFFFFFu, sum, static_cast<unsigned>(lanes));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
#pragma unroll 1
    for (std::uint32_t w = 1; w < blockDim.x / 32; ++w) sum = sum + of_warp[w];
    sums[blockIdx.x] = sum;
}

//! Largest magnitudes of 4 neighbours; lane 0 of each warp's segment of 8 passed to all of it; what votes
//! say.
__global__ void exchanges(const float* from, float* largest, float* first, std::uint32_t* votes) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float m = fabsf(from[i]);
    m = fmaxf(m, __shfl_xor_sync(0xFFFFFFFFu, m, 1));
    m = fmaxf(m, __shfl_xor_sync(0xFFFFFFFFu, m, 2));
    largest[i] = m;
    first[i] = __shfl_sync(0xFFFFFFFFu, from[i], 0, 8) + __shfl_down_sync(0xFFFFFFFFu, from[i], 3, 16);
    const std::uint32_t ballot = __ballot_sync(0xFFFFFFFFu, from[i] > 0);
    const int any = __any_sync(0xFFFFFFFFu, from[i] > 0.875f),
              all = __all_sync(0xFFFFFFFFu, from[i] > -0.875f);
    votes[i] = ballot + static_cast<std::uint32_t>(any) * 3u + static_cast<std::uint32_t>(all) * 7u;
}

//! Bins of 64 bits that all threads add to, the largest value, flags, and tickets.
__global__ void atomics(const std::uint32_t* from, std::uint32_t size, word* bins, std::uint32_t* largest,
                        std::uint32_t* flags, std::uint32_t* tickets) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    atomicAdd(&bins[from[i] & 7u], static_cast<word>(from[i]) << 20);
    atomicMax(largest, from[i]);
    atomicOr(flags, 1u << (from[i] & 31u));
    tickets[atomicAdd(&tickets[size], 1u)] = from[i];
    __threadfence();
}

//! Integers of all widths, by every road that a compiler has to take for them.
__global__ void integers(const word* from, word* to) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const word a = from[i];
    const auto low = static_cast<std::uint32_t>(a), high = static_cast<std::uint32_t>(a >> 32);
    std::uint16_t places[16];
    for (std::uint32_t k = 0; k < 16; ++k) places[k] = static_cast<std::uint16_t>(low >> k ^ high);
    word sum = __umulhi(low, high) + (low % (high | 1u)) * 5ull + places[high & 15u];
    sum += static_cast<word>(__clz(static_cast<int>(low)) + __clzll(static_cast<long long>(a)) + __popc(high))
           << 7;
    sum ^= __brev(low) + static_cast<word>(__ffs(static_cast<int>(high))) * 11;
    sum += a / ((high & 0xFFFFu) + 1) + static_cast<word>(static_cast<long long>(a) >> (low & 63u));
    sum += static_cast<word>(static_cast<std::int8_t>(low) * static_cast<std::int16_t>(high));
    switch (low % 6) {
        case 0: sum *= 3; break;
        case 1: sum = sum << 5 | sum >> 59; break;
        case 2: sum -= a; break;
        case 3: sum ^= a >> 3; break;
        case 4: sum += __umulhi(high, 77u); break;
        default: sum = ~sum;
    }
    to[i] = sum;
}

//! Doubles and conversions.
__global__ void doubles(const float* from, double* to, word* to_bits) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const double a = from[i], b = from[i ^ 1u];
    const double root = __dsqrt_rn(__dadd_rn(__dmul_rn(a, a), 2.0));
    to[i] = __fma_rn(__ddiv_rn(b, root), a, -0.5);
    to_bits[i] = static_cast<word>(static_cast<long long>(a * 1000.0)) ^
                 static_cast<word>(static_cast<std::int32_t>(from[i] * 77.0f)) << 32 ^
                 static_cast<word>(__float_as_uint(static_cast<float>(to[i]))) ^
                 static_cast<word>(static_cast<std::uint32_t>(fabsf(from[i]) * 1e9f)) << 13;
}

//! Adds one, to as many elements as it is told: also to more than there are.
__global__ void increment(float* to, std::uint32_t size) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) to[i] = to[i] + 1.0f;
}

//! Thread `absent` does not come to the barrier.
__global__ void divergent_barrier(std::uint32_t absent, float* to) {
    if (threadIdx.x != absent) __syncthreads();
    to[threadIdx.x] = 1.0f;
}

//! Nor to the shuffle.
__global__ void divergent_shuffle(std::uint32_t absent, float* to) {
    const auto mine = static_cast<float>(threadIdx.x);
    if (threadIdx.x != absent) to[threadIdx.x] = __shfl_xor_sync(0xFFFFFFFFu, mine, 1);
}

//! What shared memory holds before a block wrote to it.
__global__ void unwritten_shared(std::uint32_t* to) {
    __shared__ std::uint32_t left[32];
    to[blockIdx.x * 32 + threadIdx.x] = left[threadIdx.x];
    left[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (left[31 - threadIdx.x] == 99u) to[0] = 0;
}

namespace {
// Not seen outside of its file, and mangled by nvcc in its own way.
template <class T>
__global__ void hidden(T* to) {
    to[threadIdx.x] = static_cast<T>(threadIdx.x * 2);
}
}  // namespace

}  // namespace bits
