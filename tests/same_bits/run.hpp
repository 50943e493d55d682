// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A run of 50 steps over 20 tensors of odd sizes and an empty one, with clipping, groups, a schedule, a loss
//! scale, skipped steps and two fp32 tensors; one digest per policy, whoever does the steps.
#pragma once

#include <digest.hpp>
#include <optimizer/narrow_catalogue.hpp>

#include <adamant/adamant.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace same_bits {

using namespace adamant;

//! Kinds and roundings that are neither in verl_catalogue nor in narrow_catalogue.
using other_catalogue = catalogue<
    policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<bf16>, bucket<fp32>, exp_avg_sq<bf16>>,
    policy<mode<fp16>, precision_aware, exp_avg<bf16>>,
    policy<mode<fp32>, precision_aware, exp_avg<fp8>, exp_avg_sq<fp8>>,
    policy<mode<bf16>, precision_aware, main_params<none>, main_grads<bf16>, exp_avg<bf16, stochastic>,
           exp_avg_sq<bf16, stochastic>>,
    policy<mode<bf16>, precision_aware, main_params<remainder8, nearest>, exp_avg<fp16, nearest>,
           exp_avg_sq<fp16, nearest>>,
    policy<mode<bf16>, precision_aware, main_params<fp16, nearest>, exp_avg<fp8, nearest>,
           exp_avg_sq<fp8, nearest>>,
    policy<mode<bf16>, precision_aware, exp_avg<fp8_fine, nearest>, exp_avg_sq<fp8_fine, nearest>>>;

template <class F, class... Policies>
void for_each_policy(catalogue<Policies...>, F f) {
    (f(std::type_identity<Policies>{}), ...);
}
template <class F>
void for_each_policy(F f) {
    for_each_policy(verl_catalogue{}, f);
    for_each_policy(narrow_catalogue{}, f);
    for_each_policy(other_catalogue{}, f);
}

inline constexpr std::array<std::size_t, 21> sizes{1073, 65, 1,  257, 0,   3,  127, 129, 31,  33, 5,
                                                   511,  63, 95, 7,   255, 15, 385, 191, 133, 17};
inline constexpr std::uint64_t steps = 50;

//! These stay fp32 in every mode.
constexpr bool is_fp32(std::size_t tensor) { return tensor == 1 || tensor == 17; }

inline std::vector<tensor_info> tensors() {
    std::vector<tensor_info> infos(sizes.size());
    infos[0] = {.name = "matrix", .shape = {37, 29}};
    infos[3] = {.name = "free", .shape = {1, 257}, .in_norm = false};
    infos[4] = {.name = "empty", .shape = {0, 5}};
    infos[7] = {.name = "head.bias", .shape = {129}};
    infos[17] = {.name = "router", .shape = {5, 77}};
    infos[19] = {.name = "bias"};
    return infos;
}

inline const hyperparameters hyper{.lr = 3e-3,
                                   .beta2 = 0.97,
                                   .weight_decay = 0.1,
                                   .clip_grad = 2.5,
                                   .grad_norm_skip_threshold = 400,
                                   .seed = 0x9E3779B97F4A7C15};
inline const loss_scaler_settings scaler{.initial_loss_scale = 1024, .loss_scale_window = 7};

//! Values [tensor][element] of every step, before they are scaled and rounded; 0 has the weights.
inline const std::vector<std::vector<float>>& values(std::uint64_t step) {
    static const auto all = [] {
        std::vector<std::vector<std::vector<float>>> result(steps + 1);
        for (std::uint64_t s = 0; s <= steps; ++s)
            for (std::size_t t = 0; t < sizes.size(); ++t) {
                std::vector<float>& tensor = result[s].emplace_back();
                for (std::size_t i = 0; i < sizes[t]; ++i)
                    tensor.push_back(adamant_test::random_float(1 + t, i, s, s == 0 ? 8 : 20));
            }
        return result;
    }();
    return all[step];
}

//! The digest after the run. make(tensors, params) yields what does the steps: an adam<Policy>, or whoever
//! has its step(), loss_scale(), step_count(), state() and scales().
template <class Policy, class Make>
std::uint64_t digest_of(Make&& make) {
    using param_t = typename adam<Policy>::param_t;
    using grad_t = typename adam<Policy>::grad_t;
    std::vector<std::vector<param_t>> weights(sizes.size());
    std::vector<std::vector<float>> fp32_weights(sizes.size());
    std::vector<std::vector<grad_t>> grads(sizes.size());
    std::vector<param_view> params;
    std::vector<std::span<const grad_t>> gradients;
    for (std::size_t t = 0; t < sizes.size(); ++t) {
        grads[t].resize(sizes[t]);
        gradients.emplace_back(grads[t]);
        if (is_fp32(t)) {
            fp32_weights[t] = values(0)[t];
            params.emplace_back(std::span(fp32_weights[t]));
        } else {
            for (const float value : values(0)[t]) weights[t].push_back(round_to<param_t>(value));
            params.emplace_back(std::span(weights[t]));
        }
    }
    auto optimizer = make(tensors(), params);
    const schedule plan({.lr = 3e-3,
                         .min_lr = 1e-4,
                         .lr_warmup_steps = 5,
                         .lr_decay_steps = 60,
                         .style = lr_decay_style::cosine});
    adamant_test::digest all;
    for (std::uint64_t step = 1; step <= steps; ++step) {
        const float scale = static_cast<float>(optimizer.loss_scale()) * (step == 31 ? 4096.0f : 1.0f);
        for (std::size_t t = 0; t < sizes.size(); ++t)
            for (std::size_t i = 0; i < sizes[t]; ++i)
                grads[t][i] = round_to<grad_t>(scale * values(step)[t][i]);
        if (step == 17) grads[3][77] = round_to<grad_t>(std::numeric_limits<float>::infinity());
        const step_result result =
            optimizer.step(params, gradients, {.lr = plan.lr(optimizer.step_count()), .grad_scale = 0.5});
        all.add(result.grad_norm);
        all.add(result.clip_coefficient);
        all.add(result.loss_scale);
    }
    all.add(static_cast<double>(optimizer.step_count()));
    for (std::size_t t = 0; t < sizes.size(); ++t) {
        all.add(std::span(fp32_weights[t]));
        all.add(std::span(weights[t]));
    }
    const auto add_slot = [&]<slot S>(std::integral_constant<slot, S>) {
        for (std::size_t t = 0; t < sizes.size(); ++t) {
            all.add(optimizer.template state<S>(t));
            all.add(optimizer.template scales<S>(t));
        }
    };
    for_each_slot(add_slot);
    return all.value();
}

}  // namespace same_bits
