// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Prints one digest per policy of a run of 50 steps with clipping, groups, a schedule and skipped steps.
//! What it prints does not depend on compiler, flags or machine; expected.txt holds it.
#include <adamant/adamant.hpp>

#include <digest.hpp>

#include <cstdio>
#include <vector>

namespace {

using namespace adamant;
using adamant_test::digest;
using adamant_test::random_float;

template <class Policy>
void run() {
    using optimizer_type = adam<Policy>;
    using param_t = typename optimizer_type::param_t;
    using grad_t = typename optimizer_type::grad_t;
    const std::vector<tensor_info> tensors{{.name = "matrix", .shape = {37, 29}},
                                           {.name = "norm"},
                                           {.name = "empty", .shape = {0, 5}},
                                           {.name = "head.bias", .shape = {130}},
                                           {.name = "free", .shape = {1, 257}, .in_norm = false}};
    const std::vector<std::size_t> sizes{37 * 29, 65, 0, 130, 257};
    // The second tensor stays fp32 in every mode.
    std::vector<std::vector<param_t>> weights;
    std::vector<float> norm_weights;
    std::vector<std::vector<grad_t>> grads;
    for (std::size_t t = 0; t < sizes.size(); ++t) {
        weights.emplace_back();
        grads.emplace_back(sizes[t]);
        for (std::size_t i = 0; i < sizes[t]; ++i) {
            const float start = random_float(1, i, t, 8);
            if (t == 1) norm_weights.push_back(start);
            else weights.back().push_back(round_to<param_t>(start));
        }
    }
    std::vector<param_view> params;
    std::vector<std::span<const grad_t>> gradients;
    for (std::size_t t = 0; t < sizes.size(); ++t) {
        params.push_back(t == 1 ? param_view(std::span<float>(norm_weights))
                                : param_view(std::span<param_t>(weights[t])));
        gradients.emplace_back(grads[t]);
    }

    const hyperparameters hyper{
        .lr = 3e-3, .beta2 = 0.97, .weight_decay = 0.1, .clip_grad = 2.5, .grad_norm_skip_threshold = 400};
    optimizer_type optimizer(tensors, params, hyper,
                             optimizer_options{.loss_scaler = loss_scaler_settings{.initial_loss_scale = 1024,
                                                                                   .loss_scale_window = 7}});
    const schedule plan({.lr = 3e-3,
                         .min_lr = 1e-4,
                         .lr_warmup_steps = 5,
                         .lr_decay_steps = 60,
                         .style = lr_decay_style::cosine});
    digest all;
    for (std::uint64_t step = 1; step <= 50; ++step) {
        const float scale = static_cast<float>(optimizer.loss_scale()) * (step == 31 ? 4096.0f : 1.0f);
        for (std::size_t t = 0; t < sizes.size(); ++t)
            for (std::size_t i = 0; i < sizes[t]; ++i)
                grads[t][i] = round_to<grad_t>(scale * random_float(2 + t, i, step, 20));
        if (step == 17) grads[3][77] = round_to<grad_t>(std::numeric_limits<float>::infinity());
        const step_result result =
            optimizer.step(params, gradients, {.lr = plan.lr(optimizer.step_count()), .grad_scale = 0.5});
        all.add(result.grad_norm);
        all.add(result.clip_coefficient);
        all.add(result.loss_scale);
    }
    for (std::size_t t = 0; t < sizes.size(); ++t) {
        if (t == 1) all.add(std::span<const float>(norm_weights));
        else all.add(std::span<const param_t>(weights[t]));
    }
    for (std::size_t t = 0; t < sizes.size(); ++t) {
        all.add(optimizer.template state<slot::main_params>(t));
        all.add(optimizer.template state<slot::exp_avg>(t));
        all.add(optimizer.template state<slot::exp_avg_sq>(t));
    }
    std::printf("%016llx %lld %s\n", static_cast<unsigned long long>(all.value()),
                static_cast<long long>(optimizer.step_count()), optimizer_type::describe().c_str());
}

}  // namespace

int main() {
    run<policy<mode<fp32>>>();
    run<policy<mode<bf16>>>();
    run<policy<mode<bf16>, grad_reduce_in_fp32<false>>>();
    run<policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>>();
    run<policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<bf16>, bucket<fp32>,
               exp_avg_sq<bf16>>>();
    run<policy<mode<fp16>, precision_aware, exp_avg<bf16>>>();
    return 0;
}
