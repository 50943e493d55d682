// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! codec: how a group of stored values becomes fp32 and is stored again. What all codecs share, and those
//! without a scale: plain values, weights that are their own master, weights with an fp32 master.
//!
//! A codec is a class with
//!   stored            the element it keeps in the optimizer's state, void where it keeps none
//!   has_scales        whether it keeps a scale byte per group besides
//!   how               its rounding; only a stochastic one asks for noise
//!   view              where the arrays are that it reads and writes
//!   load(view, first, count, out)
//!   store(view, first, count, values, noise)
//! for up to group_size elements from index `first`, a multiple of group_size where the codec has scales;
//! noise(e) is a random 16-bit word for element e of the group. A weight codec has start(view, first, count,
//! noise) too: masters that say what the weights say.
#pragma once

#include <cstdint>

#include <adamant/base/config.hpp>
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
    constexpr coded(Code* elements, std::uint8_t* bytes = nullptr)  // NOLINT(google-explicit-constructor)
        : codes(elements), scales(bytes) {}
};

//! Weights and what is kept beside them.
template <class Weight, class Code>
struct mastered {
    Weight* weights = nullptr;
    coded<Code> masters{};
};

//! One T per value, rounded to nearest (a float is kept as it is).
template <class T>
struct plain_codec {
    using stored = T;
    using view = coded<T>;
    static constexpr bool has_scales = false;
    static constexpr rounding how = rounding::nearest;

    static ADAMANT_ALWAYS_INLINE void load(view v, std::int64_t first, int count, float* out) {
        for (int i = 0; i < count; ++i) out[i] = to_float(v.codes[first + i]);
    }
    template <class Noise = no_noise>
    static ADAMANT_ALWAYS_INLINE void store(view v, std::int64_t first, int count, const float* values,
                                            const Noise& = {}) {
        for (int i = 0; i < count; ++i) v.codes[first + i] = round_to<T>(values[i]);
    }
};

//! Weights that are their own master.
template <class T>
struct weight_only_codec {
    using weight = T;
    using stored = void;
    using view = mastered<T, char>;
    static constexpr bool has_scales = false;
    static constexpr rounding how = rounding::nearest;

    static ADAMANT_ALWAYS_INLINE void load(view v, std::int64_t first, int count, float* out) {
        plain_codec<T>::load(v.weights, first, count, out);
    }
    template <class Noise = no_noise>
    static ADAMANT_ALWAYS_INLINE void store(view v, std::int64_t first, int count, const float* values,
                                            const Noise& = {}) {
        plain_codec<T>::store(v.weights, first, count, values);
    }
    template <class Noise = no_noise>
    static void start(view, std::int64_t, int, const Noise& = {}) {}
};

//! Weights of type T with a full fp32 master beside them.
template <class T>
struct fp32_master_codec {
    using weight = T;
    using stored = float;
    using view = mastered<T, float>;
    static constexpr bool has_scales = false;
    static constexpr rounding how = rounding::nearest;

    static ADAMANT_ALWAYS_INLINE void load(view v, std::int64_t first, int count, float* out) {
        plain_codec<float>::load(v.masters, first, count, out);
    }
    template <class Noise = no_noise>
    static ADAMANT_ALWAYS_INLINE void store(view v, std::int64_t first, int count, const float* values,
                                            const Noise& = {}) {
        plain_codec<float>::store(v.masters, first, count, values);
        plain_codec<T>::store(v.weights, first, count, values);
    }
    template <class Noise = no_noise>
    static void start(view v, std::int64_t first, int count, const Noise& = {}) {
        plain_codec<T>::load(v.weights, first, count, v.masters.codes + first);
    }
};

}  // namespace adamant::inline v0
