// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A step: bf16 weights and gradients, 10 bytes per parameter with the state, on a small quadratic problem.
//!
//! Shows construction from spans of the caller's weights, step() with spans of the caller's gradients, what a
//! step reports, and what a master is for: it collects steps that are too small to move a bf16.
//!
//!     cmake --build build --target example_02_step
//!     build/examples/example_02_step
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <adamant/adamant.hpp>

using lean = adamant::presets::lean_bf16;
using adamant::bfloat16;

int main() {
    constexpr std::size_t size = 64;
    std::vector<float> target(size);
    for (std::size_t i = 0; i < size; ++i) target[i] = 1.5f + static_cast<float>(i) / 48.0f;

    std::vector<bfloat16> weight(size, adamant::to_bfloat16(1.0f)), grad(size);
    // One span per tensor. The caller owns both; the optimizer owns its state and keeps no pointer.
    const std::array params{std::span(weight)};
    const std::array grads{std::span<const bfloat16>(grad)};

    adamant::adam<lean> optimizer{params, {.lr = 0.02, .beta2 = 0.95, .weight_decay = 0, .clip_grad = 0}};

    const auto step = [&](double lr) {
        // Loss: half the squared distance to the target, so the gradient is the difference.
        for (std::size_t i = 0; i < size; ++i)
            grad[i] = adamant::to_bfloat16(adamant::to_float(weight[i]) - target[i]);
        return optimizer.step(params, grads, {.lr = lr});  // without lr: that of the hyperparameters
    };
    // A weight's own 8 bits, and the fp32 that it makes with its remainder.
    const auto show = [&](const char* when) {
        const float own = adamant::to_float(weight[7]);
        const float master = optimizer.export_fp32(adamant::slot::main_params, 0, std::span(weight))[7];
        std::printf("%s: weight[7] is %.6f in bf16, %.6f with its remainder, target %.6f\n", when,
                    static_cast<double>(own), static_cast<double>(master), static_cast<double>(target[7]));
        return std::pair(own, master);
    };

    // Each of these steps is 2e-5, and a bf16 next to 1 is 0.0078 away: the remainder collects them.
    show("at the start");
    for (int s = 0; s < 50; ++s) step(2e-5);
    const auto [own, master] = show("50 small steps later");
    bool holds = own == 1.0f && master > 1.0009f && master < 1.0011f;

    adamant::step_result result;
    constexpr int steps = 400;
    for (int s = 0; s < steps; ++s) {
        result = step(0.02 * (1 - static_cast<double>(s) / steps));
        if ((s + 1) % 100 == 0)
            std::printf("step %lld: gradient norm %.4f, lr %.5f\n", static_cast<long long>(result.step),
                        result.grad_norm, result.lr);
    }
    show("at the end");
    std::printf("%zu bytes of state for %zu parameters\n", optimizer.state_bytes(), size);

    holds = holds && result.status == adamant::step_status::applied && result.step == 50 + steps;
    for (std::size_t i = 0; i < size; ++i)  // one unit of a bf16 between 2 and 4
        holds = holds && std::abs(adamant::to_float(weight[i]) - target[i]) <= 1.0f / 64;
    return holds ? 0 : 1;
}
