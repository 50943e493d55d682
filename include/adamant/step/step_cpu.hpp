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
#include <adamant/step/simd/neon.hpp>
#endif

namespace adamant::inline v0 {

#if defined(ADAMANT_HAS_SIMD) && defined(__x86_64__)
namespace vectors = avx2;  // a codec has a form for every width or for none
#elif defined(ADAMANT_HAS_SIMD)
namespace vectors = neon;
#endif

//! Updates elements [begin, end) of a tensor; begin is a multiple of group_size.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void update_chunk(const step_streams<Weight, Grad, ExpAvg, ExpAvgSq>& streams, std::int64_t begin,
                  std::int64_t end, const step_constants& constants) {
#if defined(ADAMANT_HAS_SIMD)
    if constexpr (vectors::vectorised<Weight, slot::main_params> &&
                  vectors::vectorised<ExpAvg, slot::exp_avg> &&
                  vectors::vectorised<ExpAvgSq, slot::exp_avg_sq>)
        switch (active_instruction_set()) {
#if defined(__x86_64__)
            case instruction_set::avx512:
                return avx512::update_chunk<MainGrad>(streams, begin, end, constants);
            case instruction_set::avx2: return avx2::update_chunk<MainGrad>(streams, begin, end, constants);
#else
            case instruction_set::neon: return neon::update_chunk<MainGrad>(streams, begin, end, constants);
#endif
            default: break;
        }
#endif
    update_chunk_scalar<MainGrad>(streams, begin, end, constants);
}

}  // namespace adamant::inline v0
