// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! fp32 tensors in a bf16 or fp16 model: no master, the policy's moments, fp32 weights.
#include "model.hpp"

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

//! An fp32 router in front of a weight of the mode's dtype.
template <class Policy>
struct mixed {
    using optimizer_type = adam<Policy>;
    using param_t = typename optimizer_type::param_t;
    using grad_t = typename optimizer_type::grad_t;

    std::vector<float> router = inputs::spread(200, 1);
    std::vector<param_t> weight;
    std::vector<std::vector<grad_t>> grads;
    optimizer_type optimizer;

    explicit mixed(const hyperparameters& hyper = {}, const optimizer_options& options = {})
        : weight(rounded<param_t>(300, 2)), optimizer(views(), hyper, unjudged(options)) {}

    std::vector<tensor_view> views() { return {std::span(router), std::span(weight)}; }
    step_result step(std::uint64_t number) {
        grads = {rounded<grad_t>(200, 100 + number), rounded<grad_t>(300, 200 + number)};
        return optimizer.step(views(), std::vector<tensor_view>{std::span(grads[0]), std::span(grads[1])});
    }
    template <class T>
    static std::vector<T> rounded(std::size_t count, std::uint64_t seed) {
        std::vector<T> result;
        for (const float value : inputs::spread(count, seed)) result.push_back(round_to<T>(value));
        return result;
    }
};

//! The router alone, in a model that is fp32 throughout.
template <class Grad>
std::vector<float> router_in_fp32(const hyperparameters& hyper, std::uint64_t steps) {
    std::vector<float> router = inputs::spread(200, 1);
    adam<presets::full_fp32> optimizer(std::vector<std::span<float>>{router}, hyper);
    for (std::uint64_t i = 0; i < steps; ++i) {
        std::vector<float> grads;
        for (const Grad g : mixed<presets::megatron_bf16>::rounded<Grad>(200, 100 + i))
            grads.push_back(to_float(g));
        optimizer.step(std::vector<std::span<float>>{router}, std::vector<std::span<const float>>{grads});
    }
    return router;
}

const hyperparameters unclipped{.lr = 0.01, .clip_grad = 0};
const optimizer_options no_scale{.loss_scaler = loss_scaler_settings{.loss_scale = 1.0}};

template <class Policy>
void check_storage() {
    mixed<Policy> m;
    CHECK(m.optimizer.template state<slot::main_params>(0).empty());
    CHECK(m.optimizer.template state<slot::main_params>(1).size() == 300);
    CHECK(m.optimizer.template state<slot::exp_avg>(0).size() == 200);
    CHECK(m.optimizer.template state<slot::exp_avg_sq>(1).size() == 300);
    const std::size_t master = sizeof(m.optimizer.template state<slot::main_params>(1)[0]);
    const std::size_t moments = sizeof(m.optimizer.template state<slot::exp_avg>(0)[0]) +
                                sizeof(m.optimizer.template state<slot::exp_avg_sq>(0)[0]);
    CHECK(m.optimizer.state_bytes() == 384 * master + (256 + 384) * moments);
}

}  // namespace

TEST_CASE("an fp32 tensor has moments and no master") {
    check_storage<presets::megatron_bf16>();
    check_storage<presets::lean_bf16>();
    check_storage<presets::scaled_fp16>();
}

TEST_CASE("with fp32 moments an fp32 tensor has the bits it has in an fp32 model") {
    mixed<presets::megatron_bf16> in_bf16(unclipped, no_scale);
    mixed<presets::scaled_fp16> in_fp16(unclipped, no_scale);
    mixed<presets::lossless_bf16> in_lossless(unclipped);
    for (std::uint64_t i = 0; i < 10; ++i) {
        in_bf16.step(i);
        in_fp16.step(i);
        in_lossless.step(i);
    }
    const auto from_fp32_grads = router_in_fp32<float>(unclipped, 10);
    CHECK(in_bf16.router == from_fp32_grads);
    CHECK(in_fp16.router == from_fp32_grads);
    CHECK(in_lossless.router == router_in_fp32<bfloat16>(unclipped, 10));
}

TEST_CASE("an fp32 tensor has the policy's moments and keeps all bits of its weights") {
    mixed<presets::lean_bf16> m(unclipped);
    m.step(0);
    const float one_minus_beta1 = 1 - 0.9f;
    bool moments_hold = true;
    for (std::size_t i = 0; i < 200; ++i)
        moments_hold = moments_hold && m.optimizer.state<slot::exp_avg>(0)[i] ==
                                           to_bfloat16(one_minus_beta1 * to_float(m.grads[0][i]));
    CHECK(moments_hold);
    const auto low_bits = [](float value) { return (to_bits(value) & 0xFFFFu) != 0; };
    CHECK(std::ranges::count_if(m.router, low_bits) > 190);
}

TEST_CASE("the master of a tensor behind an fp32 tensor is its own") {
    mixed<presets::megatron_bf16> m(unclipped);
    const auto master = m.optimizer.export_fp32(slot::main_params, 1, std::span(m.weight));
    bool same = true;
    for (std::size_t i = 0; i < 300; ++i) same = same && master[i] == to_float(m.weight[i]);
    CHECK(same);
    CHECK(m.optimizer.export_fp32(slot::main_params, 0, std::span(m.router)) == m.router);
}

TEST_CASE("init_masters writes fp32 tensors as they are") {
    mixed<presets::lean_bf16> m;
    const std::vector<float> router(200, 0x1.234566p0f), weight(300, 0x1.000002p0f);
    const std::vector<std::span<const float>> values{router, weight};
    m.optimizer.init_masters(m.views(), values);
    CHECK(m.router == router);
    CHECK(m.weight[299] == bfloat16{0x3F80});
    CHECK(m.optimizer.export_fp32(slot::main_params, 1, std::span(m.weight)) == weight);
}

TEST_CASE("a tensor keeps the dtype it was registered with") {
    mixed<presets::lean_bf16> m;
    m.step(0);
    std::vector<bfloat16> low(200);
    std::vector<float> wide(300);
    const std::vector<tensor_view> grads{std::span(m.grads[0]), std::span(m.grads[1])};
    CHECK(says(thrown<shape_error>([&] {
                   m.optimizer.step(std::vector<tensor_view>{std::span(low), std::span(m.weight)}, grads);
               }),
               {"parameters", "tensor 0", "expected fp32", "got bf16"}));
    CHECK(says(thrown<shape_error>([&] {
                   m.optimizer.step(std::vector<tensor_view>{std::span(m.router), std::span(wide)}, grads);
               }),
               {"parameters", "tensor 1", "expected bf16", "got fp32"}));
}
