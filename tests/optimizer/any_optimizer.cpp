// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! any_optimizer: its schedule, its queries by name, and its errors.
#include "model.hpp"

#include <adamant/optimizer/any_optimizer.hpp>
#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

#include <cfenv>

using namespace adamant;

namespace {

using some = catalogue<presets::full_fp32, presets::lean_bf16, presets::scaled_fp16>;

const schedule falling({.lr = 1, .lr_decay_steps = 10});  // lr(n) = 1 - n/10

//! Two fp32 tensors, "a" of ones and "b" of twos.
struct pair {
    std::vector<float> a = std::vector<float>(3, 1), b = std::vector<float>(5, 2),
                       grads = std::vector<float>(5);
    any_optimizer optimizer;

    explicit pair(const std::optional<schedule>& plan = {}, std::int64_t increment = 1,
                  const hyperparameters& hyper = {})
        : optimizer(make_optimizer<some>(presets::full_fp32::spec,
                                         std::vector<tensor_info>{{.name = "a"}, {.name = "b"}}, params(),
                                         hyper, {}, plan, increment)) {}

    std::vector<tensor_view> params() { return {std::span(a), std::span(b)}; }
    step_result step(const step_options& options = {}) {
        return optimizer.step(params(), std::vector<tensor_view>{std::span(grads).first(3), std::span(grads)},
                              options);
    }
};

static_assert(std::is_move_constructible_v<any_optimizer> && std::is_move_assignable_v<any_optimizer>);
static_assert(!std::is_copy_constructible_v<any_optimizer> && !std::is_copy_assignable_v<any_optimizer>);

}  // namespace

TEST_CASE("the k-th applied step uses lr(k - 1), and a skipped step does not count") {
    pair m(falling);
    for (int k = 0; k < 3; ++k) CHECK(m.step().lr == doctest::Approx(1 - k / 10.0).epsilon(1e-12));
    m.grads[0] = std::numeric_limits<float>::infinity();
    for (int i = 0; i < 2; ++i) {
        const step_result skipped = m.step();
        CHECK(skipped.status == step_status::skipped_found_inf);
        CHECK(skipped.lr == doctest::Approx(0.7).epsilon(1e-12));
        CHECK(m.optimizer.schedule_position() == 3);
    }
    m.grads[0] = 0;
    CHECK(m.step().lr == doctest::Approx(0.7).epsilon(1e-12));
    CHECK(m.optimizer.schedule_position() == 4);
    CHECK(m.optimizer.step_count() == 4);
}

TEST_CASE("a step skipped for its norm does not advance the schedule") {
    pair m(falling, 1, {.grad_norm_skip_threshold = 1});
    CHECK(m.step({.grad_norm = 2.0}).status == step_status::skipped_norm);
    CHECK(m.optimizer.schedule_position() == 0);
    CHECK_THROWS_AS(m.step({.grad_norm = -2.0}), config_error);
    CHECK(m.optimizer.schedule_position() == 0);
}

TEST_CASE("a schedule in samples moves by the samples of a step") {
    pair m(schedule({.lr = 1, .lr_decay_steps = 80}), 8);
    for (int k = 0; k < 3; ++k) CHECK(m.step().lr == doctest::Approx(1 - k / 10.0).epsilon(1e-12));
    CHECK(m.optimizer.schedule_position() == 24);
    CHECK(m.optimizer.step_count() == 3);
}

TEST_CASE("position and step count are set and read apart") {
    pair m(falling);
    m.optimizer.set_schedule_position(5);
    m.optimizer.set_step_count(7);
    CHECK(m.optimizer.schedule_position() == 5);
    CHECK(m.optimizer.step_count() == 7);
    const step_result r = m.step();
    CHECK(r.lr == doctest::Approx(0.5).epsilon(1e-12));
    CHECK(r.step == 8);
    CHECK(m.optimizer.schedule_position() == 6);
    CHECK_THROWS_AS(m.optimizer.set_step_count(-1), state_error);
    CHECK_THROWS_AS(m.optimizer.set_schedule_position(-1), state_error);
    CHECK(m.optimizer.schedule_position() == 6);
}

TEST_CASE("an increment moves forward") {
    for (const std::int64_t bad : {0, -1}) CHECK_THROWS_AS(pair(falling, bad), config_error);
}

TEST_CASE("weight decay follows the schedule") {
    pair m(schedule({.lr = 0.5,
                     .lr_decay_steps = 10,
                     .style = lr_decay_style::constant,
                     .start_weight_decay = 0,
                     .end_weight_decay = 1,
                     .weight_decay_incr_style = wd_incr_style::linear,
                     .weight_decay_incr_steps = 2}));
    for (const float expected : {1.0f, 0.75f, 0.375f}) {
        m.step();
        CHECK(m.a == std::vector<float>(3, expected));
    }
}

