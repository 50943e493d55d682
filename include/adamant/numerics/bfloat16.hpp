// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bfloat16: the upper half of a float, with the bits of CUDA's __nv_bfloat16.
#pragma once

#include <cstdint>

#include <adamant/numerics/float_bits.hpp>

namespace adamant::inline v0 {

struct bfloat16 {
    std::uint16_t bits;

    //! Equality of bits: NaN equals itself, +0 and -0 differ.
    friend constexpr bool operator==(bfloat16, bfloat16) = default;
};

ADAMANT_HOST_DEVICE constexpr float to_float(bfloat16 value) {
    return from_bits(std::uint32_t{value.bits} << 16);
}

//! Nearest, ties to even. A NaN stays a NaN: quiet, with its sign and the upper part of its payload.
ADAMANT_HOST_DEVICE constexpr bfloat16 to_bfloat16(float value) {
    const std::uint32_t bits = to_bits(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<std::uint16_t>((bits >> 16) | 0x0040u)};
    return {static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

}  // namespace adamant::inline v0
