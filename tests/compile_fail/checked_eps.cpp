// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! An eps of zero divides by zero where a gradient is zero.
// EXPECT-ERROR: [adamant] eps is finite and, in fp32, above 0: write a number like 1e-8.
#include <adamant/policy/presets.hpp>
#include <adamant/step/soundness.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = checked<presets::megatron_bf16, hyperparameters{.eps = 1e-8}>;
#else
using chosen = checked<presets::megatron_bf16, hyperparameters{.eps = 0}>;
#endif

int main() { return chosen::values.lr > 0 && chosen::bytes_per_param() > 0 ? 0 : 1; }
