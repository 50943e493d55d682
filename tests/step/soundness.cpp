// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Soundness: which pairs of policy and numbers are judged, at the borders that numerics measured.
#include <adamant/policy/presets.hpp>
#include <adamant/step/soundness.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

constexpr policy_spec with(stored_as exp_avg, stored_as exp_avg_sq) {
    policy_spec spec = presets::lean_bf16::spec;
    spec.exp_avg = exp_avg;
    spec.exp_avg_sq = exp_avg_sq;
    return spec;
}

bool is_sound(const policy_spec& spec, const hyperparameters& h = {}) {
    REQUIRE(is_valid(spec));
    return !first_unsound(spec, h);
}

constexpr stored_as nearest_of(dtype kind) { return {kind, rounding::nearest}; }
constexpr stored_as stochastic_of(dtype kind) { return {kind, rounding::stochastic}; }

}  // namespace

TEST_CASE("exp_avg_sq to nearest needs 1 - beta2 of 2^-5 in bf16 and 2^-8 in fp16") {
    const stored_as mean = stored_by_default(dtype::fp32);
    // 2^-5 and 2^-8 themselves are representable, so the borders are exact.
    CHECK(is_sound(with(mean, nearest_of(dtype::bf16)), {.beta2 = 1 - 0x1p-5}));
    CHECK_FALSE(is_sound(with(mean, nearest_of(dtype::bf16)), {.beta2 = 1 - 0x1p-6}));
    CHECK_FALSE(is_sound(with(mean, nearest_of(dtype::bf16)), {.beta2 = 0.999}));
    CHECK(is_sound(with(mean, nearest_of(dtype::fp16)), {.beta2 = 1 - 0x1p-8}));
    CHECK_FALSE(is_sound(with(mean, nearest_of(dtype::fp16)), {.beta2 = 0.999}));
    for (const dtype kind : {dtype::bf16, dtype::fp16, dtype::fp8, dtype::fp8_fine})
        CHECK(is_sound(with(mean, stochastic_of(kind)), {.beta2 = 0.9999}));
    CHECK(is_sound(presets::full_fp32::spec, {.beta2 = 0.99999}));
}

TEST_CASE("a moment of one byte is never rounded to nearest") {
    for (const dtype kind : {dtype::fp8, dtype::fp8_fine}) {
        CHECK_FALSE(is_sound(with(stochastic_of(kind), nearest_of(kind)), {.beta2 = 0.5}));
        CHECK_FALSE(is_sound(with(nearest_of(kind), stochastic_of(kind)), {.beta2 = 0.5}));
        CHECK(is_sound(with(stochastic_of(kind), stochastic_of(kind))));
    }
}

TEST_CASE("an exp_avg_sq in fp8 needs an exp_avg that reaches as far") {
    for (const dtype kind : {dtype::fp32, dtype::bf16, dtype::fp16, dtype::fp8})
        CHECK(is_sound(with(stored_by_default(kind), stored_by_default(dtype::fp8))));
    CHECK_FALSE(is_sound(with(stored_by_default(dtype::fp8_fine), stored_by_default(dtype::fp8))));
    CHECK(is_sound(with(stored_by_default(dtype::fp8), stored_by_default(dtype::fp8_fine))));
}

TEST_CASE("remainder8 to nearest needs a learning rate of 1e-5") {
    policy_spec spec = presets::lossless_bf16::spec;
    spec.main_params = nearest_of(dtype::remainder8);
    CHECK(is_sound(spec, {.lr = 1e-5}));
    CHECK_FALSE(is_sound(spec, {.lr = 0.99e-5}));
    spec.main_params = stochastic_of(dtype::remainder8);
    CHECK(is_sound(spec, {.lr = 1e-7}));
}

TEST_CASE("soundness of a type is known at compile time") {
    static_assert(!soundness<presets::lean_bf16>({.beta2 = 0.95}));
    static_assert(soundness<presets::lean_bf16>({.beta2 = 0.999})->about == policy_field::exp_avg_sq);
    static_assert(checked<presets::lean_bf16, hyperparameters{.beta2 = 0.95}>::values.beta2 == 0.95);
    static_assert(std::is_same_v<checked<presets::lean_bf16, hyperparameters{.beta2 = 0.95}>::resolved,
                                 presets::lean_bf16::resolved>);
}
