// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A float cut to fewer significant bits as the design defines stochastic bf16 and remainder8, in doubles.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

//! 2^exponent, and the exponent of normal doubles, without the library's calls: sweeps are long.
constexpr double two_to(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}
constexpr int exponent_of(double value) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) - 1023;
}

//! One in the last place of a float's value with so many significant bits, subnormals included.
inline double unit_of(double value, int significant_bits) {
    return two_to(std::max(exponent_of(std::abs(value)), -126) - (significant_bits - 1));
}

//! The largest finite value of so many significant bits.
inline double largest_of(int significant_bits) { return two_to(128) - two_to(128 - significant_bits); }

//! Away from zero with what `added` (below 1) brings to a whole; never beyond the largest finite value.
inline double cut(double value, int significant_bits, double added) {
    const double unit = unit_of(value, significant_bits);
    const double magnitude = std::floor(std::abs(value) / unit + added) * unit;
    return std::copysign(std::min(magnitude, largest_of(significant_bits)), value);
}
inline double cut_to_nearest(double value, int significant_bits) {
    const double unit = unit_of(value, significant_bits);
    const double magnitude = std::nearbyint(std::abs(value) / unit) * unit;
    return std::copysign(std::min(magnitude, largest_of(significant_bits)), value);
}

inline double stochastic_bfloat16_value(float value, std::uint32_t random) {
    return std::isfinite(value) ? cut(value, 8, random / 65536.0) : double{value};
}
inline double stochastic_remainder8_value(float value, std::uint32_t random) {
    return std::isfinite(value) ? cut(value, 16, std::floor(random / 256.0) / 256.0) : double{value};
}
inline double nearest_remainder8_value(float value) {
    return std::isfinite(value) ? cut_to_nearest(value, 16) : double{value};
}

//! Random words at the ends and in the middle.
inline constexpr std::uint32_t some_random[] = {0, 1, 0x7FFF, 0x8000, 0xFFFF};
