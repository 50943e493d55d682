// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! exp_avg in fp8_fine under an exp_avg_sq in fp8.
// EXPECT-ERROR: [adamant] exp_avg reaches as far as exp_avg_sq in fp8: use fp8, bf16, fp16 or fp32 for exp_avg, or fp8_fine for both.
#include <adamant/step/soundness.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = checked<policy<mode<bf16>, precision_aware, exp_avg<fp8_fine>, exp_avg_sq<fp8_fine>>,
                       hyperparameters{}>;
#else
using chosen = checked<policy<mode<bf16>, precision_aware, exp_avg<fp8_fine>, exp_avg_sq<fp8>>,
                       hyperparameters{}>;
#endif

static_assert(chosen::bytes_per_param() > 0);
