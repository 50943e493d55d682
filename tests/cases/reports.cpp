// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Public bug reports boiled down to numbers (reports/BNN.json): what other trainers got wrong, held here.
#include "directories.hpp"
#include "report.hpp"

#include <unjudged.hpp>

#include <adamant/adamant.hpp>
#include <adamant/yaml/yaml.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using cases::json, cases::report;
using namespace adamant;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

//! "inf" and "nan" are texts in JSON.
float number(const json& value) {
    if (value == "inf") return infinity;
    if (value == "nan") return nan;
    if (value.is_string()) return std::stof(value.get<std::string>());
    return value.get<float>();
}

std::vector<float> numbers(const json& list) {
    std::vector<float> result;
    for (const json& value : list) result.push_back(number(value));
    return result;
}

//! A list of tensors under one optimizer.
template <class Policy>
struct model {
    using param_t = typename adam<Policy>::param_t;
    using grad_t = typename adam<Policy>::grad_t;

    model(const std::vector<std::vector<float>>& start, const hyperparameters& hyper,
          optimizer_options options = {})
        : params(rounded_to<param_t>(start)), optimizer(lists(), hyper, unjudged(std::move(options))) {}

    template <class T>
    static std::vector<std::vector<T>> rounded_to(const std::vector<std::vector<float>>& tensors) {
        std::vector<std::vector<T>> result;
        for (const auto& tensor : tensors) {
            result.emplace_back();
            for (const float value : tensor) result.back().push_back(round_to<T>(value));
        }
        return result;
    }
    std::vector<std::span<param_t>> lists() { return {params.begin(), params.end()}; }
    step_result step(const std::vector<std::vector<float>>& gradients, const step_options& options = {}) {
        const auto grads = rounded_to<grad_t>(gradients);
        const std::vector<std::span<const grad_t>> views(grads.begin(), grads.end());
        return optimizer.step(lists(), views, options);
    }
    float exp_avg(std::size_t i = 0) { return optimizer.export_fp32(slot::exp_avg, 0)[i]; }
    float exp_avg_sq(std::size_t i = 0) { return optimizer.export_fp32(slot::exp_avg_sq, 0)[i]; }

    std::vector<std::vector<param_t>> params;
    adam<Policy> optimizer;
};

using plain = presets::full_fp32;
constexpr hyperparameters no_decay{.weight_decay = 0, .clip_grad = 0};

}  // namespace

TEST_CASE("B01: a bf16 weight with a master moves, whatever its own grid") {
    const json expected = report("B01")["expected"];
    model<presets::megatron_bf16> with_master({{1.0f}}, no_decay);
    model<policy<mode<bf16>, precision_aware>> with_remainder({{1.0f}}, no_decay);
    for (int i = 0; i < 100; ++i) with_master.step({{1.0f}}), with_remainder.step({{1.0f}});
    const float master =
        with_master.optimizer.export_fp32(slot::main_params, 0, std::span(with_master.params[0]))[0];
    CHECK(std::abs(double{master} - expected["fp32_master"].get<double>()) <= 2.4e-7);
    CHECK(to_float(with_master.params[0][0]) == expected["bf16_of_master"].get<float>());
    CHECK(with_remainder.optimizer.export_fp32(slot::main_params, 0,
                                               std::span(with_remainder.params[0]))[0] == master);
    // Without master nearest rounding stands still for ever: it is not a policy.
    policy_spec without = presets::megatron_bf16::spec;
    without.precision_aware = true;
    without.main_params = {dtype::none, rounding::nearest};
    CHECK(first_broken(without)->sentence == rules::none_is_stochastic::sentence);
}

