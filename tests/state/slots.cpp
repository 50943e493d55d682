// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! slots: their names and order, and what each policy keeps in them.
#include <adamant/policy/presets.hpp>
#include <adamant/state/slots.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

template <class Policy, slot S, class Code>
constexpr bool keeps =
    has_slot<typename Policy::resolved, S>&& std::is_same_v<slot_code_t<typename Policy::resolved, S>, Code>;
template <class Policy, slot S>
constexpr bool keeps_nothing = !has_slot<typename Policy::resolved, S>;
template <class Policy, slot S>
constexpr bool scaled = has_scales<typename Policy::resolved, S>;

static_assert(keeps_nothing<presets::full_fp32, slot::main_params>);
static_assert(keeps<presets::full_fp32, slot::exp_avg, float>);
static_assert(keeps<presets::full_fp32, slot::exp_avg_sq, float>);

static_assert(keeps<presets::megatron_bf16, slot::main_params, float>);
static_assert(keeps<presets::megatron_bf16, slot::exp_avg, float>);
static_assert(keeps<presets::megatron_bf16, slot::exp_avg_sq, float>);

static_assert(keeps<presets::lossless_bf16, slot::main_params, std::int16_t>);
static_assert(keeps<presets::lossless_bf16, slot::exp_avg, float>);

static_assert(keeps<presets::lean_bf16, slot::main_params, std::int16_t>);
static_assert(keeps<presets::lean_bf16, slot::exp_avg, bfloat16>);
static_assert(keeps<presets::lean_bf16, slot::exp_avg_sq, bfloat16>);

static_assert(keeps<presets::scaled_fp16, slot::main_params, float>);
static_assert(keeps<presets::scaled_fp16, slot::exp_avg_sq, float>);

using smallest = policy<mode<bf16>, precision_aware, main_params<none>, exp_avg<fp8>, exp_avg_sq<fp8>>;
static_assert(keeps_nothing<smallest, slot::main_params> && !scaled<smallest, slot::main_params>);
static_assert(keeps<smallest, slot::exp_avg, std::uint8_t> && scaled<smallest, slot::exp_avg>);
static_assert(keeps<smallest, slot::exp_avg_sq, std::uint8_t> && scaled<smallest, slot::exp_avg_sq>);

using halves = policy<mode<fp16>, precision_aware, main_params<fp16>, exp_avg<fp16>, exp_avg_sq<fp16>>;
static_assert(keeps<halves, slot::main_params, std::uint16_t> && scaled<halves, slot::main_params>);
static_assert(keeps<halves, slot::exp_avg, std::uint16_t> && scaled<halves, slot::exp_avg>);
static_assert(keeps<halves, slot::exp_avg_sq, std::uint16_t> && scaled<halves, slot::exp_avg_sq>);

using fine = policy<mode<bf16>, precision_aware, main_params<remainder8>, exp_avg<fp8_fine>,
                    exp_avg_sq<bf16, stochastic>>;
static_assert(keeps<fine, slot::main_params, std::int8_t> && !scaled<fine, slot::main_params>);
static_assert(keeps<fine, slot::exp_avg, std::uint8_t> && scaled<fine, slot::exp_avg>);
static_assert(keeps<fine, slot::exp_avg_sq, bfloat16> && !scaled<fine, slot::exp_avg_sq>);
static_assert(!scaled<presets::lean_bf16, slot::exp_avg>);

}  // namespace

TEST_CASE("slots are listed as main_params, exp_avg, exp_avg_sq") {
    CHECK(all_slots.size() == 3);
    CHECK(to_string(all_slots[0]) == "main_params");
    CHECK(to_string(all_slots[1]) == "exp_avg");
    CHECK(to_string(all_slots[2]) == "exp_avg_sq");
}

TEST_CASE("a slot is found by its exact name only") {
    CHECK(slot_named("main_params") == slot::main_params);
    CHECK(slot_named("exp_avg") == slot::exp_avg);
    CHECK(slot_named("exp_avg_sq") == slot::exp_avg_sq);
    for (const char* unknown : {"", "exp_avg_s", "exp_avg_sqr", "EXP_AVG", "master", " exp_avg"})
        CHECK(!slot_named(unknown));
}
