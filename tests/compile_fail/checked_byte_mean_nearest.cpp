// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! exp_avg in one byte, rounded to nearest.
// EXPECT-ERROR: [adamant] an exp_avg of one byte is rounded stochastically: leave its rounding out.
#include <adamant/step/soundness.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = checked<policy<mode<bf16>, precision_aware, exp_avg<fp8_fine>>,
                       hyperparameters{}>;
#else
using chosen = checked<policy<mode<bf16>, precision_aware, exp_avg<fp8_fine, nearest>>,
                       hyperparameters{}>;
#endif

static_assert(chosen::bytes_per_param() > 0);
