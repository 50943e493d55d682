// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! f16 and bf16 as bits, converted as PTX's cvt.rn does: to nearest even, NaN becomes 0x7FFF.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace emulated_cuda::ptx {

inline std::uint16_t bf16_from(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return 0x7FFF;
    return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

inline float float_from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

//! By the value alone: multiples of the ulp that its binade has, rounded by nearbyint.
inline std::uint16_t f16_from(float value) {
    if (std::isnan(value)) return 0x7FFF;
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const double magnitude = std::fabs(double{value});
    if (magnitude >= 65520)
        return static_cast<std::uint16_t>(sign | 0x7C00);  // half an ulp above the largest
    const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
    const double ulps =
        std::nearbyint(std::ldexp(magnitude, 10 - exponent));  // 1024 to 2048, less if subnormal
    return static_cast<std::uint16_t>(sign | (static_cast<int>(ulps) + ((exponent + 14) << 10)));
}

inline float float_from_f16(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
    if (exponent == 31) return fraction != 0 ? std::bit_cast<float>(0x7FFFFFFFu) : sign * INFINITY;
    const int implicit = exponent == 0 ? 0 : 1024;
    return sign * std::ldexp(static_cast<float>(implicit + fraction), (exponent == 0 ? 1 : exponent) - 25);
}

}  // namespace emulated_cuda::ptx
