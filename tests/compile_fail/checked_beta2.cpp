// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A beta2 that is one in fp32, the precision of the update, with the optimizer in use.
// EXPECT-ERROR: [adamant] beta2 is at least 0 and, in fp32, below 1: write a number like 0.999.
#include <span>
#include <vector>

#include <adamant/adamant.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = checked<presets::lean_bf16, hyperparameters{.beta2 = 0.95}>;
#else
using chosen = checked<presets::lean_bf16, hyperparameters{.beta2 = 0.99999999}>;
#endif

int main() {
    std::vector<bfloat16> weights(128);
    const std::vector<bfloat16> gradients(128);
    const std::vector params{std::span(weights)};
    const std::vector grads{std::span(gradients)};
    adam<chosen> optimizer(params, chosen::values);
    return optimizer.step(params, grads).status == step_status::applied ? 0 : 1;
}
