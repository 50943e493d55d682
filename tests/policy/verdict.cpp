// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The verdict over every combination of the enums, against the tables of oracle.hpp.
#include <string>

#include <doctest/doctest.h>

#include <adamant/policy/rules.hpp>

#include "every_spec.hpp"
#include "oracle.hpp"

using namespace adamant;

TEST_CASE("the rules speak in the order of the oracle's table") {
    REQUIRE(spec_rules::texts.size() == oracle::speaking_order.size());
    for (std::size_t i = 0; i < spec_rules::texts.size(); ++i)
        CHECK(spec_rules::texts[i].sentence.starts_with(oracle::speaking_order[i].sentence_begins));
}

TEST_CASE("every combination of the enums gets the oracle's verdict") {
    // All 28,311,552: mode 8, precision_aware 2, main_params 8 kinds x 3 roundings, main_grads 8,
    // exp_avg 8 x 3, exp_avg_sq 8 x 3, bucket 8, narrow_bucket 2.
    long count = 0, valid = 0, wrong = 0;
    policy_spec first_wrong;
    for (const dtype mode : all_dtypes)
        for_each_spec(mode, [&](const policy_spec& spec) {
            const int expected = oracle::first_broken(spec);
            const bool agrees =
                spec_rules::first_broken(spec) == expected && is_valid(spec) == (expected < 0);
            if (!agrees && wrong++ == 0) first_wrong = spec;
            ++count;
            valid += expected < 0;
        });
    INFO("the first one: ", describe(first_wrong));
    CHECK(wrong == 0);
    CHECK(count == every_spec_count);
    // Counted by hand from resolution.md. A moment has 9 forms: fp32, and bf16, fp16, fp8, fp8_fine with two
    // roundings each. Masters: 1 in mode fp32, 7 in bf16, 3 in fp16. Main gradients with bucket and
    // permission: 6, 7 and 8. Without precision_aware: one master, fp32 moments and main gradients.
    CHECK(valid == (1 * 6 + 7 * 7 + 3 * 8) * 9 * 9 + (2 + 3 + 3));
}

TEST_CASE("the first broken rule comes with its sentence and its field") {
    const auto about = [](const policy_spec& spec) { return first_broken(spec)->about; };
    CHECK(!first_broken(policy_spec{}));
    CHECK(first_broken(policy_spec{.mode = dtype::fp8})->sentence == rules::known_mode::sentence);
    CHECK(about({.mode = dtype::fp8}) == policy_field::mode);
    CHECK(about({.main_grads = dtype::bf16}) == policy_field::main_grads);
    CHECK(about({.main_params = stored_by_default(dtype::fp16)}) == policy_field::main_params);
    CHECK(about({.exp_avg = stored_by_default(dtype::bf16)}) == policy_field::exp_avg);
    CHECK(about({.exp_avg_sq = stored_by_default(dtype::bf16)}) == policy_field::exp_avg_sq);
    CHECK(about({.grad_bucket = dtype::bf16}) == policy_field::bucket);
}
