// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! minifloat: groups of 32 values as short floats with a shared power of two, in integers only.
//!
//! unsigned_minifloat holds exp_avg_sq itself, not its root; signed_minifloat holds exp_avg, and halves. The
//! grids are nested powers of two: a falling scale re-encodes exactly, and decode then encode never changes a
//! value. A group of zeros has scale byte 0, which decodes to +0.
#pragma once

#include <cstdint>
#include <limits>

#include <adamant/numerics/codec.hpp>
#include <adamant/numerics/drop_bits.hpp>

namespace adamant::inline v0 {

//! Eight bits, no sign, MantissaBits of mantissa: u-e5m3 (3) reaches far within a group, u-e4m4 (4) has half
//! the noise. Below its range an element sits on code 1: damped, never exploding.
template <int MantissaBits, rounding How>
struct unsigned_minifloat {
    using code = std::uint8_t;
    static constexpr rounding how = How;
    static constexpr int shift = 23 - MantissaBits;
    static constexpr int exponents = (1 << (8 - MantissaBits)) - 1;

    static ADAMANT_HOST_DEVICE constexpr std::uint8_t scale(std::uint32_t largest) {
        if (largest == 0) return 0;
        return static_cast<std::uint8_t>(
            larger((largest + (1u << shift) - 1) >> 23, std::uint32_t{exponents + 1}));
    }
    //! A value that is not zero never encodes to zero.
    static ADAMANT_HOST_DEVICE constexpr code encode(float value, std::uint8_t scale, std::uint32_t random) {
        const std::uint32_t magnitude = magnitude_word(value);
        if (magnitude == 0) return 0;
        const int dropped = static_cast<int>(drop_bits<How>(magnitude, shift, random)) - base(scale);
        return static_cast<code>(larger(dropped, 1));
    }
    static ADAMANT_HOST_DEVICE constexpr float decode(code c, std::uint8_t scale) {
        return c == 0 || scale == 0 ? 0.0f : from_bits(static_cast<std::uint32_t>(c + base(scale)) << shift);
    }

private:
    static ADAMANT_HOST_DEVICE constexpr int base(std::uint8_t scale) {
        return (scale - exponents) * (1 << MantissaBits);
    }
};

//! A sign, an exponent with Bias and MantissaBits of mantissa; the largest value is LargestMantissa (23 bits)
//! times 2^LargestExponent, and the scale byte X stands for 2^(X-127), so that nothing saturates.
//! e4m3 (OCP MX), e3m4 and half are the instances below.
template <class Code, int MantissaBits, int Bias, int LargestExponent, std::uint32_t LargestMantissa,
          bool KeepNonZero, rounding How>
struct signed_minifloat {
    using code = Code;
    static constexpr rounding how = How;
    static constexpr int shift = 23 - MantissaBits;
    static constexpr std::uint32_t sign_bit = 1u << (std::numeric_limits<Code>::digits - 1);

    static ADAMANT_HOST_DEVICE constexpr std::uint8_t scale(std::uint32_t largest) {
        if (largest == 0) return 0;
        const int above = (largest & 0x7FFFFFu) > LargestMantissa ? 1 : 0;
        return static_cast<std::uint8_t>(
            larger(static_cast<int>(largest >> 23) - LargestExponent + above, 32));
    }
    static ADAMANT_HOST_DEVICE constexpr code encode(float value, std::uint8_t scale, std::uint32_t random) {
        const std::uint32_t magnitude = magnitude_word(value);
        if (scale == 0 || magnitude == 0) return 0;
        // Adding the smallest normal value brings subnormals into place without fp32 subnormals, which cost a
        // factor of two on CPUs.
        constexpr float smallest_normal = from_bits(static_cast<std::uint32_t>(128 - Bias) << 23);
        const float scaled =
            exact_product(from_bits(magnitude), from_bits(static_cast<std::uint32_t>(254 - scale) << 23));
        const auto as_normal = static_cast<std::int32_t>(to_bits(scaled));
        const auto as_subnormal = static_cast<std::int32_t>(to_bits(scaled + smallest_normal)) - (1 << 23);
        const std::int32_t units =
            larger(as_normal, as_subnormal) - (static_cast<std::int32_t>(127 - Bias) << 23);
        std::uint32_t c = drop_bits<How>(static_cast<std::uint32_t>(units), shift, random);
        if constexpr (KeepNonZero) c = larger(c, 1u);
        return static_cast<code>(c == 0 ? 0 : c | (to_bits(value) >> 31 != 0 ? sign_bit : 0));
    }
    static ADAMANT_HOST_DEVICE constexpr float decode(code c, std::uint8_t scale) {
        if (scale == 0) return 0.0f;
        const std::uint32_t magnitude = c & (sign_bit - 1);
        const int exponent = static_cast<int>(magnitude >> MantissaBits);
        const std::uint32_t mantissa = magnitude & ((1u << MantissaBits) - 1);
        const float value =
            exponent != 0
                ? from_bits((static_cast<std::uint32_t>(exponent + scale - Bias) << 23) | (mantissa << shift))
                : static_cast<float>(mantissa) *
                      from_bits(static_cast<std::uint32_t>(scale - Bias + 1 - MantissaBits) << 23);
        return (c & sign_bit) != 0 ? -value : value;
    }
};

template <rounding How>
using ue5m3 = unsigned_minifloat<3, How>;
template <rounding How>
using ue4m4 = unsigned_minifloat<4, How>;
template <rounding How>
using e4m3 = signed_minifloat<std::uint8_t, 3, 7, 8, 0x600000u, false, How>;
template <rounding How>
using e3m4 = signed_minifloat<std::uint8_t, 4, 3, 4, 0x780000u, false, How>;
template <rounding How>
using scaled_half = signed_minifloat<std::uint16_t, 10, 15, 15, 0x7FE000u, false, How>;
//! For exp_avg_sq: a value that is not zero never encodes to zero.
template <rounding How>
using scaled_half_sq = signed_minifloat<std::uint16_t, 10, 15, 15, 0x7FE000u, true, How>;

//! A moment in groups of a minifloat.
template <class Format>
struct group_codec : moment_codec<group_codec<Format>, typename Format::code>, Format {
    static constexpr bool has_scales = true;
};

//! Weights of type T with a master in scaled halves (Megatron-Core's main_params_dtype fp16). The weight is
//! the stored master, rounded: the two never disagree.
template <class T, rounding How>
struct half_master_codec : master_codec<half_master_codec<T, How>, T, typename scaled_half<How>::code> {
    using half = scaled_half<How>;
    static constexpr bool has_scales = true;
    static constexpr rounding how = How;

    static ADAMANT_HOST_DEVICE constexpr std::uint8_t scale(std::uint32_t largest) {
        return half::scale(largest);
    }
    static ADAMANT_KERNEL_INLINE float decode(T, typename half::code master, std::uint8_t scale) {
        return half::decode(master, scale);
    }
    static ADAMANT_KERNEL_INLINE encoded_weight<T, typename half::code> encode(float value,
                                                                               std::uint8_t scale,
                                                                               std::uint32_t random) {
        const auto master = half::encode(value, scale, random);
        return {round_to<T>(half::decode(master, scale)), master};
    }
    static ADAMANT_KERNEL_INLINE typename half::code master_of(float value, std::uint8_t scale,
                                                               std::uint32_t random) {
        return half::encode(value, scale, random);
    }
};

}  // namespace adamant::inline v0
