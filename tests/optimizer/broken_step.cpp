// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Broken input of a step or a query is an error that says what was expected, and changes nothing.
#include "model.hpp"

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace adamant;

namespace {

//! A model on its way, and a check that nothing of it has moved.
template <class Policy>
struct running : model<Policy> {
    explicit running(const hyperparameters& hyper = {}, const optimizer_options& options = {})
        : model<Policy>(hyper, options) {
        for (std::uint64_t i = 0; i < 3; ++i) this->step_with_new_grads(i);
        digest_ = this->digest();
        REQUIRE(this->optimizer.step_count() == 3);
    }
    bool is_unchanged() const { return this->digest() == digest_ && this->optimizer.step_count() == 3; }

private:
    std::uint64_t digest_;
};

using lean = running<presets::lean_bf16>;
using views = std::vector<tensor_view>;

template <class Error, class Change>
std::string step_with(lean& m, Change change) {
    views params = m.param_views(), grads = m.grad_views();
    change(params, grads);
    const std::string text = thrown<Error>([&] { m.optimizer.step(params, grads); });
    CHECK(m.is_unchanged());
    return text;
}

std::string step_with(lean& m, const step_options& options) {
    const std::string text = thrown<config_error>([&] { m.step(options); });
    CHECK(m.is_unchanged());
    return text;
}

}  // namespace

TEST_CASE("lists have one entry per tensor") {
    lean m;
    CHECK(says(step_with<shape_error>(m, [](views& p, views&) { p.pop_back(); }),
               {"parameters", "expected 5", "got 4"}));
    CHECK(says(step_with<shape_error>(m, [](views&, views& g) { g.push_back(g[0]); }),
               {"gradients", "expected 5", "got 6"}));
    CHECK(says(step_with<shape_error>(m, [](views&, views& g) { g.clear(); }),
               {"gradients", "expected 5", "got 0"}));
}

TEST_CASE("sizes stay as they were") {
    lean m;
    CHECK(says(step_with<shape_error>(m, [](views& p, views&) { p[1].size = 63; }),
               {"parameters", "tensor 1 'layer.bias'", "expected 64", "got 63"}));
    CHECK(says(step_with<shape_error>(m, [](views&, views& g) { g[4].size = 5001; }),
               {"gradients", "tensor 4 'head'", "expected 5000", "got 5001"}));
    CHECK(says(step_with<shape_error>(m, [](views&, views& g) { g[0].size = -300; }),
               {"gradients", "tensor 0 'layer.weight'", "expected 300"}));
    CHECK(says(step_with<shape_error>(m, [](views&, views& g) { std::swap(g[0], g[1]); }),
               {"gradients", "tensor 0 'layer.weight'", "got 64"}));
}

TEST_CASE("dtypes stay as they were") {
    lean m;
    std::vector<float> wide(5000);
    CHECK(says(step_with<shape_error>(m, [&](views& p, views&) { p[4] = std::span(wide); }),
               {"parameters", "tensor 4 'head'", "expected bf16", "got fp32"}));
    CHECK(says(step_with<shape_error>(m, [&](views&, views& g) { g[4] = std::span(wide); }),
               {"gradients", "tensor 4 'head'", "expected bf16", "got fp32"}));
}

TEST_CASE("a null pointer is found, and an empty tensor may have one") {
    lean m;
    CHECK(says(step_with<shape_error>(m, [](views& p, views&) { p[3].data = nullptr; }),
               {"parameters", "tensor 3 'scale'", "nullptr"}));
    CHECK(says(step_with<shape_error>(m, [](views&, views& g) { g[3].data = nullptr; }),
               {"gradients", "tensor 3 'scale'", "nullptr"}));
    views params = m.param_views(), grads = m.grad_views();
    params[2].data = grads[2].data = nullptr;
    CHECK(m.optimizer.step(params, grads).status == step_status::applied);
}

