// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! norm_kernel: the reading pass over the gradients, with the bits of train/grad_norm.hpp: blocks of 128 in
//! 16 lanes and a fixed tree, and an exact sum of the blocks, whose order does not matter.
#pragma once

#include <adamant/cuda/lane.hpp>
#include <adamant/train/grad_norm.hpp>

namespace adamant::inline v0::cuda {

namespace detail {

using atomic_word = unsigned long long;  // as atomicAdd has it

//! What a block of threads has found so far, in shared memory.
struct shared_statistics {
    atomic_word bins[exact_sum::bin_count];
    atomic_word largest_block;  //!< the word of a double that is not negative
    unsigned found_inf, found_nan;
};

__device__ inline void deposit(shared_statistics& found, double sum, bool in_norm) {
    if (!(sum <= largest_double)) {
        atomicOr(&found.found_inf, 1u);
        if (sum != sum) atomicOr(&found.found_nan, 1u);
    } else if (sum != 0) {
        atomicMax(&found.largest_block, __builtin_bit_cast(atomic_word, sum));
        if (!in_norm) return;
        const exact_sum::placed p = exact_sum::place(sum);
        const auto add = [&](unsigned bin, atomic_word digit) { atomicAdd(&found.bins[p.bin + bin], digit); };
        add(0, p.low & 0xFFFFFFFFu);
        add(1, p.low >> 32);
        add(2, p.high);
    }
}

//! The sum of squares of a block of the norm, to the first of its 16 threads.
template <class MainGrad, class Grad>
__device__ inline double sum_of_block(const Grad* grads, int count) {
    const int l = static_cast<int>(threadIdx.x) % block_lanes;
    double sum = 0;
#pragma unroll
    for (int first = 0; first < block_size; first += block_lanes)
        if (first + l < count) {
            const double g = main_grad<MainGrad>(grads[first + l]);
            sum = fused_multiply_add(g, g, sum);  // the square is exact: the bits are those of two operations
        }
#pragma unroll
    for (int half = block_lanes / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(all_threads_of_warp, sum, static_cast<unsigned>(half), block_lanes);
    return sum;
}

}  // namespace detail

//! Blocks of threads share the chunks: each brings what it has found into memory that all contend for, once.
template <class MainGrad, class Grad>
__global__ void __launch_bounds__(threads)
    norm_kernel(const __grid_constant__ tensor_table table, const chunk* chunks, int chunk_count,
                const tensor_entry* entries, grad_statistics* statistics) {
    __shared__ detail::shared_statistics found;
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < exact_sum::bin_count) found.bins[thread] = 0;
    if (thread == 0) found.largest_block = 0, found.found_inf = found.found_nan = 0;
    __syncthreads();

    static_assert(chunk_size == threads / block_lanes * block_size);
    const int first = thread / block_lanes * block_size;  // of the thread's block of the norm
    for (int i = static_cast<int>(blockIdx.x); i < chunk_count; i += static_cast<int>(gridDim.x)) {
        const chunk c = chunks[i];
        const auto* grads = static_cast<const Grad*>(table.grads[c.slot]) + c.begin + first;
        const double sum = detail::sum_of_block<MainGrad>(grads, c.count - first);
        if (thread % block_lanes == 0 && first < c.count)
            detail::deposit(found, sum, entries[c.slot].in_norm);
    }
    __syncthreads();

    if (thread == 0) {
        exact_sum::carry(found.bins);  // so that the sum over blocks cannot overflow
        if (found.found_inf != 0) statistics->found_inf = true;
        if (found.found_nan != 0) statistics->found_nan = true;
        atomicMax(reinterpret_cast<detail::atomic_word*>(&statistics->largest_block), found.largest_block);
    }
    __syncthreads();
    if (thread < exact_sum::bin_count && found.bins[thread] != 0)
        atomicAdd(reinterpret_cast<detail::atomic_word*>(statistics->sum_of_squares.bins() + thread),
                  found.bins[thread]);
}

}  // namespace adamant::inline v0::cuda