TEST_CASE(
    "B03: betas are never rounded to the state's dtype, and the cost of bf16 to nearest is what it is") {
    const json expected = report("B03")["expected"];
    const hyperparameters hyper{.lr = 0, .weight_decay = 0, .clip_grad = 0};
    const auto after_1000 = [&]<class Policy>(std::type_identity<Policy>, float g) {
        model<Policy> m({{0.0f}}, hyper);
        m.optimizer.import_fp32(slot::exp_avg_sq, 0, std::vector<float>{1.0f});
        for (int i = 0; i < 1000; ++i) m.step({{g}});
        return m.exp_avg_sq();
    };
    using in_bf16 = policy<mode<fp32>, precision_aware, exp_avg_sq<bf16>>;
    CHECK(after_1000(std::type_identity<plain>{}, 0.0f) ==
          doctest::Approx(expected["decay_fp32"].get<double>()).epsilon(1e-5));
    CHECK(after_1000(std::type_identity<plain>{}, std::sqrt(2.0f)) ==
          doctest::Approx(expected["rise_fp32"].get<double>()).epsilon(1e-5));
    CHECK(after_1000(std::type_identity<in_bf16>{}, 0.0f) == expected["decay_bf16_rne"].get<float>());
    CHECK(after_1000(std::type_identity<in_bf16>{}, std::sqrt(2.0f)) ==
          expected["rise_bf16_rne"].get<float>());
    // (b3) of the report: with g^2 = 8 the rise ends where a step is half a gap of the grid.
    CHECK(after_1000(std::type_identity<plain>{}, std::sqrt(8.0f)) ==
          doctest::Approx(expected["rise8_fp32"].get<double>()).epsilon(1e-5));
    CHECK(after_1000(std::type_identity<in_bf16>{}, std::sqrt(8.0f)) ==
          expected["rise8_bf16_rne"].get<float>());
    // (a): in bf16 beta2 would be 1, and nothing would ever move.
    CHECK(to_float(to_bfloat16(0.999f)) == expected["bf16_of_beta2"].get<float>());
}

TEST_CASE("B04: zero gradients of fp16 weights change nothing and make no NaN, with fp16 state too") {
    const json all = report("B04");
    const auto after = numbers(all["expected"]["p_after"]);
    const auto check = [&]<class Policy>(std::type_identity<Policy>) {
        model<Policy> m({numbers(all["inputs"]["p"])}, no_decay);
        for (int i = 0; i < 3; ++i) CHECK(m.step({{0.0f, 0.0f, 0.0f}}).status == step_status::applied);
        for (std::size_t i = 0; i < after.size(); ++i) CHECK(to_float(m.params[0][i]) == after[i]);
    };
    check(std::type_identity<policy<mode<fp16>, grad_reduce_in_fp32<false>>>{});
    check(std::type_identity<policy<mode<fp16>, precision_aware, main_params<fp16>,
                                    grad_reduce_in_fp32<false>, exp_avg<fp16>, exp_avg_sq<fp16>>>{});
    CHECK(to_float(to_float16(1e-8f)) == all["expected"]["eps_as_fp16"].get<float>());
}

TEST_CASE("B07: a skipped iteration leaves no trace in step, moments or schedule") {
    const json all = report("B07");
    const json& expected = all["expected"];
    model<plain> skipping({{1.0f}}, no_decay), finite({{1.0f}}, no_decay);
    for (const float g : numbers(all["inputs"]["grads"])) {
        CHECK((skipping.step({{g}}).status == step_status::skipped_found_inf) == std::isinf(g));
        if (std::isfinite(g)) finite.step({{g}});
    }
    CHECK(skipping.optimizer.step_count() == expected["step"]);
    CHECK(skipping.params == finite.params);
    CHECK(skipping.params[0][0] == doctest::Approx(expected["p"].get<double>()).epsilon(2.4e-7));
    CHECK(skipping.exp_avg() == doctest::Approx(expected["m"].get<double>()).epsilon(2.4e-7));
    CHECK(skipping.exp_avg_sq() == doctest::Approx(expected["v"].get<double>()).epsilon(2.4e-7));

    std::vector<float> weights{1.0f};
    const std::vector<tensor_view> params{std::span<float>(weights)};
    auto any = make_optimizer<catalogue<plain>>(plain::spec, {}, params, no_decay, {},
                                                schedule({.lr_decay_steps = 100}));
    for (float g : numbers(all["inputs"]["grads"]))
        any.step(params, std::vector<tensor_view>{std::span<float>(&g, 1)});
    CHECK(any.schedule_position() == expected["scheduler_steps"]);
}

