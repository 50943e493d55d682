// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A weight decay that grows the weights.
// EXPECT-ERROR: [adamant] weight_decay is finite and not negative: write a number >= 0.
#include <adamant/policy/presets.hpp>
#include <adamant/step/soundness.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = checked<presets::megatron_bf16, hyperparameters{.weight_decay = 0.1}>;
#else
using chosen = checked<presets::megatron_bf16, hyperparameters{.weight_decay = -0.1}>;
#endif

int main() { return chosen::values.lr > 0 && chosen::bytes_per_param() > 0 ? 0 : 1; }
