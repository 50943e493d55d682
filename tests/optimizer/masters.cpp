// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Masters: where they start, how they are reloaded, and that a remainder is a lossless one.
#include "model.hpp"

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

using with_remainder = presets::lossless_bf16;
using with_fp32 = policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<bf16>>;

template <class Policy>
std::vector<std::vector<float>> masters_of(model<Policy>& m) {
    std::vector<std::vector<float>> result;
    for (std::size_t i = 0; i < m.params.size(); ++i)
        result.push_back(m.optimizer.export_fp32(slot::main_params, i, std::span(m.params[i])));
    return result;
}

template <class Policy>
std::vector<std::vector<float>> moments_of(const model<Policy>& m, slot s) {
    std::vector<std::vector<float>> result;
    for (std::size_t i = 0; i < m.params.size(); ++i) result.push_back(m.optimizer.export_fp32(s, i));
    return result;
}

std::vector<std::vector<float>> fp32_weights(const std::vector<std::size_t>& sizes) {
    std::vector<std::vector<float>> values;
    for (std::size_t i = 0; i < sizes.size(); ++i) values.push_back(inputs::spread(sizes[i], 50 + i));
    return values;
}

template <class Policy>
void start_from(model<Policy>& m, const std::vector<std::vector<float>>& values) {
    m.optimizer.init_masters(m.param_spans(),
                             std::vector<std::span<const float>>(values.begin(), values.end()));
}

template <class Policy>
void check_start() {
    model<Policy> m;
    const auto masters = masters_of(m);
    for (std::size_t i = 0; i < masters.size(); ++i)
        for (std::size_t k = 0; k < masters[i].size(); ++k)
            REQUIRE(masters[i][k] == to_float(m.params[i][k]));
    const auto values = fp32_weights(m.sizes);
    start_from(m, values);
    CHECK(masters_of(m) == values);
}

}  // namespace

TEST_CASE("masters start from the weights, or from fp32 values bit for bit") {
    check_start<with_remainder>();
    check_start<with_fp32>();
    check_start<presets::scaled_fp16>();
    check_start<presets::full_fp32>();
}

TEST_CASE(
    "init_masters writes weights: nearest beside a full master, half away from zero beside a remainder") {
    const std::vector<std::uint32_t> bits{0x3F808000, 0x3F807FFF, 0xBF80FFFF, 0x3F818000};
    std::vector<float> values;
    for (const std::uint32_t word : bits) values.push_back(from_bits(word));
    std::vector<bfloat16> weights(4);
    const std::vector<std::span<const float>> lists{values};
    const std::vector<std::span<bfloat16>> params{weights};

    adam<with_remainder> split(params, {});
    split.init_masters(params, lists);
    CHECK(weights == std::vector<bfloat16>{{0x3F81}, {0x3F80}, {0xBF81}, {0x3F82}});
    const auto remainders = split.state<slot::main_params>(0);
    CHECK(std::vector<std::int16_t>(remainders.begin(), remainders.end()) ==
          std::vector<std::int16_t>{-32768, 32767, -1, -32768});

    adam<with_fp32> full(params, {});
    full.init_masters(params, lists);
    CHECK(weights == std::vector<bfloat16>{{0x3F80}, {0x3F80}, {0xBF81}, {0x3F82}});
}

TEST_CASE("a remainder and an fp32 master have the same bits for 200 steps") {
    const hyperparameters hyper{.lr = 1e-4, .weight_decay = 0.1};
    model<with_remainder> a(hyper);
    model<with_fp32> b(hyper);
    start_from(a, fp32_weights(a.sizes));
    start_from(b, fp32_weights(b.sizes));
    const auto start = masters_of(a);
    bool same = true, weights_follow = true;
    for (std::uint64_t i = 0; i < 200; ++i) {
        same = same && a.step_with_new_grads(i).grad_norm == b.step_with_new_grads(i).grad_norm;
        const auto masters = masters_of(a);
        same = same && masters == masters_of(b) &&
               moments_of(a, slot::exp_avg) == moments_of(b, slot::exp_avg) &&
               moments_of(a, slot::exp_avg_sq) == moments_of(b, slot::exp_avg_sq);
        for (std::size_t t = 0; t < masters.size(); ++t)
            for (std::size_t k = 0; k < masters[t].size(); ++k) {
                const bool tie = (to_bits(masters[t][k]) & 0xFFFFu) == 0x8000u;
                weights_follow = weights_follow && (tie || a.params[t][k] == b.params[t][k]);
            }
    }
    CHECK(same);
    CHECK(weights_follow);
    CHECK(masters_of(a) != start);
}

TEST_CASE("weights changed from outside need reload_masters, else the old ones come back") {
    const auto weights_after = [](bool reload) {
        model<presets::megatron_bf16> m({.lr = 0});
        for (auto& values : m.params) values.assign(values.size(), to_bfloat16(7));
        if (reload) m.optimizer.reload_masters(m.param_spans());
        m.step();
        return m.params;
    };
    const model<presets::megatron_bf16> untouched;
    CHECK(weights_after(false) == untouched.params);
    for (const auto& values : weights_after(true))
        CHECK(values == std::vector<bfloat16>(values.size(), to_bfloat16(7)));
}

TEST_CASE("a remainder belongs to its weight: reload_masters forgets it") {
    model<with_remainder> m;
    start_from(m, fp32_weights(m.sizes));
    for (auto& values : m.params) values.assign(values.size(), to_bfloat16(7));
    const auto sevens = [](const std::vector<std::vector<float>>& masters) {
        return std::ranges::all_of(
            masters, [](const auto& values) { return values == std::vector<float>(values.size(), 7); });
    };
    CHECK(!sevens(masters_of(m)));
    m.optimizer.reload_masters(m.param_spans());
    CHECK(sevens(masters_of(m)));
}

TEST_CASE("moments are imported as the policy stores them") {
    const std::vector<float> values = inputs::spread(300, 9);
    model<presets::megatron_bf16> wide;
    wide.optimizer.import_fp32(slot::exp_avg, 0, values);
    CHECK(wide.optimizer.export_fp32(slot::exp_avg, 0) == values);
    CHECK(wide.optimizer.export_fp32(slot::exp_avg_sq, 0) == std::vector<float>(300));

    model<presets::lean_bf16> lean;
    lean.optimizer.import_fp32(slot::exp_avg_sq, 0, values);
    const auto stored = lean.optimizer.export_fp32(slot::exp_avg_sq, 0);
    for (std::size_t i = 0; i < 300; ++i) {
        REQUIRE(stored[i] == to_float(to_bfloat16(values[i])));
        REQUIRE(std::abs(double{stored[i]} - double{values[i]}) <= 0x1p-8 * std::abs(double{values[i]}));
    }
}

TEST_CASE("an optimizer rebuilt from what another exports goes on with its bits") {
    model<presets::lean_bf16> first, second;
    for (std::uint64_t i = 0; i < 5; ++i) first.step_with_new_grads(i);
    start_from(second, masters_of(first));
    for (std::size_t t = 0; t < first.params.size(); ++t)
        for (const slot s : {slot::exp_avg, slot::exp_avg_sq})
            second.optimizer.import_fp32(s, t, first.optimizer.export_fp32(s, t));
    second.optimizer.set_step_count(first.optimizer.step_count());
    CHECK(second.digest() == first.digest());
    for (std::uint64_t i = 5; i < 8; ++i) {
        first.step_with_new_grads(i);
        second.step_with_new_grads(i);
    }
    CHECK(second.digest() == first.digest());
}