TEST_CASE("every entry of both lists is judged, whether the norm is given or not") {
    lean m;
    for (const step_options& options : {step_options{}, step_options{.grad_norm = 1.0}})
        for (const std::size_t list : {0u, 1u})
            for (std::size_t tensor = 0; tensor < 5; ++tensor) {
                views lists[]{m.param_views(), m.grad_views()};
                lists[list][tensor].size += 1;
                CHECK(says(thrown<shape_error>([&] { m.optimizer.step(lists[0], lists[1], options); }),
                           {list == 0 ? "parameters" : "gradients", "tensor " + std::to_string(tensor)}));
                CHECK(m.is_unchanged());
            }
}

TEST_CASE("a tensor that is cut into many tasks is judged before any of them reads it") {
    constexpr std::int64_t size = 100'000;
    std::vector<float> weights(size, 1.0f), gradients(size, 1.0f);
    const views params{std::span(weights)}, grads{std::span(gradients)};
    adam<presets::full_fp32> optimizer(params, {.lr = 1e-3}, {.executor = thread_pool(2)});
    std::vector<float> shorter(size - 1, 1.0f);
    CHECK(says(thrown<shape_error>([&] { optimizer.step(params, views{std::span(shorter)}); }),
               {"gradients", "tensor 0", "expected 100000", "got 99999"}));
    CHECK(weights == std::vector<float>(size, 1.0f));
    CHECK(optimizer.step(params, grads).status == step_status::applied);
}

