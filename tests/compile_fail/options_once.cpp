// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A moment written twice, with the optimizer in use.
// EXPECT-ERROR: [adamant] an option is written once: remove the second.
#include <span>
#include <vector>

#include <adamant/adamant.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>>;
#else
using chosen = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg<fp32>>;
#endif

int main() {
    std::vector<bfloat16> weights(128);
    const std::vector<bfloat16> gradients(128);
    const std::vector params{std::span(weights)};
    const std::vector grads{std::span(gradients)};
    adam<chosen> optimizer(params, hyperparameters{});
    return optimizer.step(params, grads).status == step_status::applied ? 0 : 1;
}
