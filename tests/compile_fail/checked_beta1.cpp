// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A beta1 of one would never learn.
// EXPECT-ERROR: [adamant] beta1 is at least 0 and, in fp32, below 1: write a number like 0.9.
#include <adamant/policy/presets.hpp>
#include <adamant/step/soundness.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = checked<presets::megatron_bf16, hyperparameters{.beta1 = 0.9}>;
#else
using chosen = checked<presets::megatron_bf16, hyperparameters{.beta1 = 1}>;
#endif

int main() { return chosen::values.lr > 0 && chosen::bytes_per_param() > 0 ? 0 : 1; }
