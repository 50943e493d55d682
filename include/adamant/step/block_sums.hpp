// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! block_sums: sums of squares of gradients in blocks of 128, with the same bits from every kernel: element i
//! in lane i mod 16, in double, and the lanes in a fixed tree. Squares of floats are exact in double.
#pragma once

#include <cstdint>

#include <adamant/step/step_cpu.hpp>

namespace adamant::inline v0 {

//! Calls take with the sum of each of so many whole blocks, and returns it. What it does beside the sums'
//! vectors costs little: so it is part of the loop.
template <class MainGrad, class Grad, class Take>
Take block_sums(const Grad* grads, std::int64_t blocks, Take take) {
#if defined(ADAMANT_HAS_SIMD)
    switch (active_instruction_set()) {
#if defined(__x86_64__)
        case instruction_set::avx512: return avx512::block_sums<MainGrad>(grads, blocks, take);
        case instruction_set::avx2: return avx2::block_sums<MainGrad>(grads, blocks, take);
#else
        case instruction_set::neon: return neon::block_sums<MainGrad>(grads, blocks, take);
#endif
        default: break;
    }
#endif
    for (std::int64_t block = 0; block < blocks; ++block)
        take(block_sum_scalar<MainGrad>(grads + block * block_size, block_size));
    return take;
}

}  // namespace adamant::inline v0
