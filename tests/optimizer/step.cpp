// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What a step reports, and what its norm, clipping and scales do to the update.
#include "model.hpp"

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

using fp32_model = model<presets::full_fp32>;

//! One tensor of two weights with the gradient (3, 4).
struct pair_of_weights {
    std::vector<float> params{1, 2};
    std::vector<float> grads{3, 4};
    adam<presets::full_fp32> optimizer;

    explicit pair_of_weights(const hyperparameters& hyper, const optimizer_options& options = {})
        : optimizer(spans(), hyper, options) {}
    std::vector<std::span<float>> spans() { return {params}; }
    step_result step(const step_options& options = {}) {
        const std::vector<std::span<const float>> gradients{grads};
        return optimizer.step(spans(), gradients, options);
    }
};

template <class Model>
std::uint64_t digest_after(Model& m, std::uint64_t steps, const step_options& options = {},
                           float factor = 1) {
    for (std::uint64_t i = 0; i < steps; ++i) {
        m.new_grads(i);
        for (auto& tensor : m.grads)
            for (auto& g : tensor) g = round_to<typename Model::grad_t>(factor * to_float(g));
        REQUIRE(m.step(options).status == step_status::applied);
    }
    return m.digest();
}

}  // namespace

TEST_CASE("an applied step reports norm, clip coefficient, lr and its number") {
    pair_of_weights w({.lr = 0.25, .clip_grad = 1});
    const step_result r = w.step();
    CHECK(r.status == step_status::applied);
    CHECK(r.grad_norm == 5);
    CHECK(r.clip_coefficient == 1 / (5 + 1e-6));
    CHECK(r.lr == 0.25);
    CHECK(r.step == 1);
    CHECK(r.loss_scale == 1);
    CHECK(!r.loss_scale_at_floor);
    const step_result second = w.step({.lr = 0.125});
    CHECK(second.lr == 0.125);
    CHECK(second.step == 2);
    CHECK(w.optimizer.step_count() == 2);
}

TEST_CASE("clipping is off for 0, negative numbers and infinity, and the norm is reported all the same") {
    for (const double off : {0.0, -1.0, infinity}) {
        pair_of_weights w({.clip_grad = off});
        const step_result r = w.step();
        CHECK(r.grad_norm == 5);
        CHECK(r.clip_coefficient == 1);
    }
    pair_of_weights wide({.clip_grad = 10});
    CHECK(wide.step().clip_coefficient == 1);
}

TEST_CASE("the clip coefficient scales the gradient that the moments see") {
    pair_of_weights w({.beta1 = 0, .beta2 = 0, .clip_grad = 1});
    w.step();
    const float factor = static_cast<float>(1 / (5 + 1e-6));
    CHECK(w.optimizer.export_fp32(slot::exp_avg, 0) == std::vector<float>{factor * 3, factor * 4});
    CHECK(w.grads == std::vector<float>{3, 4});
}

TEST_CASE("a norm above the threshold skips the step, a norm at it does not") {
    // Report B21.
    const std::pair<double, step_status> table[]{{9.9, step_status::applied},
                                                 {10.0, step_status::applied},
                                                 {10.0001, step_status::skipped_norm},
                                                 {infinity, step_status::skipped_found_inf},
                                                 {not_a_number, step_status::skipped_found_inf}};
    for (const auto& [norm, status] : table) {
        pair_of_weights w({.grad_norm_skip_threshold = 10});
        CHECK(w.step({.grad_norm = norm}).status == status);
        CHECK((w.params == std::vector<float>{1, 2}) == (status != step_status::applied));
    }
    pair_of_weights w({.grad_norm_skip_threshold = 4});
    const step_result r = w.step();
    CHECK(r.status == step_status::skipped_norm);
    CHECK(r.grad_norm == 5);
    CHECK(r.clip_coefficient == 1);
    CHECK(r.step == 0);
    CHECK(w.params == std::vector<float>{1, 2});
    CHECK(w.optimizer.export_fp32(slot::exp_avg, 0) == std::vector<float>{0, 0});
    CHECK(w.optimizer.export_fp32(slot::exp_avg_sq, 0) == std::vector<float>{0, 0});
}

TEST_CASE("a step skipped for its norm is a good step of the loss scaler") {
    pair_of_weights w({.grad_norm_skip_threshold = 1},
                      {.loss_scaler = loss_scaler_settings{.initial_loss_scale = 2, .loss_scale_window = 2}});
    CHECK(w.step().status == step_status::skipped_norm);
    CHECK(w.optimizer.scaler()->current() == loss_scaler::state{2, 1, 2});
    CHECK(w.step().loss_scale == 4);
}

TEST_CASE("a norm from outside gives the bits of the reading pass") {
    for (const double clip : {0.0, 0.01}) {
        fp32_model read({.clip_grad = clip}), told({.clip_grad = clip});
        for (std::uint64_t i = 0; i < 5; ++i) {
            read.new_grads(i);
            told.new_grads(i);
            const step_result r = read.step();
            const step_result t = told.step({.grad_norm = r.grad_norm});
            CHECK(t.grad_norm == r.grad_norm);
            CHECK(t.clip_coefficient == r.clip_coefficient);
            CHECK((clip == 0 || r.clip_coefficient < 1));
            CHECK(read.digest() == told.digest());
        }
    }
}

