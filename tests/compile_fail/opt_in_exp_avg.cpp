// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A bf16 first moment without precision_aware, with the optimizer in use.
// EXPECT-ERROR: [adamant] without precision_aware exp_avg is fp32: add precision_aware (YAML: use_precision_aware_optimizer: true), or leave exp_avg fp32.
#include <span>
#include <vector>

#include <adamant/adamant.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, exp_avg<bf16>>;
#else
using chosen = policy<mode<bf16>, exp_avg<bf16>>;
#endif

int main() {
    std::vector<bfloat16> weights(128);
    const std::vector<float> gradients(128);
    const std::vector params{std::span(weights)};
    const std::vector grads{std::span(gradients)};
    adam<chosen> optimizer(params, hyperparameters{});
    return optimizer.step(params, grads).status == step_status::applied ? 0 : 1;
}
