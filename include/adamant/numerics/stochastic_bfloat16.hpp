// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! stochastic_bfloat16: bf16 rounded up with a probability equal to the distance, so that the mean is right.
#pragma once

#include <cstdint>

#include <adamant/numerics/codec.hpp>

namespace adamant::inline v0 {

//! `random` is a uniform 16-bit word. Exact values never move; NaN and infinity are as to nearest; what is
//! too large stays at the largest finite value.
constexpr bfloat16 to_bfloat16_stochastic(float value, std::uint32_t random) {
    const std::uint32_t bits = to_bits(value);
    if ((bits & 0x7FFFFFFFu) >= 0x7F800000u) return to_bfloat16(value);
    const std::uint32_t rounded_up = bits + random;
    if ((rounded_up & 0x7FFFFFFFu) >= 0x7F800000u)
        return {static_cast<std::uint16_t>(((bits >> 16) & 0x8000u) | 0x7F7Fu)};
    return {static_cast<std::uint16_t>(rounded_up >> 16)};
}

//! A moment.
struct stochastic_bfloat16_codec {
    using stored = bfloat16;
    using view = coded<bfloat16>;
    static constexpr bool has_scales = false;
    static constexpr rounding how = rounding::stochastic;

    static ADAMANT_ALWAYS_INLINE void load(view v, std::int64_t first, int count, float* out) {
        plain_codec<bfloat16>::load(v, first, count, out);
    }
    template <class Noise>
    static ADAMANT_ALWAYS_INLINE void store(view v, std::int64_t first, int count, const float* values,
                                            const Noise& noise) {
        for (int i = 0; i < count; ++i) v.codes[first + i] = to_bfloat16_stochastic(values[i], noise(i));
    }
};

//! A weight without a master.
struct stochastic_weight_codec {
    using weight = bfloat16;
    using stored = void;
    using view = mastered<bfloat16, char>;
    static constexpr bool has_scales = false;
    static constexpr rounding how = rounding::stochastic;

    static ADAMANT_ALWAYS_INLINE void load(view v, std::int64_t first, int count, float* out) {
        plain_codec<bfloat16>::load(v.weights, first, count, out);
    }
    template <class Noise>
    static ADAMANT_ALWAYS_INLINE void store(view v, std::int64_t first, int count, const float* values,
                                            const Noise& noise) {
        stochastic_bfloat16_codec::store(v.weights, first, count, values, noise);
    }
    template <class Noise>
    static void start(view, std::int64_t, int, const Noise&) {}
};

}  // namespace adamant::inline v0
