// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! group_format: short floats with a shared power of two as the design defines them, in doubles; the right
//! values of the group codecs, which work in integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <numerics/rounded_words.hpp>

struct group_format {
    bool is_signed;
    int mantissa_bits;
    int bias;            //!< of the exponent field, below the scale
    double largest;      //!< at scale 127
    int smallest_scale;  //!< of a group that is not zeros
    int code_bits = 8;
    bool keeps_non_zero = false;

    //! Where a magnitude lies: `fraction` of the way from this code to the next.
    struct place {
        int code;
        double fraction;
    };

    constexpr int sign_bit() const { return is_signed ? 1 << (code_bits - 1) : 0; }
    constexpr double smallest_normal() const { return two_to(1 - bias); }
    //! That of groups whose largest element is 2^126.
    constexpr int largest_scale() const { return scale(two_to(126)); }
    int largest_code() const { return find(largest, 127).code; }

    //! The decoded value.
    double value(int code, int scale) const {
        if (scale == 0) return 0;
        const int magnitude = is_signed ? code & (sign_bit() - 1) : code;
        const int field = magnitude >> mantissa_bits, mantissa = magnitude & ((1 << mantissa_bits) - 1);
        const int exponent = scale - 127 - bias - mantissa_bits;
        double result = std::ldexp(mantissa + (1 << mantissa_bits), field + exponent);
        if (is_signed && field == 0) result = std::ldexp(mantissa, 1 + exponent);
        if (!is_signed && code == 0) result = 0;
        return (code & sign_bit()) != 0 ? -result : result;
    }

    //! What overflowed is held at 2^126.
    static double magnitude(float x) {
        return std::isnan(x) ? two_to(126) : std::min(std::abs(double{x}), two_to(126));
    }

    //! The smallest scale byte at which the largest magnitude of a group does not saturate.
    constexpr int scale(double largest_magnitude) const {
        if (largest_magnitude == 0) return 0;
        int result = std::max(exponent_of(largest_magnitude) - exponent_of(largest) + 127, smallest_scale);
        while (largest * two_to(result - 127) < largest_magnitude) ++result;
        return result;
    }

    place find(double magnitude, int scale) const {
        double t = magnitude * two_to(127 - scale);
        if (is_signed && t < smallest_normal()) {
            // The definition has one rounding of its own: an addition in fp32.
            t = double{static_cast<float>(t + smallest_normal())} - smallest_normal();
        }
        const int lowest = is_signed ? 1 - bias : -bias;
        if (!is_signed && t < two_to(lowest)) return {0, 0};
        const int exponent = t < two_to(lowest) ? lowest : exponent_of(t);
        const double units = t * two_to(mantissa_bits - exponent);
        const int whole = static_cast<int>(units);
        // An unsigned format has no subnormals: its field 0 is an exponent like the others.
        const int fields = exponent - lowest - (is_signed ? 0 : 1);
        return {(fields << mantissa_bits) + whole, units - whole};
    }

    //! Up or down, the floor under what is not zero, and the sign.
    int finish(place at, bool up, float x) const {
        int code = at.code + (up ? 1 : 0);
        if (!is_signed || keeps_non_zero) code = std::max(code, 1);
        if (x == 0) code = 0;
        return code | (code != 0 && std::signbit(x) ? sign_bit() : 0);
    }
    int nearest(place at, float x) const {
        return finish(at, at.fraction > 0.5 || (at.fraction == 0.5 && at.code % 2 != 0), x);
    }
    int stochastic(place at, float x, std::uint32_t random) const {
        const int dropped = 23 - mantissa_bits;
        // In steps of the dropped bits where they are fewer than the random ones, else halfway between two.
        const double added = dropped > 16 ? (random + 0.5) / 65536
                                          : std::floor(random / two_to(16 - dropped)) / two_to(dropped);
        return finish(at, at.fraction + added >= 1, x);
    }
};

//! OCP MX e4m3: no infinity, the last code is NaN and never written.
inline constexpr group_format e4m3_format{true, 3, 7, 448, 32};
inline constexpr group_format e3m4_format{true, 4, 3, 31, 32};
inline constexpr group_format half_format{true, 10, 15, 65504, 32, 16};
inline constexpr group_format half_sq_format{true, 10, 15, 65504, 32, 16, true};
inline constexpr group_format ue5m3_format{false, 3, 31, 1.875, 32};
inline constexpr group_format ue4m4_format{false, 4, 15, 1.9375, 16};