TEST_CASE("an entry whose conversion throws is the caller's error, not a task's") {
    struct handle {
        std::vector<float>* values;
        operator tensor_view()
            const {  // NOLINT(google-explicit-constructor): converts as a list's entry does
            if (values == nullptr) throw std::runtime_error("released");
            return std::span(*values);
        }
    };
    std::vector<float> weights(100'000, 1.0f), gradients(100'000, 1.0f);
    const std::vector<handle> params{{&weights}}, grads{{&gradients}}, released{{nullptr}};
    adam<presets::full_fp32> optimizer(params, {.lr = 1e-3}, {.executor = thread_pool(2)});
    CHECK_THROWS_WITH_AS(optimizer.step(params, released), "released", std::runtime_error);
    CHECK(weights == std::vector<float>(100'000, 1.0f));
    CHECK(optimizer.step(params, grads).status == step_status::applied);
}

TEST_CASE("numbers of a step are judged") {
    lean m;
    for (const double bad : {-1.0, not_a_number, infinity, 1e39}) {
        CHECK(says(step_with(m, {.lr = bad}), {"lr is"}));
        CHECK(says(step_with(m, {.weight_decay = bad}), {"weight_decay is"}));
    }
    for (const double bad : {not_a_number, infinity, -infinity, 1e39, -1e39})
        CHECK(says(step_with(m, {.grad_scale = bad}), {"grad_scale is"}));
    CHECK(says(step_with(m, {.grad_norm = -1.0}), {"grad_norm is"}));
}

TEST_CASE("a step that throws leaves the loss scaler alone") {
    running<presets::scaled_fp16> m({}, {.loss_scaler = loss_scaler_settings{.initial_loss_scale = 256}});
    const loss_scaler::state before = m.optimizer.scaler()->current();
    CHECK(says(thrown<config_error>([&] { m.step({.lr = -1.0}); }), {"lr is"}));
    m.grads[4].pop_back();
    CHECK(says(thrown<shape_error>([&] { m.step(); }), {"tensor 4 'head'"}));
    CHECK(m.optimizer.scaler()->current() == before);
    CHECK(m.is_unchanged());
}

TEST_CASE("a step count is not negative, and ends before it wraps") {
    lean m;
    CHECK(says(thrown<state_error>([&] { m.optimizer.set_step_count(-1); }), {"step count", "-1"}));
    CHECK(m.is_unchanged());
    m.optimizer.set_step_count(std::numeric_limits<std::int64_t>::max());
    const std::uint64_t before = m.digest();
    CHECK(says(thrown<state_error>([&] { m.step(); }), {"step count"}));
    CHECK(m.digest() == before);
    CHECK(m.optimizer.step_count() == std::numeric_limits<std::int64_t>::max());
    m.optimizer.set_step_count(std::numeric_limits<std::int64_t>::max() - 1);
    CHECK(m.step().step == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a gradient that is not finite skips the step, and only the scaler moves") {
    for (const std::size_t tensor : {0u, 3u, 4u})
        for (const float broken :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
              -std::numeric_limits<float>::infinity()}) {
            running<presets::scaled_fp16> m(
                {}, {.loss_scaler = loss_scaler_settings{.initial_loss_scale = 256, .hysteresis = 1}});
            m.grads[tensor].back() = broken;
            const step_result r = m.step();
            CHECK(r.status == step_status::skipped_found_inf);
            CHECK((std::isnan(broken) ? std::isnan(r.grad_norm) : r.grad_norm == infinity));
            CHECK(r.step == 3);
            CHECK(r.loss_scale == 128);
            CHECK(m.optimizer.loss_scale() == 128);
            CHECK(m.is_unchanged());
        }
    lean m;
    m.grads[4][77] = {0x7FC0};
    CHECK(m.step().status == step_status::skipped_found_inf);
    CHECK(m.is_unchanged());
    CHECK(m.optimizer.loss_scale() == 1);
}

TEST_CASE("a norm from outside that is not finite skips the step") {
    for (const double norm : {not_a_number, infinity}) {
        running<presets::scaled_fp16> m(
            {}, {.loss_scaler = loss_scaler_settings{.initial_loss_scale = 256, .hysteresis = 1}});
        CHECK(m.step({.grad_norm = norm}).status == step_status::skipped_found_inf);
        CHECK(m.optimizer.loss_scale() == 128);
        CHECK(m.is_unchanged());
    }
}

TEST_CASE("queries and imports are judged before anything is written") {
    lean m;
    const std::vector<float> values(300, 1.0f), short_values(299, 1.0f);
    CHECK(says(thrown<state_error>([&] { m.optimizer.import_fp32(slot::exp_avg, 5, values); }),
               {"5 tensors", "no tensor 5"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.import_fp32(slot::main_params, 0, values); }),
               {"init_masters"}));
    CHECK(says(thrown<shape_error>([&] { m.optimizer.import_fp32(slot::exp_avg, 0, short_values); }),
               {"tensor 0 'layer.weight'", "expected 300", "got 299"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.export_fp32(slot::exp_avg, 5); }), {"no tensor 5"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.state<slot::exp_avg>(5); }), {"no tensor 5"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.state<slot::exp_avg>(123456789); }),
               {"no tensor 123456789"}));
    CHECK(says(thrown<state_error>([&] { m.optimizer.scales<slot::exp_avg>(123456789); }),
               {"no tensor 123456789"}));
    CHECK(says(thrown<shape_error>([&] { m.optimizer.export_fp32(slot::main_params, 0); }),
               {"tensor 0 'layer.weight'", "expected bf16", "got fp32"}));
    CHECK(
        says(thrown<shape_error>([&] { m.optimizer.export_fp32(slot::main_params, 0, m.param_views()[1]); }),
             {"expected 300", "got 64"}));
    CHECK(m.is_unchanged());

    std::vector<std::span<const float>> all(5);
    CHECK(
        says(thrown<shape_error>([&] { m.optimizer.init_masters(m.param_spans(), std::span(all).first(4)); }),
             {"values", "expected 5", "got 4"}));
    all[0] = values;
    CHECK(says(thrown<shape_error>([&] { m.optimizer.init_masters(m.param_spans(), all); }),
               {"values", "tensor 1 'layer.bias'", "expected 64", "got 0"}));
    std::vector<bfloat16> low(300);
    CHECK(says(thrown<shape_error>(
                   [&] { m.optimizer.init_masters(m.param_spans(), views(5, tensor_view(std::span(low)))); }),
               {"values", "tensor 0 'layer.weight'", "expected fp32", "got bf16"}));
    CHECK(says(thrown<shape_error>([&] { m.optimizer.reload_masters(views(4)); }),
               {"parameters", "expected 5", "got 4"}));
    CHECK(m.is_unchanged());
}
