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
#include <string>
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

//! The mean movement, of the weights that the drift takes away from zero and of those that it takes towards
//! it: a rounding that prefers one of the two is right on average.
struct movement {
    double away = 0, towards = 0;
};
movement between(const std::vector<float>& from, const std::vector<float>& to) {
    movement result;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const double direction = i % 2 == 0 ? -1 : 1;  // gradients drift the other way
        (direction * from[i] > 0 ? result.away : result.towards) +=
            direction * (double{to[i]} - double{from[i]}) * 2 / static_cast<double>(from.size());
    }
    return result;
}

bool within(const movement& m, double error) {
    return std::abs(m.away - 1) <= error && std::abs(m.towards - 1) <= error;
}

//! Movement of the policies' weights, each over fp32's.
template <class... Policies>
std::array<movement, sizeof...(Policies)> movement_of(double lr, std::int64_t steps, std::size_t size) {
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
    const movement should = between(start, reference.masters());
    REQUIRE(should.away > 0.05 * lr * static_cast<double>(steps));
    REQUIRE(should.towards > 0.05 * lr * static_cast<double>(steps));
    const auto share = [&](auto& each) {
        const movement is = between(start, each.masters());
        return movement{is.away / should.away, is.towards / should.towards};
    };
    return std::apply([&](auto&... each) { return std::array{share(each)...}; }, tensors);
}

void check_movement(double lr, std::int64_t steps) {
    constexpr std::array names{"remainder8", "remainder8 to nearest", "bf16 alone", "fp16", "remainder16"};
    const auto moved =
        movement_of<bf16_weights<remainder8>, bf16_weights<remainder8, nearest>, bf16_weights<none>,
                    bf16_weights<fp16>, bf16_weights<remainder16>>(lr, steps, 4096);
    for (std::size_t kind = 0; kind < names.size(); ++kind)
        MESSAGE(std::string(names[kind]), ", lr ", lr, ", ", steps, " steps: away ", moved[kind].away,
                ", towards ", moved[kind].towards);
    const auto& [stochastically, to_nearest, alone, with_half, lossless] = moved;
    CHECK(within(stochastically, 0.01));
    CHECK(within(lossless, 0));
    if (steps >= 4000) CHECK(within(with_half, 0.03));
    if (lr >= 1e-4) CHECK(within(alone, 0.03));
    if (lr <= 1e-6) CHECK(to_nearest.away + to_nearest.towards < 2 * 0.6);
}

}  // namespace

TEST_CASE("remainder8 moves as fp32 does, to nearest it loses small steps") {
    if (sanitized) return;
    check_movement(1e-6, 1000);
}

TEST_SUITE("convergence") {
    TEST_CASE("weights move as fp32 ones do over 4,000 steps, with remainder8 and alone") {
        for (const double lr : {1e-4, 1e-5, 1e-6}) check_movement(lr, 4000);
    }
}
