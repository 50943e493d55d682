// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Codecs: how a group of stored values becomes fp32 and is stored again.
//!
//! A codec has a `view` (pointers to the arrays it reads and writes), `load(view, first, count, out)` and
//! `store(view, first, count, values)` for up to group_size elements from index `first`, and `stored`, the
//! element it keeps in the optimizer's state (void where it keeps none).
//! A new kind is a codec in a header of its own and a line in the tables at the end of this one.
#pragma once

#include <cstdint>

#include <adamant/base/config.hpp>
#include <adamant/numerics/remainder16.hpp>
#include <adamant/numerics/rounding.hpp>

namespace adamant::inline v0 {

//! Elements that a step handles together; group scales and random words are keyed to groups of this size.
inline constexpr int group_size = 32;

//! One T per value, rounded to nearest (a float is kept as it is).
template <class T>
struct plain_codec {
    using stored = T;
    using view = T*;

    static ADAMANT_ALWAYS_INLINE void load(const T* codes, std::int64_t first, int count, float* out) {
        for (int i = 0; i < count; ++i) out[i] = to_float(codes[first + i]);
    }
    static ADAMANT_ALWAYS_INLINE void store(T* codes, std::int64_t first, int count, const float* values) {
        for (int i = 0; i < count; ++i) codes[first + i] = round_to<T>(values[i]);
    }
};

//! Weights that are their own master.
template <class T>
struct weight_only_codec : plain_codec<T> {
    using weight = T;
    using stored = void;
    struct view {
        T* weights;
        void* masters;
    };

    static ADAMANT_ALWAYS_INLINE void load(view v, std::int64_t first, int count, float* out) {
        plain_codec<T>::load(v.weights, first, count, out);
    }
    static ADAMANT_ALWAYS_INLINE void store(view v, std::int64_t first, int count, const float* values) {
        plain_codec<T>::store(v.weights, first, count, values);
    }
    static void start(view, std::int64_t, int) {}
};

//! Weights of type T with a full fp32 master beside them.
template <class T>
struct fp32_master_codec {
    using weight = T;
    using stored = float;
    struct view {
        T* weights;
        float* masters;
    };

    static ADAMANT_ALWAYS_INLINE void load(view v, std::int64_t first, int count, float* out) {
        for (int i = 0; i < count; ++i) out[i] = v.masters[first + i];
    }
    static ADAMANT_ALWAYS_INLINE void store(view v, std::int64_t first, int count, const float* values) {
        for (int i = 0; i < count; ++i) {
            v.masters[first + i] = values[i];
            v.weights[first + i] = round_to<T>(values[i]);
        }
    }
    //! Masters that say what the weights say.
    static void start(view v, std::int64_t first, int count) {
        plain_codec<T>::load(v.weights, first, count, v.masters + first);
    }
};

//! bf16 weights whose missing 16 bits are the state: together a lossless fp32 master.
struct remainder16_codec {
    using weight = bfloat16;
    using stored = std::int16_t;
    struct view {
        bfloat16* weights;
        std::int16_t* masters;
    };

    static ADAMANT_ALWAYS_INLINE void load(view v, std::int64_t first, int count, float* out) {
        for (int i = 0; i < count; ++i) out[i] = join_remainder16(v.weights[first + i], v.masters[first + i]);
    }
    static ADAMANT_ALWAYS_INLINE void store(view v, std::int64_t first, int count, const float* values) {
        for (int i = 0; i < count; ++i) {
            const remainder16_pair pair = split_remainder16(values[i]);
            v.weights[first + i] = pair.weight;
            v.masters[first + i] = pair.remainder;
        }
    }
    static void start(view v, std::int64_t first, int count) {
        for (int i = 0; i < count; ++i) v.masters[first + i] = 0;
    }
};

//! A kind that this version can name but not store yet.
struct no_codec {};

//! exp_avg and exp_avg_sq.
template <class Kind, class Rounding>
struct moment_codec {
    using type = no_codec;
};
template <>
struct moment_codec<fp32, exact> {
    using type = plain_codec<float>;
};
template <>
struct moment_codec<bf16, nearest> {
    using type = plain_codec<bfloat16>;
};

//! Weights with their master; Mode is the weights' kind.
template <class Mode, class Kind, class Rounding>
struct weight_codec {
    using type = no_codec;
};
template <>
struct weight_codec<fp32, none, exact> {
    using type = weight_only_codec<float>;
};
template <>
struct weight_codec<bf16, fp32, exact> {
    using type = fp32_master_codec<bfloat16>;
};
template <>
struct weight_codec<fp16, fp32, exact> {
    using type = fp32_master_codec<float16>;
};
template <>
struct weight_codec<bf16, remainder16, exact> {
    using type = remainder16_codec;
};

}  // namespace adamant::inline v0
