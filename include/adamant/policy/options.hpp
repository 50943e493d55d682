// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The words of a policy: policy<mode<bf16>, precision_aware, exp_avg<bf16>, ...>, in any order.
//!
//!   mode<K>                   K of the model's weights: fp32, bf16 (default), fp16
//!   precision_aware           allows what follows to be below fp32 (Megatron: use_precision_aware_optimizer)
//!   main_params<K, R>         master weights: fp32, fp16, remainder16, remainder8, none
//!   main_grads<K>             gradients as the update sees them: fp32, bf16
//!   exp_avg<K, R>             first moment: fp32, bf16, fp16, fp8, fp8_fine
//!   exp_avg_sq<K, R>          second moment: the same kinds
//!   bucket<K>                 gradients as they are accumulated and reduced: fp32, bf16, fp16
//!   grad_reduce_in_fp32<B>    the bucket in Megatron's words: true is fp32, false the dtype of the weights
//!
//! R is nearest or stochastic; left out, the kind decides (default_rounding). An option left out has
//! Megatron's default: bf16 weights, everything else fp32; with precision_aware and bf16 weights the master
//! is remainder16.
#pragma once

#include <adamant/numerics/rounding.hpp>

namespace adamant::inline v0 {

//! Stands for a rounding that was not written.
struct by_kind {};

template <class Kind>
struct mode {};
struct precision_aware {};
template <class Kind, class Rounding = by_kind>
struct main_params {};
template <class Kind>
struct main_grads {};
template <class Kind, class Rounding = by_kind>
struct exp_avg {};
template <class Kind, class Rounding = by_kind>
struct exp_avg_sq {};
template <class Kind>
struct bucket {};
template <bool InFp32>
struct grad_reduce_in_fp32 {};

}  // namespace adamant::inline v0
