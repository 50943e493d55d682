// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Optimizer types: policies that mean the same share one, and all are move-only.
#include "model.hpp"

#include <adamant/policy/presets.hpp>
#include <adamant/step/soundness.hpp>

#include <doctest/doctest.h>

#include <deque>

using namespace adamant;

namespace {

using lean = presets::lean_bf16;
using lean_in_other_words = policy<exp_avg_sq<bf16, nearest>, bucket<bf16>, exp_avg<bf16>, main_grads<bf16>,
                                   main_params<remainder16>, precision_aware, mode<bf16>>;

static_assert(!std::is_same_v<lean, lean_in_other_words>);
static_assert(std::is_same_v<adam<lean>, adam<lean_in_other_words>>);
static_assert(std::is_same_v<adam<policy<>>, adam<presets::megatron_bf16>>);
static_assert(std::is_same_v<adam<policy<mode<bf16>, precision_aware, main_params<fp32>>>,
                             adam<presets::megatron_bf16>>);
static_assert(std::is_same_v<adam<checked<lean, hyperparameters{.lr = 1e-4, .beta2 = 0.95}>>, adam<lean>>);
static_assert(!std::is_same_v<adam<presets::lossless_bf16>, adam<lean>>);

static_assert(std::is_same_v<adam<presets::full_fp32>::param_t, float>);
static_assert(std::is_same_v<adam<presets::megatron_bf16>::param_t, bfloat16>);
static_assert(std::is_same_v<adam<presets::megatron_bf16>::grad_t, float>);
static_assert(std::is_same_v<adam<lean>::grad_t, bfloat16>);
static_assert(std::is_same_v<adam<presets::scaled_fp16>::param_t, float16>);
static_assert(adam<lean>::bytes_per_param() == 10);

static_assert(std::is_move_constructible_v<adam<lean>> && std::is_move_assignable_v<adam<lean>>);
static_assert(!std::is_copy_constructible_v<adam<lean>> && !std::is_copy_assignable_v<adam<lean>>);

}  // namespace

TEST_CASE("a moved optimizer goes on where it was") {
    model<lean> stays, moves;
    for (std::uint64_t i = 0; i < 6; ++i) {
        stays.step_with_new_grads(i);
        moves.step_with_new_grads(i);
        adam<lean> elsewhere = std::move(moves.optimizer);
        if (i == 3) CHECK(elsewhere.step_count() == 4);
        moves.optimizer = std::move(elsewhere);
    }
    CHECK(moves.digest() == stays.digest());
    CHECK(moves.optimizer.step_count() == 6);
}

TEST_CASE("optimizers live in containers") {
    std::vector<float> a(10, 1), b(20, 1);
    std::vector<adam<presets::full_fp32>> optimizers;
    for (auto* values : {&a, &b})
        optimizers.emplace_back(std::vector<std::span<float>>{*values}, hyperparameters{});
    const std::vector<float> grads(20, 1);
    optimizers[1].step(std::vector<std::span<float>>{b}, std::vector<std::span<const float>>{grads});
    CHECK(optimizers[0].step_count() == 0);
    CHECK(optimizers[1].step_count() == 1);
    CHECK(a == std::vector<float>(10, 1));
}

TEST_CASE("pointers may change between steps, and gradients are never written") {
    model<lean> still, wandering;
    for (std::uint64_t i = 0; i < 4; ++i) {
        still.step_with_new_grads(i);
        wandering.new_grads(i);
        auto params = wandering.params;
        const auto grads = wandering.grads;
        for (auto& values : wandering.params) std::ranges::fill(values, bfloat16{0x7FC0});
        std::swap(params, wandering.params);
        wandering.step();
        CHECK(wandering.grads == grads);
    }
    CHECK(wandering.digest() == still.digest());
}

TEST_CASE("spans and views of tensors, side by side in memory or not, are one interface") {
    model<lean> with_spans, with_views, with_deques;
    for (std::uint64_t i = 0; i < 3; ++i) {
        with_spans.step_with_new_grads(i);
        with_views.new_grads(i);
        with_views.optimizer.step(with_views.param_views(), with_views.grad_views());
        with_deques.new_grads(i);
        const auto params = with_deques.param_views(), grads = with_deques.grad_views();
        with_deques.optimizer.step(std::deque<tensor_view>(params.begin(), params.end()),
                                   std::deque<tensor_view>(grads.begin(), grads.end()));
    }
    CHECK(with_views.digest() == with_spans.digest());
    CHECK(with_deques.digest() == with_spans.digest());
}
