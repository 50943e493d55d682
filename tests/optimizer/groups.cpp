// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Groups: multipliers by index, who decays by default, and tensors outside the norm.
#include "model.hpp"

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

//! Tensors of ones whose gradients are zero: a step changes them by decay alone, to 1 - lr*wd.
struct ones {
    std::vector<tensor_info> tensors;
    std::vector<std::vector<float>> params, grads;
    adam<presets::full_fp32> optimizer;

    explicit ones(std::vector<tensor_info> infos, const optimizer_options& options = {},
                  const hyperparameters& hyper = {.lr = 0.5, .weight_decay = 0.5})
        : tensors(std::move(infos)),
          params(tensors.size(), std::vector<float>(4, 1)),
          grads(tensors.size(), std::vector<float>(4)),
          optimizer(tensors, spans(), hyper, options) {}
    std::vector<std::span<float>> spans() { return {params.begin(), params.end()}; }
    step_result step(const step_options& options = {}) {
        return optimizer.step(spans(), std::vector<std::span<const float>>(grads.begin(), grads.end()),
                              options);
    }
    std::vector<float> after_step(const step_options& options = {}) {
        step(options);
        std::vector<float> firsts;
        for (const auto& values : params) firsts.push_back(values[0]);
        return firsts;
    }
};

}  // namespace

TEST_CASE("tensors of one dimension and names that end in .bias do not decay") {
    ones w({{.name = "layer.weight", .shape = {2, 2}},
            {.name = "layer.bias"},
            {.name = "odd.bias", .shape = {2, 2}},
            {.name = "norm.weight", .shape = {4}},
            {.name = "layer.bias.weight", .shape = {4, 1}},
            {.shape = {4}},
            {.name = "unshaped"},
            {.name = "bias"},
            {}});
    CHECK(w.after_step() == std::vector<float>{0.75f, 1, 1, 1, 0.75f, 1, 0.75f, 1, 0.75f});
}

TEST_CASE("a group takes the tensors whose names match its pattern, the first that matches wins") {
    const std::vector<param_group> groups{{.wd_mult = 2},
                                          {.wd_mult = 0, .names = "*.bias"},
                                          {.wd_mult = 1, .names = "layers.?.*"},
                                          {.lr_mult = 0}};
    ones w({{.name = "layers.0.weight"},
            {.name = "layers.0.bias"},
            {.name = "layers.10.weight"},
            {.name = "embedding", .group = 3},
            {.name = "layers.1.norm", .group = 3}},
           {.groups = groups});
    CHECK(w.after_step() == std::vector<float>{0.75f, 1, 0.5f, 1, 0.75f});
}

TEST_CASE("without names and shapes every tensor decays") {
    std::vector<float> a(4, 1), b(1, 1);
    const std::vector<float> zeros(4);
    adam<presets::full_fp32> optimizer(std::vector<std::span<float>>{a, b}, {.lr = 0.5, .weight_decay = 0.5});
    optimizer.step(std::vector<std::span<float>>{a, b},
                   std::vector<std::span<const float>>{zeros, std::span(zeros).first(1)});
    CHECK(a == std::vector<float>(4, 0.75f));
    CHECK(b == std::vector<float>(1, 0.75f));
}

TEST_CASE("groups multiply lr and decay, and replace the default rule") {
    ones w({{.shape = {4}}, {.group = 1}, {.group = 2}, {.name = "x.bias", .group = 3}},
           {.groups = {{1, 1}, {0.5, 1}, {1, 0}, {2, 0.5}}});
    CHECK(w.after_step() == std::vector<float>{0.75f, 0.875f, 1, 0.75f});
}

TEST_CASE("a group's multiplier applies to the update too") {
    ones w({{}, {.group = 1}, {.group = 2}}, {.groups = {{1, 0}, {0.5, 0}, {0, 1}}},
           {.lr = 0.5, .eps = 1e-30, .clip_grad = 0});
    for (auto& values : w.grads) values.assign(4, 3);
    const std::vector<float> after = w.after_step();
    CHECK(after[0] == doctest::Approx(0.5).epsilon(1e-6));
    CHECK(after[1] == doctest::Approx(0.75).epsilon(1e-6));
    CHECK(after[2] == 1);
}

TEST_CASE("lr and weight decay of a step are multiplied by the group's as well") {
    const std::vector<tensor_info> tensors{{}, {.group = 1}};
    const optimizer_options options{.groups = {{1, 1}, {0.5, 1}}};
    CHECK(ones(tensors, options).after_step({.lr = 0.25}) == std::vector<float>{0.875f, 0.9375f});
    CHECK(ones(tensors, options).after_step({.weight_decay = 0.25}) == std::vector<float>{0.875f, 0.9375f});
    CHECK(ones(tensors, options).after_step({.lr = 0.0}) == std::vector<float>{1, 1});
    CHECK(ones(tensors, options).step({.lr = 0.25}).lr == 0.25);
}

TEST_CASE("a tensor outside the norm does not count in it, is clipped by it, and is searched for NaN") {
    ones w({{}, {.in_norm = false}}, {}, {.beta1 = 0, .beta2 = 0, .clip_grad = 1});
    w.grads = {{3, 0, 0, 4}, {100, 0, 0, 0}};
    CHECK(w.step().grad_norm == 5);
    CHECK(w.optimizer.export_fp32(slot::exp_avg, 1)[0] == static_cast<float>(1 / (5 + 1e-6)) * 100);
    w.grads[1][2] = std::numeric_limits<float>::quiet_NaN();
    const auto before = w.params;
    CHECK(w.step().status == step_status::skipped_found_inf);
    CHECK(w.params == before);
}