TEST_CASE("B09: the scale stops at its floor and says so") {
    const json expected = report("B09")["expected"];
    loss_scaler scaler({.min_loss_scale = 1, .hysteresis = 2});
    for (int i = 1; i <= 60; ++i) {
        scaler.update(true);
        const std::string key = "scale_after_" + std::to_string(i);
        if (expected.contains(key)) CHECK(scaler.scale() == expected[key].get<double>());
        CHECK(scaler.at_floor() == (i >= 33));
    }
    CHECK(std::isfinite(1 / scaler.scale()));
}

TEST_CASE("B11: gradients are unscaled in fp32, not in their own dtype") {
    const json all = report("B11");
    const double scale = all["inputs"]["scale"];
    model<policy<mode<fp16>, grad_reduce_in_fp32<false>>> m(
        {{0.0f, 0.0f, 0.0f}}, no_decay, {.loss_scaler = loss_scaler_settings{.initial_loss_scale = scale}});
    m.step({numbers(all["expected"]["scaled_fp16"])});
    const auto unscaled = numbers(all["expected"]["unscaled_fp32"]);
    // After the first step exp_avg is (1 - beta1) of the gradient.
    for (std::size_t i = 0; i < unscaled.size(); ++i) CHECK(m.exp_avg(i) == (1.0f - 0.9f) * unscaled[i]);
}

TEST_CASE("B13: NaN in bf16 mode without any scaler changes nothing and is reported") {
    const json all = report("B13");
    model<presets::megatron_bf16> m({numbers(all["inputs"]["p"])}, {.clip_grad = 1});
    const auto before = m.params;
    const step_result result = m.step({numbers(all["inputs"]["grad"])});
    CHECK(result.status == step_status::skipped_found_inf);
    CHECK(std::isnan(result.grad_norm));
    CHECK(m.params == before);
    CHECK(m.optimizer.export_fp32(slot::exp_avg, 0) == numbers(all["expected"]["m_after"]));
    CHECK(m.optimizer.export_fp32(slot::exp_avg_sq, 0) == numbers(all["expected"]["v_after"]));
    CHECK(m.optimizer.step_count() == all["expected"]["step_after"]);
}

TEST_CASE("B15: the norm does not overflow where every gradient is finite") {
    const json expected = report("B15")["expected"];
    model<plain> m({std::vector<float>(100)}, {.weight_decay = 0, .clip_grad = 1});
    const step_result result = m.step({std::vector<float>(100, 1e20f)});
    const double tolerance = expected["tolerance_rel"];
    CHECK(result.grad_norm == doctest::Approx(expected["norm"].get<double>()).epsilon(tolerance));
    CHECK(m.exp_avg() == doctest::Approx(0.1 * expected["clipped_each"].get<double>()).epsilon(tolerance));
}

TEST_CASE("B17: the clip coefficient, and clipping off") {
    const json table = report("B17")["expected"]["table"];
    for (const json& row : table) {
        const double coefficient = clip_coefficient(row["norm"], 1.0);
        CHECK(coefficient == doctest::Approx(row["coef_double"].get<double>()).epsilon(1e-15));
        // The fp32 column divides in fp32: a unit in the last place apart at most.
        CHECK(coefficient == doctest::Approx(row["coef_fp32"].get<double>()).epsilon(1.2e-7));
        CHECK((coefficient < 1) == row["scaled"].get<bool>());
    }
    for (const double off : {0.0, -1.0, std::numeric_limits<double>::infinity()})
        CHECK(clip_coefficient(1e9, off) == 1);
}

TEST_CASE("B19: squares are summed exactly, whatever the gradients' dtype") {
    grad_statistics total;
    const bfloat16 one = to_bfloat16(1);
    for (int rank = 0; rank < 1000; ++rank) {
        grad_statistics part;
        read_gradients<bfloat16>(&one, 0, 1, true, part);
        total.add(part);
    }
    CHECK(total.norm() == doctest::Approx(report("B19")["expected"]["norm"].get<double>()).epsilon(1e-15));
}

