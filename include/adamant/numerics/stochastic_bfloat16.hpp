// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! stochastic_bfloat16: bf16 rounded up with a probability equal to the distance, so that the mean is right.
#pragma once

#include <cstdint>

#include <adamant/numerics/codec.hpp>

namespace adamant::inline v0 {

//! `random` is a uniform 16-bit word. Exact values never move; NaN and infinity are as to nearest; what is
//! too large stays at the largest finite value.
ADAMANT_HOST_DEVICE constexpr bfloat16 to_bfloat16_stochastic(float value, std::uint32_t random) {
    const std::uint32_t bits = to_bits(value);
    if ((bits & 0x7FFFFFFFu) >= 0x7F800000u) return to_bfloat16(value);
    const std::uint32_t rounded_up = bits + random;
    if ((rounded_up & 0x7FFFFFFFu) >= 0x7F800000u)
        return {static_cast<std::uint16_t>(((bits >> 16) & 0x8000u) | 0x7F7Fu)};
    return {static_cast<std::uint16_t>(rounded_up >> 16)};
}

//! A moment.
struct stochastic_bfloat16_codec : moment_codec<stochastic_bfloat16_codec, bfloat16> {
    static constexpr rounding how = rounding::stochastic;

    static ADAMANT_KERNEL_INLINE float decode(bfloat16 code, std::uint8_t) { return to_float(code); }
    static ADAMANT_KERNEL_INLINE bfloat16 encode(float value, std::uint8_t, std::uint32_t random) {
        return to_bfloat16_stochastic(value, random);
    }
};

//! A weight without a master.
struct stochastic_weight_codec : master_codec<stochastic_weight_codec, bfloat16, void> {
    static constexpr rounding how = rounding::stochastic;

    static ADAMANT_KERNEL_INLINE float decode(bfloat16 weight, char, std::uint8_t) {
        return to_float(weight);
    }
    static ADAMANT_KERNEL_INLINE encoded encode(float value, std::uint8_t, std::uint32_t random) {
        return {to_bfloat16_stochastic(value, random)};
    }
};

}  // namespace adamant::inline v0
