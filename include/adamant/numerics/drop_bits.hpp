// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! drop_bits: the low bits of a word rounded away, to nearest or stochastically, in integers.
#pragma once

#include <cstdint>

#include <adamant/numerics/rounding.hpp>

namespace adamant::inline v0 {

//! `value` without its `count` low bits (1 to 31; more leave 0), `random` a uniform 16-bit word. Stochastic
//! rounding adds less than a unit, centred where there are more bits than random ones: exact values never
//! move.
template <rounding How>
ADAMANT_HOST_DEVICE constexpr std::uint32_t drop_bits(std::uint32_t value, int count, std::uint32_t random) {
    if (count > 31) return 0;
    if constexpr (How == rounding::nearest)
        return (value + (1u << (count - 1)) - 1 + ((value >> count) & 1u)) >> count;
    const std::uint32_t added =
        count > 16 ? (random << (count - 16)) | (1u << (count - 17)) : random >> (16 - count);
    return (value + added) >> count;
}

}  // namespace adamant::inline v0
