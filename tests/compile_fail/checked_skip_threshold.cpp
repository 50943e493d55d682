// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A threshold of zero would skip every step.
// EXPECT-ERROR: [adamant] grad_norm_skip_threshold is above 0: write the largest norm to accept, or infinity.
#include <adamant/policy/presets.hpp>
#include <adamant/step/soundness.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = checked<presets::megatron_bf16, hyperparameters{.grad_norm_skip_threshold = 100}>;
#else
using chosen = checked<presets::megatron_bf16, hyperparameters{.grad_norm_skip_threshold = 0}>;
#endif

int main() { return chosen::values.lr > 0 && chosen::bytes_per_param() > 0 ? 0 : 1; }
