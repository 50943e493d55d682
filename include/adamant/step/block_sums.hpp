// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! block_sums: sums of squares of gradients in blocks of 128, with the same bits from every kernel: element i
//! in lane i mod 16, in double, and the lanes in a fixed tree. Squares of floats are exact in double.
#pragma once

#include <cstdint>

#include <adamant/step/step_cpu.hpp>

namespace adamant::inline v0 {

//! The sums of whole blocks.
template <class MainGrad, class Grad>
void block_sums(const Grad* grads, int blocks, double* sums) {
#if defined(ADAMANT_HAS_SIMD)
    switch (active_instruction_set()) {
#if defined(__x86_64__)
        case instruction_set::avx512: return avx512::block_sums<MainGrad>(grads, blocks, sums);
        case instruction_set::avx2: return avx2::block_sums<MainGrad>(grads, blocks, sums);
#else
        case instruction_set::neon: return neon::block_sums<MainGrad>(grads, blocks, sums);
#endif
        default: break;
    }
#endif
    for (int block = 0; block < blocks; ++block)
        sums[block] = block_sum_scalar<MainGrad>(grads + block * block_size, block_size);
}

}  // namespace adamant::inline v0