TEST_CASE("grad_scale multiplies the gradients before norm and update") {
    fp32_model plain({.clip_grad = 0.01}), scaled({.clip_grad = 0.01});
    CHECK(digest_after(plain, 5) == digest_after(scaled, 5, {.grad_scale = 0.25}, 4));
    pair_of_weights w({});
    CHECK(w.step({.grad_scale = 0.5}).grad_norm == 2.5);
    CHECK(w.step({.grad_scale = 0}).grad_norm == 0);
    CHECK_THROWS_AS(w.step({.grad_scale = -2}), config_error);
}

TEST_CASE("a gradient outside the norm that overflows once unscaled skips the step too") {
    std::vector<float> a{1}, b{1}, ga{2}, gb{1e38f};
    const std::vector<tensor_info> tensors{{.name = "a"}, {.name = "b", .in_norm = false}};
    const std::vector<std::span<float>> params{a, b};
    adam<presets::full_fp32> optimizer(tensors, params, {.clip_grad = 0});
    const std::vector<std::span<const float>> grads{ga, gb};
    const step_result result = optimizer.step(params, grads, {.grad_scale = 100});
    CHECK(result.status == step_status::skipped_found_inf);
    CHECK(result.step == 0);
    CHECK(a[0] == 1);
    CHECK(b[0] == 1);
    CHECK(optimizer.step(params, grads).status == step_status::applied);
}

TEST_CASE("a learning rate that overflows in a group is refused") {
    std::vector<float> a{1}, ga{1};
    const std::vector<std::span<float>> params{a};
    adam<presets::full_fp32> optimizer(std::vector<tensor_info>{{.name = "a"}}, params, {.lr = 1},
                                       optimizer_options{.groups = {{.lr_mult = 1e30}}});
    CHECK_THROWS_AS(optimizer.step(params, std::vector<std::span<const float>>{ga}, {.lr = 1e20}),
                    config_error);
    CHECK(a[0] == 1);
}

TEST_CASE("constant weights are not parameters") {
    static_assert(parameter_list<std::vector<std::span<float>>> && parameter_list<std::vector<tensor_view>>);
    static_assert(tensor_list<std::vector<std::span<const float>>> &&
                  !parameter_list<std::vector<std::span<const float>>>);
}

TEST_CASE("gradients that fp32 cannot hold once they are unscaled skip the step") {
    pair_of_weights w({.clip_grad = 0});
    w.grads = {3e38f, 0};
    CHECK(w.step({.grad_scale = 10}).status == step_status::skipped_found_inf);
    CHECK(w.params == std::vector<float>{1, 2});
    // Clipping brings them back into reach.
    pair_of_weights clipped({.clip_grad = 1});
    clipped.grads = {3e38f, 0};
    CHECK(clipped.step({.grad_scale = 10}).status == step_status::applied);
}

TEST_CASE("fp16 starts with Megatron's scale, which scaled gradients undo") {
    CHECK(model<presets::scaled_fp16>().optimizer.loss_scale() == 4294967296.0);
    const auto with_scale = [](double scale) {
        return optimizer_options{.loss_scaler = loss_scaler_settings{.initial_loss_scale = scale}};
    };
    model<presets::scaled_fp16> scaled({}, with_scale(32768)), plain({}, with_scale(1));
    CHECK(digest_after(scaled, 5, {}, 32768) == digest_after(plain, 5));
    CHECK(scaled.step().grad_norm == plain.step({.grad_scale = 1}).grad_norm);
}

TEST_CASE("a constant scale works in bf16, and is always at its floor") {
    model<presets::lean_bf16> scaled({}, {.loss_scaler = loss_scaler_settings{.loss_scale = 1024.0}}), plain;
    CHECK(scaled.optimizer.loss_scale() == 1024);
    CHECK(digest_after(scaled, 5, {}, 1024) == digest_after(plain, 5));
    scaled.grads[0][0] = {0x7F80};
    const step_result r = scaled.step();
    CHECK(r.status == step_status::skipped_found_inf);
    CHECK(r.loss_scale == 1024);
    CHECK(r.loss_scale_at_floor);
}

TEST_CASE("the loss scale reported is the one of the next loss") {
    model<presets::scaled_fp16> m(
        {}, {.loss_scaler = loss_scaler_settings{
                 .initial_loss_scale = 4, .min_loss_scale = 2, .loss_scale_window = 1, .hysteresis = 1}});
    CHECK(m.step().loss_scale == 8);
    m.grads[0][0] = std::numeric_limits<float>::infinity();
    CHECK(m.step().loss_scale == 4);
    const step_result r = m.step();
    CHECK(r.loss_scale == 2);
    CHECK(r.loss_scale_at_floor);
    CHECK(m.optimizer.step_count() == 1);
}
