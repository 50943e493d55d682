// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! remainder16: an fp32 value as a bf16 weight and the 16 bits it lacks, without loss (Megatron-Core
//! calls it store_param_remainders).
#pragma once

#include <cstdint>

#include <adamant/numerics/codec.hpp>

namespace adamant::inline v0 {

struct remainder16_pair {
    bfloat16 weight;
    std::int16_t remainder;

    friend constexpr bool operator==(remainder16_pair, remainder16_pair) = default;
};

//! The weight is the value rounded half away from zero, which differs from nearest-even on exact ties:
//! a pair must never be built from an RNE cast plus the low bits. NaN becomes the quiet NaN of its sign,
//! else a carry would turn 0x7FFFFFFF into -0.
ADAMANT_HOST_DEVICE constexpr remainder16_pair split_remainder16(float value) {
    std::uint32_t bits = to_bits(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) bits = (bits & 0x80000000u) | 0x7FC00000u;
    const auto low = static_cast<std::int16_t>(bits & 0xFFFFu);
    return {{static_cast<std::uint16_t>((bits >> 16) + (low < 0 ? 1u : 0u))}, low};
}

ADAMANT_HOST_DEVICE constexpr float join_remainder16(bfloat16 weight, std::int16_t remainder) {
    const std::uint32_t high = std::uint32_t{weight.bits} - (remainder < 0 ? 1u : 0u);
    return from_bits((high << 16) | static_cast<std::uint16_t>(remainder));
}

//! bf16 weights whose missing 16 bits are the state.
struct remainder16_codec : master_codec<remainder16_codec, bfloat16, std::int16_t> {
    static constexpr rounding how = rounding::exact;

    static ADAMANT_KERNEL_INLINE float decode(bfloat16 weight, std::int16_t remainder, std::uint8_t) {
        return join_remainder16(weight, remainder);
    }
    static ADAMANT_KERNEL_INLINE encoded encode(float value, std::uint8_t, std::uint32_t) {
        const remainder16_pair pair = split_remainder16(value);
        return {pair.weight, pair.remainder};
    }
    static ADAMANT_KERNEL_INLINE std::int16_t master_of(float, std::uint8_t, std::uint32_t) { return 0; }
};

}  // namespace adamant::inline v0
