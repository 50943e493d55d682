// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Policies that between them use every storage kind that is rounded stochastically or has scales.
#pragma once

#include <adamant/policy/catalogue.hpp>

template <class... Options>
using narrow = adamant::policy<adamant::precision_aware, Options...>;

using remainder16_fp8 = narrow<adamant::main_params<adamant::remainder16>, adamant::exp_avg<adamant::fp8>,
                               adamant::exp_avg_sq<adamant::fp8>>;
using remainder8_fp8 = narrow<adamant::main_params<adamant::remainder8>, adamant::main_grads<adamant::bf16>,
                              adamant::exp_avg<adamant::fp8>, adamant::exp_avg_sq<adamant::fp8>>;
using no_master_fp8 = narrow<adamant::main_params<adamant::none>, adamant::main_grads<adamant::bf16>,
                             adamant::exp_avg<adamant::fp8>, adamant::exp_avg_sq<adamant::fp8>>;
using fp16_moments = narrow<adamant::main_params<adamant::fp32>, adamant::exp_avg<adamant::fp16>,
                            adamant::exp_avg_sq<adamant::fp16>>;
using fp8_fine_moments = narrow<adamant::exp_avg<adamant::fp8_fine>, adamant::exp_avg_sq<adamant::fp8_fine>>;
using fp16_master = narrow<adamant::mode<adamant::fp16>, adamant::main_params<adamant::fp16>,
                           adamant::exp_avg<adamant::bf16, adamant::stochastic>,
                           adamant::exp_avg_sq<adamant::bf16, adamant::stochastic>>;
using fp16_master_of_bf16 = narrow<adamant::main_params<adamant::fp16>, adamant::exp_avg<adamant::bf16>,
                                   adamant::exp_avg_sq<adamant::fp8>>;

using narrow_catalogue = adamant::catalogue<remainder16_fp8, remainder8_fp8, no_master_fp8, fp16_moments,
                                            fp8_fine_moments, fp16_master, fp16_master_of_bf16>;
