// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! exp_avg_sq in bf16 to nearest, with a beta2 that moves it by less than half a unit.
// EXPECT-ERROR: [adamant] exp_avg_sq rounded to nearest needs 1 - beta2 >= 2^-5 in bf16 and 2^-8 in fp16: lower beta2, or round it stochastically.
#include <adamant/step/soundness.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = checked<policy<mode<bf16>, precision_aware, exp_avg_sq<bf16>>,
                       hyperparameters{.beta2 = 0.95}>;
#else
using chosen = checked<policy<mode<bf16>, precision_aware, exp_avg_sq<bf16>>,
                       hyperparameters{.beta2 = 0.999}>;
#endif

static_assert(chosen::bytes_per_param() > 0);