TEST_CASE("B21: a norm above the threshold skips the step, the threshold itself does not") {
    const json all = report("B21");
    const auto norms = all["inputs"]["norms"];
    for (std::size_t i = 0; i < norms.size(); ++i) {
        model<plain> m({{1.0f}}, {.clip_grad = 0, .grad_norm_skip_threshold = all["inputs"]["threshold"]});
        const step_result read = m.step({{number(norms[i])}});
        CHECK((read.status == step_status::applied) == all["expected"]["step_taken"][i]);
        const step_result handed_in = m.step({{1.0f}}, {.grad_norm = double{number(norms[i])}});
        CHECK(handed_in.status == read.status);
        CHECK((m.params[0][0] != 1.0f) == all["expected"]["step_taken"][i]);
    }
}

TEST_CASE("B23: tensors without elements are no-ops wherever they stand") {
    const json all = report("B23");
    const auto after = numbers(all["expected"]["A_after"]);
    model<plain> a({numbers(all["inputs"]["A"]["p"]), {}}, no_decay);
    a.step({numbers(all["inputs"]["A"]["g"]), {}});
    for (std::size_t i = 0; i < after.size(); ++i)
        CHECK(a.params[0][i] == doctest::Approx(after[i]).epsilon(1.2e-7));
    model<plain> b({{1.0f}, {1.0f}, {}, {1.0f}, {}}, no_decay);
    b.step({{1.0f}, {1.0f}, {}, {1.0f}, {}});
    for (const std::size_t i : std::initializer_list<std::size_t>{0, 1, 3}) CHECK(b.params[i][0] < 1.0f);
    model<plain> c({{}, {}}, no_decay);
    CHECK(c.step({{}, {}}).step == 1);
    std::vector<std::vector<float>> many(40, {1.0f}), gradients(40, {0.5f});
    many[36] = gradients[36] = many[30] = gradients[30] = {};
    model<plain> d(many, no_decay), alone({{1.0f}}, no_decay);
    d.step(gradients);
    alone.step({{0.5f}});
    for (std::size_t i = 0; i < many.size(); ++i)
        if (!many[i].empty()) CHECK(d.params[i] == alone.params[0]);
}

TEST_CASE("B26: the step counter does not saturate") {
    const json table = report("B26")["expected"]["table"];
    for (const json& row : table) {
        const std::int64_t step = row["step"];
        CAPTURE(step);
        // The table's betas are decimals, ours are their fp32 neighbours: 1 - beta^t moves by less than 1e-4
        // of itself.
        CHECK(one_minus_power(double{0.9f}, step) == doctest::Approx(row["bc1"].get<double>()).epsilon(1e-6));
        CHECK(one_minus_power(double{0.999f}, step) ==
              doctest::Approx(row["bc2"].get<double>()).epsilon(1e-4));
    }
    model<plain> m({{1.0f}}, no_decay);
    m.optimizer.set_step_count(16777216);
    CHECK(m.step({{1.0f}}).step == 16777217);
}

TEST_CASE("B28: an optimizer without elements counts its steps") {
    const std::int64_t iterations = report("B28")["expected"]["saved_step_on_every_rank"];
    model<plain> m({}, no_decay);
    for (std::int64_t i = 0; i < iterations; ++i) m.step({});
    CHECK(m.optimizer.step_count() == iterations);
}

TEST_CASE("B30: nothing is recorded before the first step") {
    model<plain> m({{1.0f}}, no_decay);
    m.step({{infinity}});
    CHECK(m.optimizer.step_count() == report("B30")["expected"]["step"]);
    m.step({{1.0f}});
    CHECK(m.params[0][0] == doctest::Approx(0.9990000128746033).epsilon(1.2e-7));
}

TEST_CASE("B33: with lr 0 parameters keep their value, moments and step advance") {
    const json all = report("B33");
    const json& expected = all["expected"];
    model<plain> m({numbers(all["inputs"]["p"])}, {.lr = 0, .weight_decay = 0.1, .clip_grad = 0});
    const auto before = m.params;
    m.step({numbers(all["inputs"]["g"])});
    CHECK(m.params == before);  // +0 and -0 are equal
    CHECK(m.optimizer.export_fp32(slot::exp_avg, 0) == numbers(expected["m_after"]));
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(m.exp_avg_sq(i) == doctest::Approx(expected["v_after"][i].get<double>()).epsilon(2.4e-7));
    CHECK(m.optimizer.step_count() == expected["step"]);
}

