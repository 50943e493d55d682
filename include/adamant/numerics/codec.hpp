// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! codec: how a group of stored values becomes fp32 and is stored again. What all codecs share, and those
//! without a scale: plain values, weights that are their own master, weights with an fp32 master.
//!
//! A moment's codec says what an element is, and inherits the rest from moment_codec:
//!   stored                         the element it keeps in the optimizer's state
//!   has_scales, scale(largest)     whether it keeps a scale byte per group, and which, by the group's
//!                                  largest magnitude_word
//!   how                            its rounding; only a stochastic one asks for noise
//!   decode(code, scale)            the value; scale is 0 where there is none
//!   encode(value, scale, random)   the code; random is a uniform 16-bit word
//! A weight's codec inherits from master_codec; the element beside its weight is the master:
//!   weight, stored                 both elements; stored is void where it keeps none
//!   decode(weight, master, scale)
//!   encode(value, scale, random)   the encoded_weight: both
//!   master_of(value, scale, random)   the master that says what a weight of this value says
#pragma once

#include <cstdint>
#include <type_traits>

#include <adamant/numerics/arithmetic.hpp>
#include <adamant/numerics/noise.hpp>
#include <adamant/numerics/rounding.hpp>

namespace adamant::inline v0 {

//! Elements that a step handles together; group scales and random words are keyed to groups of this size.
inline constexpr int group_size = 32;

//! Stored elements and, where a codec has them, the scale bytes of their groups.
template <class Code>
struct coded {
    Code* codes = nullptr;
    std::uint8_t* scales = nullptr;

    constexpr coded() = default;
    ADAMANT_HOST_DEVICE constexpr coded(Code* elements,  // NOLINT(google-explicit-constructor)
                                        std::uint8_t* bytes = nullptr)
        : codes(elements), scales(bytes) {}
};

//! Weights and what is kept beside them.
template <class Weight, class Code>
struct mastered {
    Weight* weights = nullptr;
    coded<Code> masters{};
};

//! The magnitude of a value as a word, at most 2^126: what overflowed is clamped.
ADAMANT_HOST_DEVICE constexpr std::uint32_t magnitude_word(float value) {
    return smaller(to_bits(value) & 0x7FFFFFFFu, 0x7E800000u);
}

namespace detail {

template <class Codec, class Code>
ADAMANT_KERNEL_INLINE std::uint8_t stored_scale(coded<Code> v, std::int64_t first) {
    if constexpr (Codec::has_scales) return v.scales[first / group_size];
    else return 0;
}

//! The scale of a group that is about to be stored, which it stores.
template <class Codec, class Code>
ADAMANT_KERNEL_INLINE std::uint8_t new_scale(coded<Code> v, std::int64_t first, int count,
                                             const float* values) {
    if constexpr (Codec::has_scales) {
        std::uint32_t largest = 0;
        for (int i = 0; i < count; ++i) largest = larger(largest, magnitude_word(values[i]));
        return v.scales[first / group_size] = Codec::scale(largest);
    } else {
        return 0;
    }
}

}  // namespace detail

//! Loads and stores up to group_size elements from index `first`, a multiple of group_size where the codec
//! has scales; noise(e) is the random word of element e of the group.
template <class Codec, class Stored>
struct moment_codec {
    using stored = Stored;
    using view = coded<Stored>;
    static constexpr bool has_scales = false;

    static ADAMANT_KERNEL_INLINE void load(view v, std::int64_t first, int count, float* out) {
        const std::uint8_t scale = detail::stored_scale<Codec>(v, first);
        for (int i = 0; i < count; ++i) out[i] = Codec::decode(v.codes[first + i], scale);
    }
    template <class Noise = no_noise>
    static ADAMANT_KERNEL_INLINE void store(view v, std::int64_t first, int count, const float* values,
                                            const Noise& noise = {}) {
        const std::uint8_t scale = detail::new_scale<Codec>(v, first, count, values);
        for (int i = 0; i < count; ++i) v.codes[first + i] = Codec::encode(values[i], scale, noise(i));
    }
};

//! What a weight's codec makes of a value. A codec without masters leaves `master` as it is.
template <class Weight, class Master>
struct encoded_weight {
    Weight weight;
    Master master{};
};

//! The same for weights with what is kept beside them.
template <class Codec, class Weight, class Stored>
struct master_codec {
    using weight = Weight;
    using stored = Stored;
    using master = std::conditional_t<std::is_void_v<Stored>, char, Stored>;
    using encoded = encoded_weight<Weight, master>;
    using view = mastered<Weight, master>;
    static constexpr bool has_scales = false;
    static constexpr bool has_master = !std::is_void_v<Stored>;

    static ADAMANT_KERNEL_INLINE void load(view v, std::int64_t first, int count, float* out) {
        const std::uint8_t scale = detail::stored_scale<Codec>(v.masters, first);
        for (int i = 0; i < count; ++i)
            out[i] = Codec::decode(v.weights[first + i], has_master ? v.masters.codes[first + i] : master{},
                                   scale);
    }
    template <class Noise = no_noise>
    static ADAMANT_KERNEL_INLINE void store(view v, std::int64_t first, int count, const float* values,
                                            const Noise& noise = {}) {
        const std::uint8_t scale = detail::new_scale<Codec>(v.masters, first, count, values);
        for (int i = 0; i < count; ++i) {
            const encoded e = Codec::encode(values[i], scale, noise(i));
            v.weights[first + i] = e.weight;
            if constexpr (has_master) v.masters.codes[first + i] = e.master;
        }
    }
    //! Masters that say what the weights say.
    template <class Noise = no_noise>
    static void start(view v, std::int64_t first, int count, const Noise& noise = {}) {
        if constexpr (has_master) {
            float values[group_size];
            for (int i = 0; i < count; ++i) values[i] = to_float(v.weights[first + i]);
            const std::uint8_t scale = detail::new_scale<Codec>(v.masters, first, count, values);
            for (int i = 0; i < count; ++i)
                v.masters.codes[first + i] = Codec::master_of(values[i], scale, noise(i));
        }
    }
};

//! One T per value, rounded to nearest (a float is kept as it is).
template <class T>
struct plain_codec : moment_codec<plain_codec<T>, T> {
    static constexpr rounding how = rounding::nearest;

    static ADAMANT_KERNEL_INLINE float decode(T code, std::uint8_t) { return to_float(code); }
    static ADAMANT_KERNEL_INLINE T encode(float value, std::uint8_t, std::uint32_t) {
        return round_to<T>(value);
    }
};

//! Weights that are their own master.
template <class T>
struct weight_only_codec : master_codec<weight_only_codec<T>, T, void> {
    static constexpr rounding how = rounding::nearest;

    static ADAMANT_KERNEL_INLINE float decode(T weight, char, std::uint8_t) { return to_float(weight); }
    static ADAMANT_KERNEL_INLINE encoded_weight<T, char> encode(float value, std::uint8_t, std::uint32_t) {
        return {round_to<T>(value)};
    }
};

//! Weights of type T with a full fp32 master beside them.
template <class T>
struct fp32_master_codec : master_codec<fp32_master_codec<T>, T, float> {
    static constexpr rounding how = rounding::nearest;

    static ADAMANT_KERNEL_INLINE float decode(T, float master, std::uint8_t) { return master; }
    static ADAMANT_KERNEL_INLINE encoded_weight<T, float> encode(float value, std::uint8_t, std::uint32_t) {
        return {round_to<T>(value), value};
    }
    static ADAMANT_KERNEL_INLINE float master_of(float value, std::uint8_t, std::uint32_t) { return value; }
};

}  // namespace adamant::inline v0
