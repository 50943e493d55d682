// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A clipping norm that is not a number.
// EXPECT-ERROR: [adamant] clip_grad is a number: write the largest norm, or 0 for no clipping.
#include <limits>

#include <adamant/policy/presets.hpp>
#include <adamant/step/soundness.hpp>

using namespace adamant;

#ifdef TWIN
using chosen =
    checked<presets::megatron_bf16, hyperparameters{.clip_grad = std::numeric_limits<double>::infinity()}>;
#else
using chosen =
    checked<presets::megatron_bf16, hyperparameters{.clip_grad = std::numeric_limits<double>::quiet_NaN()}>;
#endif

int main() { return chosen::values.lr > 0 && chosen::bytes_per_param() > 0 ? 0 : 1; }
