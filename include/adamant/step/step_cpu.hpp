// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! step_cpu: Adam's update of a chunk of a tensor on the CPU, by the best kernel that the machine has. All
//! give the same bits.
#pragma once

#include <cstdint>

#include <adamant/step/simd/instruction_set.hpp>
#include <adamant/step/step_scalar.hpp>
#if defined(ADAMANT_HAS_SIMD)
#include <adamant/step/simd/avx2.hpp>
#include <adamant/step/simd/avx512.hpp>
#endif

namespace adamant::inline v0 {

//! Updates elements [begin, end) of a tensor; begin is a multiple of group_size.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void update_chunk(const step_streams<Weight, Grad, ExpAvg, ExpAvgSq>& streams, std::int64_t begin,
                  std::int64_t end, const step_constants& constants) {
#if defined(ADAMANT_HAS_SIMD)
    if constexpr (avx2::vectorised<Weight, slot::main_params> && avx2::vectorised<ExpAvg, slot::exp_avg> &&
                  avx2::vectorised<ExpAvgSq, slot::exp_avg_sq>)
        switch (active_instruction_set()) {
            case instruction_set::avx512:
                return avx512::update_chunk<MainGrad>(streams, begin, end, constants);
            case instruction_set::avx2: return avx2::update_chunk<MainGrad>(streams, begin, end, constants);
            case instruction_set::generic: break;
        }
#endif
    update_chunk_scalar<MainGrad>(streams, begin, end, constants);
}

}  // namespace adamant::inline v0
