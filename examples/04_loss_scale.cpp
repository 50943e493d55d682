// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! fp16: the loss is scaled so that small gradients survive, and a step whose gradients overflow is skipped.
//!
//! Shows loss_scale(), a skipped step (nothing but the scale moves) and the step after it. The gradient of
//! this problem is 1e-8 at the end, which fp16 would round to zero without a scale.
//!
//!     cmake --build build --target example_04_loss_scale
//!     build/examples/example_04_loss_scale
#include <array>
#include <cstdio>
#include <span>
#include <vector>

#include <adamant/adamant.hpp>

using namespace adamant;
using scaled = presets::scaled_fp16;

namespace {

const char* name_of(step_status status) {
    switch (status) {
        case step_status::applied: return "applied";
        case step_status::skipped_found_inf: return "skipped: a gradient is infinite";
        case step_status::skipped_norm: return "skipped: the norm is too large";
    }
    return "";
}

//! What an fp16 backward pass yields: the derivative of loss_scale * loss, rounded to fp16, in an fp32
//! bucket.
void backward(std::vector<float>& bucket, float derivative, double loss_scale) {
    for (float& g : bucket) g = to_float(to_float16(static_cast<float>(loss_scale) * derivative));
}

}  // namespace

int main() {
    std::vector<float16> weight(32, to_float16(1.0f));
    std::vector<float> bucket(weight.size());
    const std::array params{std::span(weight)};
    const std::array grads{std::span<const float>(bucket)};

    optimizer_options options;
    options.loss_scaler =
        loss_scaler_settings{.initial_loss_scale = 131072, .loss_scale_window = 2, .hysteresis = 1};
    adam<scaled> optimizer{params, {.lr = 0.01, .weight_decay = 0}, options};

    bool holds = true;
    const auto step = [&](float derivative) {
        const double scale = optimizer.loss_scale();
        backward(bucket, derivative, scale);
        const step_result result = optimizer.step(params, grads);
        std::printf("derivative %-7g scale %6g  gradient %-10g %s; %lld applied, next scale %g\n",
                    static_cast<double>(derivative), scale, static_cast<double>(bucket[0]),
                    name_of(result.status), static_cast<long long>(result.step), result.loss_scale);
        return result;
    };

    // 0.75 * 131072 is above 65504, the largest fp16: skipped, and the scale halves.
    const step_result skipped = step(0.75f);
    holds = holds && skipped.status == step_status::skipped_found_inf && skipped.step == 0 &&
            skipped.loss_scale == 65536;
    holds = holds && weight[0] == to_float16(1.0f);

    // The same again now fits. The optimizer takes the scale out: the norm is that of the true gradient.
    const step_result applied = step(0.75f);
    holds = holds && applied.status == step_status::applied && applied.step == 1 && applied.grad_norm > 4.2 &&
            applied.grad_norm < 4.3;
    holds = holds && to_float(weight[0]) < 1.0f;

    // A derivative of 1e-8 is zero in fp16; scaled it is not. Two good steps in a row double the scale.
    const step_result small = step(1e-8f);
    holds = holds && to_float(to_float16(1e-8f)) == 0.0f && small.grad_norm > 0 && small.loss_scale == 131072;
    return holds ? 0 : 1;
}
