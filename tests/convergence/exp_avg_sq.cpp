// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! exp_avg_sq of every kind follows the fp32 moving average of the same gradients.
//!
//! 4,096 elements, g = s*N(0,1), ln s ~ N(0,1), three phases with the gradients x1, /10, x1. Measured at the
//! end of each phase over the elements whose fp32 value is not zero: mean and geometric mean of the ratio to
//! it, quantiles of the ratio of the roots, and the zeros (left out of the geometric mean); averaged over
//! three noises.
#include "simulation.hpp"

#include <adamant/optimizer/adam.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>
#include <tuple>

using namespace adamant;
using namespace simulation;

namespace {

constexpr std::array factors{1.0, 0.1, 1.0};

struct ratios {
    double mean, geometric_mean, low, high;  // low and high: 1 % and 99 % of the roots
    int zeros;
};
using by_phase = std::array<ratios, factors.size()>;

ratios compare(const std::vector<float>& stored, const std::vector<float>& reference) {
    ratios result{};
    std::vector<double> roots;
    double logarithms = 0;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        if (reference[i] == 0) continue;
        const double ratio = double{stored[i]} / double{reference[i]};
        result.mean += ratio;
        if (ratio == 0) ++result.zeros;
        else logarithms += std::log(ratio);
        roots.push_back(std::sqrt(ratio));
    }
    const auto count = static_cast<double>(roots.size());
    result.mean /= count;
    result.geometric_mean = std::exp(logarithms / (count - result.zeros));
    result.low = quantile(roots, 0.01);
    result.high = quantile(roots, 0.99);
    return result;
}

struct course {
    gradients inputs{};
    double beta2 = 0.999;
    std::int64_t steps = 6000;  // of a phase
    int noises = 3;
};

//! An exp_avg_sq codec beside fp32 weights and exp_avg.
template <class ExpAvgSq>
using with_exp_avg_sq = tensor_of<weight_only_codec<float>, plain_codec<float>, ExpAvgSq>;

//! The codecs side by side, each against fp32.
template <class... ExpAvgSq>
std::array<by_phase, sizeof...(ExpAvgSq)> follow(const course& c, std::uint64_t noise = 0) {
    const hyperparameters h{.lr = 0, .beta2 = c.beta2, .weight_decay = 0, .seed = 7 + noise};
    const std::vector<float> weights(c.inputs.size);
    with_exp_avg_sq<plain_codec<float>> reference(weights, h);
    std::tuple<with_exp_avg_sq<ExpAvgSq>...> tensors{with_exp_avg_sq<ExpAvgSq>(weights, h)...};
    std::array<by_phase, sizeof...(ExpAvgSq)> result;
    std::vector<float> grads(c.inputs.size);
    const std::vector<double> scales = c.inputs.scales();
    for (std::size_t phase = 0; phase < factors.size(); ++phase) {
        for (std::int64_t t = 0; t < c.steps; ++t) {
            c.inputs.of_step(static_cast<std::int64_t>(phase) * c.steps + t, factors[phase], scales, grads);
            reference.step(grads);
            std::apply([&](auto&... each) { (each.step(grads), ...); }, tensors);
        }
        const std::vector<float> exact_values = reference.exp_avg_sq();
        std::size_t kind = 0;
        std::apply(
            [&](auto&... each) { ((result[kind++][phase] = compare(each.exp_avg_sq(), exact_values)), ...); },
            tensors);
    }
    return result;
}

//! What a kind is held to; no value is ever zero.
struct limits {
    const char* kind;
    double mean;  // 1 +- this
    double geometric_low, geometric_high;
    double low, high;
};
constexpr std::array<limits, 4> table{{{"bf16 stochastic", 0.003, 1 - 0.006, 1 + 0.006, 0.90, 1.11},
                                       {"fp16 stochastic", 0.001, 1 - 0.001, 1 + 0.001, 0.98, 1.02},
                                       {"fp8", 0.02, 0.93, 1.00, 0.62, 1.55},
                                       {"fp8_fine", 0.02, 0.96, 1.01, 0.74, 1.36}}};

//! Means over noises. The mean of bf16 with sparse gradients has a standard deviation of 0.0011 over the
//! noise (64 seeds; no bias), a third of the limit: seed 7 alone is outside of it after the fall.
template <class... ExpAvgSq>
std::array<by_phase, sizeof...(ExpAvgSq)> follow_noises(const course& c) {
    std::array<by_phase, sizeof...(ExpAvgSq)> result{};
    for (int noise = 0; noise < c.noises; ++noise) {
        const auto measured = follow<ExpAvgSq...>(c, static_cast<std::uint64_t>(noise));
        for (std::size_t kind = 0; kind < result.size(); ++kind)
            for (std::size_t phase = 0; phase < factors.size(); ++phase) {
                ratios& sum = result[kind][phase];
                const ratios& r = measured[kind][phase];
                sum.mean += r.mean / c.noises;
                sum.geometric_mean += r.geometric_mean / c.noises;
                sum.low += r.low / c.noises;
                sum.high += r.high / c.noises;
                sum.zeros += r.zeros;
            }
    }
    return result;
}

