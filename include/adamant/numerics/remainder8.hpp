// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! remainder8: a bf16 weight and 8 of the bits it lacks, together a float of 24 bits.
#pragma once

#include <cstdint>

#include <adamant/numerics/codec.hpp>

namespace adamant::inline v0 {

struct remainder8_pair {
    bfloat16 weight;
    std::int8_t remainder;

    friend constexpr bool operator==(remainder8_pair, remainder8_pair) = default;
};

//! The low 8 bits are rounded away, to nearest or up with `random`, a uniform 16-bit word; what is too large
//! stays at the largest. NaN becomes the quiet NaN of its sign.
template <rounding How>
ADAMANT_HOST_DEVICE constexpr remainder8_pair split_remainder8(float value, std::uint32_t random) {
    constexpr std::uint32_t largest = 0x7F7FFF00u;
    std::uint32_t bits = to_bits(value);
    const std::uint32_t sign = bits & 0x80000000u, magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) bits = sign | 0x7FC00000u;
    if (magnitude < 0x7F800000u) {
        bits += How == rounding::stochastic ? random >> 8 : 0x7Fu + ((bits >> 8) & 1u);
        if ((bits & 0x7FFFFF00u) > largest) bits = sign | largest;
    }
    const auto low = static_cast<std::int16_t>(bits & 0xFF00u);
    return {{static_cast<std::uint16_t>((bits >> 16) + (low < 0 ? 1u : 0u))},
            static_cast<std::int8_t>(low >> 8)};
}

ADAMANT_HOST_DEVICE constexpr float join_remainder8(bfloat16 weight, std::int8_t remainder) {
    const std::uint32_t high = std::uint32_t{weight.bits} - (remainder < 0 ? 1u : 0u);
    return from_bits((high << 16) | (std::uint32_t{static_cast<std::uint8_t>(remainder)} << 8));
}

//! bf16 weights with 8 more bits as state.
template <rounding How>
struct remainder8_codec : master_codec<remainder8_codec<How>, bfloat16, std::int8_t> {
    static constexpr rounding how = How;

    static ADAMANT_KERNEL_INLINE float decode(bfloat16 weight, std::int8_t remainder, std::uint8_t) {
        return join_remainder8(weight, remainder);
    }
    static ADAMANT_KERNEL_INLINE encoded_weight<bfloat16, std::int8_t> encode(float value, std::uint8_t,
                                                                              std::uint32_t random) {
        const remainder8_pair pair = split_remainder8<How>(value, random);
        return {pair.weight, pair.remainder};
    }
    static ADAMANT_KERNEL_INLINE std::int8_t master_of(float, std::uint8_t, std::uint32_t) { return 0; }
};

}  // namespace adamant::inline v0