TEST_CASE("B35: a tied weight is registered once and steps once with the summed gradient") {
    const json all = report("B35");
    const json& expected = all["expected"];
    model<plain> m({{1.0f}},
                   {.lr = all["inputs"]["lr"], .weight_decay = all["inputs"]["wd"], .clip_grad = 0});
    const std::int64_t size[] = {1};
    grad_bucket<plain> bucket(size);
    for (const char* key : {"g1", "g2"}) {
        const float gradient = all["inputs"][key];
        bucket.accumulate(0, std::span(&gradient, 1));
    }
    m.optimizer.step(m.lists(), bucket.views());
    CHECK(m.params[0][0] == doctest::Approx(expected["correct_p"].get<double>()).epsilon(1.2e-7));
    CHECK(m.exp_avg() == doctest::Approx(expected["correct_m"].get<double>()).epsilon(1.2e-7));
    CHECK(m.exp_avg_sq() == doctest::Approx(expected["correct_v"].get<double>()).epsilon(2.4e-7));
    std::vector<float> weight{1.0f};
    const std::vector<std::span<float>> twice{weight, weight};
    CHECK_THROWS_AS(adam<plain>(twice, no_decay), shape_error);
}

TEST_CASE("B36: the policy that takes a state decides its dtype, and narrowing has to be asked for") {
    const json all = report("B36");
    const auto word = [](const json& text) {
        return static_cast<std::uint32_t>(std::stoul(text.get<std::string>(), nullptr, 16));
    };
    const auto value = [&](const json& text) { return from_bits(word(text)); };
    const json &in = all["inputs"], &expected = all["expected"];
    using wide = presets::megatron_bf16;
    using low = policy<mode<bf16>, precision_aware, main_params<fp32>, exp_avg<bf16>, exp_avg_sq<bf16>>;
    model<wide> from({{0.0f}}, no_decay), same({{0.0f}}, no_decay), back({{0.0f}}, no_decay);
    model<low> narrow({{0.0f}}, no_decay);
    const std::vector<float> master{value(in["master"])};
    from.optimizer.init_masters(from.lists(), std::vector<std::span<const float>>{master});
    from.optimizer.import_fp32(slot::exp_avg, 0, std::vector<float>{value(in["m"])});
    from.optimizer.import_fp32(slot::exp_avg_sq, 0, std::vector<float>{value(in["v"])});
    CHECK(from.params[0][0].bits == word(expected["param_bits"]));

    same.params = narrow.params = back.params = from.params;
    convert(from.optimizer, same.optimizer, same.lists());
    const auto master_of = [](auto& m) {
        return m.optimizer.export_fp32(slot::main_params, 0, std::span(m.params[0]))[0];
    };
    CHECK(to_bits(same.exp_avg()) == word(expected["loaded_into_fp32"][0]));
    CHECK(to_bits(same.exp_avg_sq()) == word(expected["loaded_into_fp32"][1]));
    CHECK(to_bits(master_of(same)) == word(expected["loaded_into_fp32"][2]));

    static_assert(!is_lossless_v<wide, low> && is_lossless_v<low, wide>);
    convert(from.optimizer, narrow.optimizer, narrow.lists(), narrowing);
    CHECK(narrow.optimizer.state<slot::exp_avg>(0)[0].bits == word(expected["loaded_into_bf16_state"][0]));
    CHECK(narrow.optimizer.state<slot::exp_avg_sq>(0)[0].bits == word(expected["loaded_into_bf16_state"][1]));
    CHECK(to_bits(master_of(narrow)) == word(expected["loaded_into_fp32"][2]));
    convert(narrow.optimizer, back.optimizer, back.lists());
    CHECK(to_bits(back.exp_avg()) == word(expected["bf16_file_into_fp32"][0]));
    CHECK(to_bits(back.exp_avg_sq()) == word(expected["bf16_file_into_fp32"][1]));
}