void check_table(const course& c) {
    const auto measured =
        follow_noises<stochastic_bfloat16_codec, group_codec<scaled_half_sq<rounding::stochastic>>,
                      group_codec<ue5m3<rounding::stochastic>>, group_codec<ue4m4<rounding::stochastic>>>(c);
    for (std::size_t kind = 0; kind < table.size(); ++kind)
        for (std::size_t phase = 0; phase < factors.size(); ++phase) {
            const limits& limit = table[kind];
            const ratios& r = measured[kind][phase];
            MESSAGE(std::string(limit.kind), ", density ", c.inputs.density, ", phase ", phase + 1, ": mean ",
                    r.mean, ", geometric mean ", r.geometric_mean, ", roots ", r.low, " to ", r.high,
                    ", zeros ", r.zeros);
            CHECK(std::abs(r.mean - 1) <= limit.mean);
            CHECK(r.geometric_mean >= limit.geometric_low);
            CHECK(r.geometric_mean <= limit.geometric_high);
            CHECK(r.low >= limit.low);
            CHECK(r.high <= limit.high);
            CHECK(r.zeros == 0);
        }
}

//! The unsigned minifloat as it must not be: small values may become zero.
template <int MantissaBits>
struct unclamped : unsigned_minifloat<MantissaBits, rounding::stochastic> {
    using clamped = unsigned_minifloat<MantissaBits, rounding::stochastic>;
    static constexpr std::uint8_t encode(float value, std::uint8_t scale, std::uint32_t random) {
        const auto kept = static_cast<int>(
            drop_bits<rounding::stochastic>(magnitude_word(value), clamped::shift, random));
        return static_cast<std::uint8_t>(
            std::max(kept - (scale - clamped::exponents) * (1 << MantissaBits), 0));
    }
};

//! What the limits are there to catch is caught.
void check_controls(std::size_t elements) {
    const auto to_nearest = follow<plain_codec<bfloat16>>({.inputs = {.size = elements}})[0][1];
    MESSAGE("bf16 nearest after the fall: geometric mean ", to_nearest.geometric_mean);
    CHECK(to_nearest.geometric_mean > 100);
    const auto sparse = follow<group_codec<unclamped<4>>>({.inputs = {.size = elements, .density = 0.01}});
    // Two roots of a group are rarely as far apart as fp8's range, 46341:1, but often as fp8_fine's, 250:1.
    int zeros = 0;
    for (const ratios& phase : sparse[0]) zeros += phase.zeros;
    MESSAGE("fp8_fine without the clamp: zeros ", zeros);
    CHECK(zeros > 0);
}

}  // namespace

TEST_CASE("a simulated tensor holds the bits that adam stores") {
    using everything_fp8 = policy<mode<bf16>, precision_aware, main_params<remainder8>, bucket<fp32>,
                                  exp_avg<fp8>, exp_avg_sq<fp8>>;
    const gradients inputs{.size = 132};
    const hyperparameters h{.lr = 1e-3, .clip_grad = 0, .seed = 9};
    const std::vector<float> start(inputs.size, 0.5f);
    tensor<everything_fp8> simulated(start, h);
    std::vector<bfloat16> weights(inputs.size, to_bfloat16(0.5f));
    const std::array<std::span<bfloat16>, 1> params{weights};
    adam<everything_fp8> optimizer(params, h);
    std::vector<float> grads(inputs.size);
    for (std::int64_t t = 0; t < 50; ++t) {
        inputs.of_step(t, 1, inputs.scales(), grads);
        simulated.step(grads);
        optimizer.step(params, std::array{std::span<const float>(grads)});
    }
    CHECK(simulated.masters() == optimizer.export_fp32(slot::main_params, 0, params[0]));
    CHECK(simulated.exp_avg() == optimizer.export_fp32(slot::exp_avg, 0));
    CHECK(simulated.exp_avg_sq() == optimizer.export_fp32(slot::exp_avg_sq, 0));
}

// The noise that gathers in v does not depend on beta2: each step adds (1-beta2)*v*ulp, over 1/(2(1-beta2))
// steps.
TEST_CASE("exp_avg_sq follows fp32, in a tenth of the steps with beta2 0.99") {
    if (sanitized) return;
    check_table({.beta2 = 0.99, .steps = 600, .noises = 1});
    check_table({.inputs = {.density = 0.1}, .beta2 = 0.99, .steps = 600, .noises = 1});
    check_controls(512);
}

TEST_SUITE("convergence") {
    TEST_CASE("exp_avg_sq follows fp32 with dense gradients") { check_table({}); }
    TEST_CASE("exp_avg_sq follows fp32 with 1 % of the gradients") {
        check_table({.inputs = {.density = 0.01}});
    }
    TEST_CASE("bf16 to nearest and codes without a clamp do not follow fp32") { check_controls(4096); }
}
