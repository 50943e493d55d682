// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! codecs: the codec of every storage kind and rounding. A new kind is a header with its codec, and a line
//! here.
#pragma once

#include <adamant/numerics/codec.hpp>
#include <adamant/numerics/minifloat.hpp>
#include <adamant/numerics/remainder16.hpp>
#include <adamant/numerics/remainder8.hpp>
#include <adamant/numerics/stochastic_bfloat16.hpp>

namespace adamant::inline v0 {

//! The codec of exp_avg.
template <class Kind, class Rounding>
struct exp_avg_codec;
template <>
struct exp_avg_codec<fp32, exact> {
    using type = plain_codec<float>;
};
template <>
struct exp_avg_codec<bf16, nearest> {
    using type = plain_codec<bfloat16>;
};
template <>
struct exp_avg_codec<bf16, stochastic> {
    using type = stochastic_bfloat16_codec;
};
template <class R>
struct exp_avg_codec<fp16, R> {
    using type = group_codec<scaled_half<R::id>>;
};
template <class R>
struct exp_avg_codec<fp8, R> {
    using type = group_codec<e4m3<R::id>>;
};
template <class R>
struct exp_avg_codec<fp8_fine, R> {
    using type = group_codec<e3m4<R::id>>;
};

//! The codec of exp_avg_sq.
template <class Kind, class Rounding>
struct exp_avg_sq_codec;
template <>
struct exp_avg_sq_codec<fp32, exact> {
    using type = plain_codec<float>;
};
template <>
struct exp_avg_sq_codec<bf16, nearest> {
    using type = plain_codec<bfloat16>;
};
template <>
struct exp_avg_sq_codec<bf16, stochastic> {
    using type = stochastic_bfloat16_codec;
};
template <class R>
struct exp_avg_sq_codec<fp16, R> {
    using type = group_codec<scaled_half_sq<R::id>>;
};
template <class R>
struct exp_avg_sq_codec<fp8, R> {
    using type = group_codec<ue5m3<R::id>>;
};
template <class R>
struct exp_avg_sq_codec<fp8_fine, R> {
    using type = group_codec<ue4m4<R::id>>;
};

//! The codec of weights with their master; Mode is the weights' kind.
template <class Mode, class Kind, class Rounding>
struct weight_codec;
template <>
struct weight_codec<fp32, none, exact> {
    using type = weight_only_codec<float>;
};
template <>
struct weight_codec<bf16, none, stochastic> {
    using type = stochastic_weight_codec;
};
template <class M>
struct weight_codec<M, fp32, exact> {
    using type = fp32_master_codec<element_t<M>>;
};
template <class M, class R>
struct weight_codec<M, fp16, R> {
    using type = half_master_codec<element_t<M>, R::id>;
};
template <>
struct weight_codec<bf16, remainder16, exact> {
    using type = remainder16_codec;
};
template <class R>
struct weight_codec<bf16, remainder8, R> {
    using type = remainder8_codec<R::id>;
};

}  // namespace adamant::inline v0