TEST_CASE("B45: micro-batches add up in fp32 by default, and a bf16 bucket has its cost") {
    const json expected = report("B45")["expected"];
    const std::int64_t sizes[] = {1};
    const auto sum_of = [&]<class T>(basic_grad_bucket<T> bucket, float first, float each, int times) {
        bucket.accumulate(0, std::span<const float>(&first, 1));
        for (int i = 0; i < times; ++i) bucket.accumulate(0, std::span<const float>(&each, 1));
        return to_float(bucket[0][0]);
    };
    CHECK(sum_of(grad_bucket<presets::megatron_bf16>(sizes), 0, 1, 512) == expected["fp32"].get<float>());
    CHECK(sum_of(grad_bucket<presets::lean_bf16>(sizes), 0, 1, 512) == expected["bf16"].get<float>());
    // The report's sum is exact; 400 additions in fp32 may each be off by 2^-24 of the sum.
    CHECK(sum_of(grad_bucket<presets::megatron_bf16>(sizes), 1, 0.001f, 400) ==
          doctest::Approx(expected["small_fp32"].get<double>()).epsilon(400 * 0x1p-24));
    CHECK(sum_of(grad_bucket<presets::lean_bf16>(sizes), 1, 0.001f, 400) ==
          expected["small_bf16"].get<float>());
    static_assert(std::is_same_v<grad_bucket<presets::megatron_bf16>::value_type, float>);
}

TEST_CASE("B47 and B49: the schedule goes on from exactly the saved position") {
    const json b47 = report("B47");
    std::vector<float> weight{1.0f};
    const std::vector<tensor_view> params{std::span<float>(weight)};
    const auto resumed = [&](const schedule_settings& settings, std::int64_t position) {
        auto optimizer =
            make_optimizer<catalogue<plain>>(plain::spec, {}, params, no_decay, {}, schedule(settings));
        optimizer.set_schedule_position(position);
        optimizer.set_schedule_position(position);  // loading twice does not advance it
        return optimizer;
    };
    const auto lr_of = [&](any_optimizer& optimizer) {
        float g = 1;
        return optimizer.step(params, std::vector<tensor_view>{std::span<float>(&g, 1)}).lr;
    };
    auto optimizer = resumed({.lr = b47["inputs"]["max_lr"],
                              .min_lr = b47["inputs"]["min_lr"],
                              .lr_warmup_steps = b47["inputs"]["warm"],
                              .lr_decay_steps = b47["inputs"]["decay"],
                              .style = lr_decay_style::cosine},
                             b47["inputs"]["saved"]);
    CHECK(lr_of(optimizer) == doctest::Approx(b47["expected"]["lr_after_load"].get<double>()).epsilon(1e-12));
    CHECK(lr_of(optimizer) == doctest::Approx(b47["expected"]["lr_next"].get<double>()).epsilon(1e-12));

    const json b49 = report("B49");
    for (const auto& [max_lr, key] : {std::pair{"saved_max_lr", "use_checkpoint_true"},
                                      {"new_max_lr", "override_new_values_keep_position"}}) {
        auto with = resumed({.lr = b49["inputs"][max_lr],
                             .lr_decay_steps = b49["inputs"]["decay"],
                             .style = lr_decay_style::cosine},
                            b49["inputs"]["saved_steps"]);
        CHECK(lr_of(with) == doctest::Approx(b49["expected"][key].get<double>()).epsilon(1e-12));
    }
}

TEST_CASE("B53: betas of the file are used, an override of one wins, and a warning says that verl differs") {
    const json all = report("B53");
    const auto r = yaml::resolve(yaml::load_text("betas: " + all["inputs"]["betas"].dump(), "f.yaml"));
    CHECK(r.hyper.beta1 == all["expected"]["product_effective"][0]);
    CHECK(r.hyper.beta2 == all["expected"]["product_effective"][1]);
    CHECK(r.warnings.size() == 1);
    const auto overridden = yaml::resolve(
        yaml::load_text("betas: " + all["inputs"]["betas"].dump() +
                            "\noverride_optimizer_config: " + all["expected"]["override_wins"].dump(),
                        "f.yaml"));
    CHECK(overridden.hyper.beta2 == all["expected"]["override_wins"]["adam_beta2"]);
}
