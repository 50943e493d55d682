// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Weights below fp32 move as fp32 weights do, however small the steps.
//!
//! 4,096 weights with |p| from 0.04 to 0.06, fp32 moments, no decay, gradients s*(N(0,1) +- 0.1): noise with
//! a drift whose sign alternates. The movement is the mean over the elements of master after minus master
//! before, in the direction of the drift, divided by that of fp32 weights which start from the same values.
#include "simulation.hpp"

#include <train/inputs.hpp>

#include <doctest/doctest.h>

#include <array>
#include <tuple>

using namespace adamant;
using namespace simulation;

namespace {

using fp32_weights = policy<mode<fp32>>;
template <class... MainParams>
using bf16_weights = policy<mode<bf16>, precision_aware, main_params<MainParams...>>;

std::vector<float> initial_weights(std::size_t size) {
    std::vector<float> weights(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double p = 0.05 + 0.01 * inputs::uniform(200, i);
        weights[i] = to_float(to_bfloat16(static_cast<float>(i % 4 < 2 ? p : -p)));
    }
    return weights;
}

double movement(const std::vector<float>& from, const std::vector<float>& to) {
    double sum = 0;
    for (std::size_t i = 0; i < from.size(); ++i)
        sum += (i % 2 == 0 ? -1 : 1) * (double{to[i]} - double{from[i]});
    return sum / static_cast<double>(from.size());
}

//! Movement of the policies' weights, each over fp32's.
template <class... Policies>
std::array<double, sizeof...(Policies)> movement_of(double lr, std::int64_t steps, std::size_t size) {
    const gradients inputs{.size = size, .drift = 0.1};
    const std::vector<float> start = initial_weights(size);
    const hyperparameters h{.lr = lr, .weight_decay = 0, .seed = 13};
    tensor<fp32_weights> reference(start, h);
    std::tuple<tensor<Policies>...> tensors{tensor<Policies>(start, h)...};
    std::vector<float> grads(size);
    const std::vector<double> scales = inputs.scales();
    for (std::int64_t t = 0; t < steps; ++t) {
        inputs.of_step(t, 1, scales, grads);
        reference.step(grads);
        std::apply([&](auto&... each) { (each.step(grads), ...); }, tensors);
    }
    const double should = movement(start, reference.masters());
    REQUIRE(should > 0.05 * lr * static_cast<double>(steps));
    return std::apply([&](auto&... each) { return std::array{movement(start, each.masters()) / should...}; },
                      tensors);
}

void check_movement(double lr, std::int64_t steps, std::size_t size) {
    const auto [stochastically, to_nearest, alone, with_half, lossless] =
        movement_of<bf16_weights<remainder8>, bf16_weights<remainder8, nearest>, bf16_weights<none>,
                    bf16_weights<fp16>, bf16_weights<remainder16>>(lr, steps, size);
    MESSAGE("lr ", lr, ", ", steps, " steps, against fp32: remainder8 ", stochastically, ", to nearest ",
            to_nearest, ", bf16 alone ", alone, ", fp16 master ", with_half, ", remainder16 ", lossless);
    CHECK(std::abs(stochastically - 1) <= 0.01);
    CHECK(lossless == 1);
    if (lr >= 1e-4) CHECK(std::abs(alone - 1) <= 0.03);
    if (lr <= 1e-6) CHECK(to_nearest < 0.6);
}

}  // namespace

TEST_CASE("remainder8 moves as fp32 does, to nearest it loses small steps") {
    if (sanitized) return;
    check_movement(1e-6, 500, 2048);
}

TEST_SUITE("convergence") {
    TEST_CASE("weights move as fp32 ones do over 4,000 steps, with remainder8 and alone") {
        for (const double lr : {1e-4, 1e-5, 1e-6}) check_movement(lr, 4000, 4096);
    }
}
