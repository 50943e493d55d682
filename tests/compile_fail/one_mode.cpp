// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! fp16 and bf16 weights in one policy, with the optimizer in use.
// EXPECT-ERROR: [adamant] a policy has one mode, fp16 and bf16 weights do not mix: keep one; a tensor may be fp32 in any mode.
#include <span>
#include <vector>

#include <adamant/adamant.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>>;
#else
using chosen = policy<mode<bf16>, mode<fp16>>;
#endif

int main() {
    std::vector<bfloat16> weights(128);
    const std::vector<float> gradients(128);
    const std::vector params{std::span(weights)};
    const std::vector grads{std::span(gradients)};
    adam<chosen> optimizer(params, hyperparameters{});
    return optimizer.step(params, grads).status == step_status::applied ? 0 : 1;
}
