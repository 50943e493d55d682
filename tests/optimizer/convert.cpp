// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Converting a state: without loss where the types say so, and then a run goes on as if nothing had
//! happened.
#include "model.hpp"

#include <adamant/optimizer/convert.hpp>
#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace adamant;

namespace {

using plain = presets::megatron_bf16;
using lossless = policy<mode<bf16>, precision_aware>;
using lean_moments = policy<mode<bf16>, precision_aware, exp_avg<bf16>, exp_avg_sq<bf16>>;
using small = policy<mode<bf16>, precision_aware, main_params<remainder8>, exp_avg<fp8>, exp_avg_sq<fp8>>;
using no_master = policy<mode<bf16>, precision_aware, main_params<none>>;

static_assert(is_lossless_v<plain, lossless> && is_lossless_v<lossless, plain>);
static_assert(is_lossless_v<small, lossless> && !is_lossless_v<lossless, small>);
static_assert(is_lossless_v<no_master, lossless> && !is_lossless_v<lossless, no_master>);
static_assert(is_lossless_v<lean_moments, lossless> && !is_lossless_v<lossless, lean_moments>);
static_assert(!is_lossless_v<plain, presets::full_fp32>);
static_assert(is_lossless_v<small, small>);

template <class Policy>
void run(model<Policy>& m, int first, int last) {
    for (int i = first; i < last; ++i) {
        m.new_grads(static_cast<std::uint64_t>(i));
        m.step();
    }
}

}  // namespace

TEST_CASE("fp32 masters and remainders are the same state, and training goes on to the same bits") {
    model<plain> whole, first_half;
    model<lossless> second_half;
    run(whole, 0, 20);
    run(first_half, 0, 10);
    second_half.params = first_half.params;
    convert(first_half.optimizer, second_half.optimizer, second_half.param_spans());
    CHECK(second_half.optimizer.step_count() == 10);
    run(second_half, 10, 20);
    for (std::size_t i = 0; i < whole.params.size(); ++i)
        CHECK(second_half.optimizer.export_fp32(slot::main_params, i, std::span(second_half.params[i])) ==
              whole.optimizer.export_fp32(slot::main_params, i, std::span(whole.params[i])));
}

TEST_CASE("a lossless conversion there and back changes nothing") {
    model<lean_moments> from, back;
    model<lossless> wide;
    run(from, 0, 5);
    wide.params = from.params;
    convert(from.optimizer, wide.optimizer, wide.param_spans());
    back.params = wide.params;
    convert(wide.optimizer, back.optimizer, back.param_spans(), narrowing);
    CHECK(back.digest() == from.digest());
}

TEST_CASE("narrowing rounds to what the policy stores") {
    model<lossless> from;
    model<small> to;
    run(from, 0, 5);
    to.params = from.params;
    convert(from.optimizer, to.optimizer, to.param_spans(), narrowing);
    for (std::size_t i = 0; i < from.params.size(); ++i) {
        const auto before = from.optimizer.export_fp32(slot::main_params, i, std::span(from.params[i]));
        const auto after = to.optimizer.export_fp32(slot::main_params, i, std::span(to.params[i]));
        for (std::size_t k = 0; k < before.size(); ++k)
            CHECK(std::abs(after[k] - before[k]) <=
                  std::ldexp(std::abs(before[k]), -15));  // 24 bits keep 16 of the mantissa
        CHECK(to.optimizer.scales<slot::exp_avg>(i).size() == (before.size() + 31) / 32);
    }
}

TEST_CASE("optimizers of other tensors are refused and keep their state") {
    model<lossless> from, to;
    model<lossless> other({}, {}, 100);
    run(from, 0, 2);
    const auto before = other.digest();
    CHECK_THROWS_AS(convert(from.optimizer, other.optimizer, from.param_spans()), shape_error);
    CHECK(other.digest() == before);
}

TEST_CASE("where moments came from goes along, and other betas are another history") {
    const hyperparameters hyper{.seed = 5};
    const optimizer_options options{.loss_scaler = loss_scaler_settings{.initial_loss_scale = 64}};
    model<lossless> from(hyper, options);
    from.step();
    from.optimizer.scaler()->update(true);
    const auto converted = [&](const hyperparameters& to_hyper) {
        model<small> to(to_hyper, options);
        convert(from.optimizer, to.optimizer, from.param_spans(), narrowing);
        return access_state(to.optimizer)->run();
    };
    const run_state same = converted({.seed = 9});
    CHECK(same.step == 1);
    CHECK(same.state_is_history);
    CHECK(same.seed == 9);
    CHECK(same.scaler == from.optimizer.scaler()->current());
    CHECK_FALSE(converted({.beta2 = 0.98}).state_is_history);
    from.optimizer.import_fp32(slot::exp_avg, 0, std::vector<float>(300, 1.0f));
    CHECK_FALSE(converted({}).state_is_history);
}
