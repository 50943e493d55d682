// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! float16: IEEE 754 binary16, with the bits of CUDA's __half.
#pragma once

#include <cstdint>

#include <adamant/numerics/float_bits.hpp>

namespace adamant::inline v0 {

struct float16 {
    std::uint16_t bits;

    //! Equality of bits: NaN equals itself, +0 and -0 differ.
    friend constexpr bool operator==(float16, float16) = default;
};

// Integers only, so that the conversions are constexpr and do not depend on a flush-to-zero mode.

ADAMANT_HOST_DEVICE constexpr float to_float(float16 value) {
    const std::uint32_t sign = std::uint32_t{value.bits & 0x8000u} << 16;
    const std::uint32_t exponent = (value.bits >> 10) & 0x1Fu;
    const std::uint32_t mantissa = value.bits & 0x3FFu;
    if (exponent == 0x1F) {
        const std::uint32_t quiet = mantissa != 0 ? 0x400000u : 0u;
        return from_bits(sign | 0x7F800000u | quiet | (mantissa << 13));
    }
    if (exponent != 0) return from_bits(sign | ((exponent + 112) << 23) | (mantissa << 13));
    return from_bits(sign | to_bits(static_cast<float>(mantissa) * 0x1p-24f));  // exact: a normal float
}

//! Nearest, ties to even; overflow becomes infinity. A NaN stays a NaN: quiet, sign and upper payload kept.
ADAMANT_HOST_DEVICE constexpr float16 to_float16(float value) {
    const std::uint32_t bits = to_bits(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    const auto make = [sign](std::uint32_t code) { return float16{static_cast<std::uint16_t>(sign | code)}; };
    if (magnitude > 0x7F800000u) return make(0x7E00u | ((magnitude >> 13) & 0x3FFu));
    if (magnitude >= 0x477FF000u) return make(0x7C00u);  // 65520, halfway past the largest half
    if (magnitude >= 0x38800000u) {                      // 2^-14, the smallest normal half
        const std::uint32_t rebased = magnitude - 0x38000000u;
        return make((rebased + 0xFFFu + ((rebased >> 13) & 1u)) >> 13);
    }
    if (magnitude <= 0x33000000u) return make(0);  // 2^-25, halfway to the smallest subnormal: ties to zero
    const std::uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
    const std::uint32_t shift = 126 - (magnitude >> 23);  // a half's unit is 2^-24
    const std::uint32_t half = 1u << (shift - 1);
    return make((mantissa + half - 1 + ((mantissa >> shift) & 1u)) >> shift);
}

}  // namespace adamant::inline v0
