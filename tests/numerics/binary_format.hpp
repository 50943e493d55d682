// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! binary_format: a 16-bit format as IEEE 754 describes it, in doubles; the right values of the conversions.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

struct binary_format {
    int exponent_bits;
    int mantissa_bits;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    int largest_exponent_field() const { return (1 << exponent_bits) - 1; }
    int infinity() const { return largest_exponent_field() << mantissa_bits; }
    bool is_nan(int code) const { return (code & 0x7FFF) > infinity(); }

    double value(int code) const {
        const int field = (code & 0x7FFF) >> mantissa_bits;
        const int mantissa = code & ((1 << mantissa_bits) - 1);
        double magnitude = field == 0
                               ? std::ldexp(mantissa, 1 - bias() - mantissa_bits)
                               : std::ldexp(mantissa + (1 << mantissa_bits), field - bias() - mantissa_bits);
        if (field == largest_exponent_field())
            magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity()
                                      : std::numeric_limits<double>::quiet_NaN();
        return (code & 0x8000) != 0 ? -magnitude : magnitude;
    }

    //! The value as the format holds it, where `round` makes whole numbers.
    double rounded(double value, double round(double)) const {
        if (std::isinf(value)) return value;
        const int exponent = std::max(std::ilogb(value), 1 - bias());
        const double unit = std::ldexp(1.0, exponent - mantissa_bits);
        const double result = round(value / unit) * unit;
        const bool overflow = std::abs(result) >= std::ldexp(1.0, bias() + 1);
        return overflow ? std::copysign(std::numeric_limits<double>::infinity(), value) : result;
    }
    double nearest_even(double value) const { return rounded(value, std::nearbyint); }
    double half_away(double value) const { return rounded(value, std::round); }

    //! What a float's NaN becomes: quiet, with its sign and the upper part of its payload.
    int quiet_nan(std::uint32_t word) const {
        const int sign = static_cast<int>(word >> 31) << 15;
        const int payload = static_cast<int>((word & 0x7FFFFFu) >> (23 - mantissa_bits));
        return sign | infinity() | (1 << (mantissa_bits - 1)) | payload;
    }
};

inline constexpr binary_format bfloat16_format{8, 7};
inline constexpr binary_format float16_format{5, 10};

inline bool is_nan_word(std::uint32_t word) { return (word & 0x7FFFFFFFu) > 0x7F800000u; }

//! Equality that tells +0 from -0.
inline bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