TEST_CASE("a step's own lr and weight decay win over the schedule, which goes on") {
    pair m(schedule({.lr = 0.5,
                     .lr_decay_steps = 10,
                     .style = lr_decay_style::constant,
                     .start_weight_decay = 0.5,
                     .end_weight_decay = 0.5}));
    CHECK(m.step({.lr = 0.25}).lr == 0.25);
    CHECK(m.a == std::vector<float>(3, 0.875f));
    m.step({.weight_decay = 0.0});
    CHECK(m.a == std::vector<float>(3, 0.875f));
    CHECK(m.optimizer.schedule_position() == 2);
}

TEST_CASE("a rounding mode of the program does not reach the schedule") {
    const schedule plan({.lr = 7e-4, .lr_decay_steps = 40, .style = lr_decay_style::cosine});
    pair m(plan);
    for (std::int64_t n = 0; n < 40; ++n) {
        std::fesetround(FE_UPWARD);
        const double lr = m.step().lr;
        std::fesetround(FE_TONEAREST);
        CHECK(lr == plan.lr(n));
    }
}

TEST_CASE("without a schedule the optimizer's own rate is used") {
    pair m({}, 1, {.lr = 0.125});
    CHECK(!m.optimizer.schedule());
    CHECK(m.step().lr == 0.125);
    CHECK(m.optimizer.hyper().lr == 0.125);
}

TEST_CASE("slots and tensors are found by name, unknown names are state errors") {
    pair m;
    CHECK(m.optimizer.tensor_index("b") == 1);
    CHECK(says(thrown<state_error>([&] { m.optimizer.tensor_index("c"); }), {"'c'"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.state("momentum", 0); }), {"'momentum'", "exp_avg"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.export_fp32("", 0); }), {"''"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.import_fp32("exp_avgs", 0, m.a); }), {"'exp_avgs'"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.state("exp_avg", 2); }), {"no tensor 2"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.export_fp32("exp_avg_sq", 2); }), {"no tensor 2"}));

    const slot_view nothing = m.optimizer.state("main_params", 0);
    CHECK(nothing.kind == dtype::none);
    CHECK(nothing.size == 0);
    m.optimizer.import_fp32("exp_avg", 1, m.b);
    const slot_view codes = m.optimizer.state("exp_avg", 1);
    CHECK(codes.kind == dtype::fp32);
    CHECK(codes.size == 5);
    CHECK(*static_cast<const float*>(codes.data) == 2);
    CHECK(m.optimizer.export_fp32("exp_avg", 1) == m.b);
}

TEST_CASE("a mismatch names tensor, expected and got, and changes nothing") {
    pair m(falling);
    std::vector<bfloat16> low(3);
    const std::vector<tensor_view> grads{std::span(m.grads).first(3), std::span(m.grads)};
    CHECK(says(thrown<shape_error>([&] {
                   m.optimizer.step(std::vector<tensor_view>{std::span(low), std::span(m.b)}, grads);
               }),
               {"tensor 0 'a'", "expected fp32", "got bf16"}));
    CHECK(says(thrown<shape_error>([&] {
                   m.optimizer.step(std::vector<tensor_view>{std::span(m.a), std::span(m.a)}, grads);
               }),
               {"tensor 1 'b'", "expected 5", "got 3"}));
    CHECK(m.optimizer.schedule_position() == 0);
    CHECK(m.optimizer.step_count() == 0);
    CHECK(m.a == std::vector<float>(3, 1));
}

TEST_CASE("a policy outside the catalogue, or against the rules, is refused before anything is built") {
    std::vector<bfloat16> weights(3);
    const std::vector<tensor_view> params{std::span(weights)};
    const auto make = [&](const policy_spec& spec) {
        return thrown<config_error>([&] { make_optimizer<some>(spec, {}, params, {.beta2 = 0.95}); });
    };
    CHECK(says(make(presets::megatron_bf16::spec), {"catalogue", "policy<mode<bf16>>"}));
    policy_spec broken = presets::megatron_bf16::spec;
    broken.exp_avg = {dtype::bf16, rounding::nearest};
    CHECK(says(make(broken), {"exp_avg", "precision_aware"}));
    CHECK(make(presets::lean_bf16::spec) == "nothing was thrown");
}

TEST_CASE("masters are set and reloaded through the run-time interface") {
    std::vector<bfloat16> weights(3);
    const std::vector<tensor_view> params{std::span(weights)};
    any_optimizer optimizer = make_optimizer<some>(presets::lean_bf16::spec, {}, params, {.beta2 = 0.95});
    const std::vector<float> values{0x1.000002p0f, -3, 0};
    optimizer.init_masters(params, std::vector<tensor_view>{std::span(values)});
    any_optimizer moved = std::move(optimizer);
    CHECK(moved.export_fp32("main_params", 0, params[0]) == values);
    moved.reload_masters(params);
    CHECK(moved.export_fp32("main_params", 0, params[0]) == std::vector<float>{1, -3, 0});
    CHECK(moved.state("main_params", 0).kind == dtype::remainder16);
    CHECK(moved.loss_scale() == 1);
    CHECK(!moved.scaler());
}
