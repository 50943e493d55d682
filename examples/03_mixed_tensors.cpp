// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Tensors of a real model: an fp32 norm in a bf16 model, groups with their own weight decay, clipping.
//!
//! Shows tensor_info (names appear in errors), tensor_view for lists of more than one dtype, param_group,
//! and the clip coefficient of a step.
//!
//!     cmake --build build --target example_03_mixed_tensors
//!     build/examples/example_03_mixed_tensors
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <adamant/adamant.hpp>

using namespace adamant;
using lossless = presets::lossless_bf16;

int main() {
    constexpr int width = 128;
    std::vector<bfloat16> projection(width * width, to_bfloat16(0.5f));
    // Norms and routers are often kept in fp32; such a tensor is its own master.
    std::vector<float> norm(width, 1.0f);
    // Gradients have the bucket's dtype, whatever their tensor has.
    std::vector<bfloat16> projection_grad(projection.size(), to_bfloat16(0.0f));
    std::vector<bfloat16> norm_grad(norm.size(), to_bfloat16(0.25f));

    // Group 0 decays, group 1 does not and learns at a tenth of the rate.
    const std::array tensors{
        tensor_info{.name = "attention.projection.weight", .shape = {width, width}, .group = 0},
        tensor_info{.name = "attention.norm.weight", .shape = {width}, .group = 1}};
    const std::array<tensor_view, 2> params{std::span(projection), std::span(norm)};
    const std::array<tensor_view, 2> grads{std::span(projection_grad), std::span(norm_grad)};

    optimizer_options options;
    options.groups = {{.lr_mult = 1, .wd_mult = 1}, {.lr_mult = 0.1, .wd_mult = 0}};
    adam<lossless> optimizer{tensors, params, {.lr = 0.01, .weight_decay = 0.1, .clip_grad = 1.0}, options};

    const step_result result = optimizer.step(params, grads);
    std::printf("gradient norm %.4f, clipped by %.4f\n", result.grad_norm, result.clip_coefficient);

    // Without a gradient the projection only decays: by lr * weight_decay = 0.001 of itself, which its master
    // keeps and a bf16 alone would lose.
    const float master = optimizer.export_fp32(slot::main_params, 0, std::span(projection))[0];
    std::printf("projection: weight %.6f, master %.6f\n", static_cast<double>(to_float(projection[0])),
                static_cast<double>(master));
    std::printf("norm:       weight %.6f, %zu elements of master\n", static_cast<double>(norm[0]),
                optimizer.state<slot::main_params>(1).size());

    // A list that does not fit is refused, by name, and nothing is changed.
    bool refused = false;
    try {
        const std::array<tensor_view, 2> short_grads{grads[0], std::span(norm_grad).first(width - 1)};
        optimizer.step(params, short_grads);
    } catch (const shape_error& e) {
        refused = true;
        std::printf("refused: %s\n", e.what());
    }

    const double expected_norm = 0.25 * std::sqrt(width);
    const bool holds = std::abs(result.grad_norm - expected_norm) < 1e-6 &&
                       std::abs(result.clip_coefficient - 1 / expected_norm) < 1e-5 &&
                       std::abs(master - 0.4995f) < 1e-6f && std::abs(norm[0] - 0.999f) < 1e-6f &&
                       optimizer.state<slot::main_params>(1).empty();
    return holds && refused && optimizer.step_count() == 1 ? 0 : 1;
}
