// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Whole steps against numbers from outside: issue reports, and Adam in double.
#include "model.hpp"

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

template <class Optimizer>
step_result step(Optimizer& optimizer, std::vector<std::vector<float>>& params,
                 const std::vector<std::vector<float>>& grads) {
    const std::vector<std::span<float>> p(params.begin(), params.end());
    const std::vector<std::span<const float>> g(grads.begin(), grads.end());
    return optimizer.step(p, g);
}

adam<presets::full_fp32> optimizer_of(std::vector<std::vector<float>>& params, const hyperparameters& hyper) {
    return {std::vector<std::span<float>>(params.begin(), params.end()), hyper};
}

}  // namespace

TEST_CASE("B07: a skipped step advances neither count nor moments") {
    std::vector<std::vector<float>> params{{1}};
    auto optimizer = optimizer_of(params, {.lr = 0.001, .weight_decay = 0});
    for (const float g : {0.1f, 0.2f, std::numeric_limits<float>::infinity(), 0.3f, 0.4f})
        step(optimizer, params, {{g}});
    CHECK(optimizer.step_count() == 4);
    CHECK(params[0][0] == doctest::Approx(0.9961163997650146).epsilon(1e-7));
    CHECK(optimizer.export_fp32(slot::exp_avg, 0)[0] == doctest::Approx(0.09049002081155777).epsilon(1e-7));
    CHECK(optimizer.export_fp32(slot::exp_avg_sq, 0)[0] ==
          doctest::Approx(0.00029979622922837734).epsilon(1e-7).scale(0));
}

TEST_CASE("B23: empty tensors, wherever they are, do not disturb the others") {
    std::vector<std::vector<float>> with_empty{{1, 2, 3, 4}, {}}, all_empty{{}, {}},
        alternating{{1}, {1}, {}, {1}, {}};
    const hyperparameters hyper{.lr = 0.001, .weight_decay = 0};
    auto a = optimizer_of(with_empty, hyper);
    step(a, with_empty, {{1, -1, 1, -1}, {}});
    const double expected[]{0.9990000128746033, 2.000999927520752, 2.999000072479248, 4.000999927520752};
    for (std::size_t i = 0; i < 4; ++i) CHECK(with_empty[0][i] == doctest::Approx(expected[i]).epsilon(1e-7));

    auto b = optimizer_of(alternating, hyper);
    step(b, alternating, {{1}, {1}, {}, {1}, {}});
    for (const std::size_t i : {0u, 1u, 3u}) CHECK(alternating[i][0] == doctest::Approx(0.999).epsilon(1e-7));

    auto c = optimizer_of(all_empty, hyper);
    CHECK(step(c, all_empty, {{}, {}}).status == step_status::applied);
    CHECK(c.step_count() == 1);
    CHECK(step(c, all_empty, {{}, {}}).grad_norm == 0);
}

TEST_CASE("B15: gradients whose squares overflow fp32 are clipped to their share") {
    std::vector<std::vector<float>> params{std::vector<float>(100)};
    auto optimizer = optimizer_of(params, {.beta1 = 0, .clip_grad = 1});
    const step_result r = step(optimizer, params, {std::vector<float>(100, 1e20f)});
    CHECK(r.grad_norm == doctest::Approx(1e21).epsilon(1e-6));
    for (const float m : optimizer.export_fp32(slot::exp_avg, 0))
        CHECK(m == doctest::Approx(0.1).epsilon(1e-6));
}

TEST_CASE("200 steps stay beside Adam in double") {
    for (const bool decoupled : {true, false}) {
        const hyperparameters h{.lr = 1e-2, .weight_decay = 0.1, .decoupled = decoupled, .clip_grad = 0.5};
        const double b1 = static_cast<float>(h.beta1), b2 = static_cast<float>(h.beta2);
        const std::vector<float> start = inputs::spread(200, 1);
        std::vector<std::vector<float>> params{start};
        std::vector<double> p(start.begin(), start.end()), m(200), v(200);
        auto optimizer = optimizer_of(params, h);
        for (int t = 1; t <= 200; ++t) {
            const std::vector<float> grads = inputs::spread(200, static_cast<std::uint64_t>(t) + 10);
            double norm = 0;
            for (const float g : grads) norm += double{g} * double{g};
            norm = std::sqrt(norm);
            CHECK(step(optimizer, params, {grads}).grad_norm == doctest::Approx(norm).epsilon(1e-14));
            for (std::size_t i = 0; i < 200; ++i) {
                const double g = grads[i] * std::min(1.0, 0.5 / (norm + 1e-6)) + (decoupled ? 0 : 0.1 * p[i]);
                m[i] = b1 * m[i] + (1 - b1) * g;
                v[i] = b2 * v[i] + (1 - b2) * g * g;
                const double u =
                    m[i] / (1 - std::pow(b1, t)) / (std::sqrt(v[i] / (1 - std::pow(b2, t))) + 1e-8);
                p[i] -= 1e-2 * (u + (decoupled ? 0.1 * p[i] : 0));
            }
        }
        double largest = 0;
        for (std::size_t i = 0; i < 200; ++i) largest = std::max(largest, std::abs(params[0][i] - p[i]));
        CHECK(largest < 1e-5);  // the path is 200 steps of up to 1e-2
    }
}

namespace {

//! An optimizer that goes on from step to step, and one that is told each time where it stands.
template <class Policy>
void check_going_on() {
    const hyperparameters hyper{.lr = 0.01, .beta1 = 0.4, .beta2 = 0.5};  // corrections end at step 64
    model<Policy> goes_on(hyper, {}, 100), is_told(hyper, {}, 100);
    for (std::uint64_t i = 0; i < 80; ++i) {
        is_told.optimizer.set_step_count(static_cast<std::int64_t>(i));
        goes_on.step_with_new_grads(i);
        is_told.step_with_new_grads(i);
        CAPTURE(i);
        CHECK(goes_on.digest() == is_told.digest());
    }
}

}  // namespace

TEST_CASE("a step has the same constants whether the steps before it were taken or told") {
    check_going_on<presets::full_fp32>();
    check_going_on<policy<precision_aware, exp_avg<bf16, stochastic>, exp_avg_sq<bf16, stochastic>>>();
    check_going_on<policy<precision_aware, exp_avg<fp8>, exp_avg_sq<fp8>>>();
}
