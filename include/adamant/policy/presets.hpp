// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Policies by name, for those who do not want to compose one.
#pragma once

#include <adamant/policy/resolve.hpp>

namespace adamant::inline v0::presets {

//! Plain Adam: everything fp32. 16 bytes per parameter.
using full_fp32 = policy<mode<fp32>>;

//! Megatron's bf16: bf16 weights, everything else fp32. 18 bytes.
using megatron_bf16 = policy<mode<bf16>>;

//! bf16 weights with a lossless 2-byte remainder as master, bf16 gradients, fp32 moments. 14 bytes.
using lossless_bf16 = policy<mode<bf16>, precision_aware, main_grads<bf16>>;

//! The leanest that verl's keys can say: gradients and both moments in bf16. 10 bytes.
using lean_bf16 = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>;

//! fp16 weights with an fp32 master and a loss scaler. 18 bytes.
using scaled_fp16 = policy<mode<fp16>>;

}  // namespace adamant::inline v0::presets
