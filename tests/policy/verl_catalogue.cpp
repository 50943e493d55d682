// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! verl_catalogue is what api.md spells out: 19 storages, no more and no less.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include <adamant/policy/catalogue.hpp>

namespace {

using namespace adamant;

constexpr stored_as full{dtype::fp32, rounding::exact};

stored_as as(dtype kind) { return kind == dtype::bf16 ? stored_as{dtype::bf16, rounding::nearest} : full; }

//! api.md: fp32; bf16 plain with fp32 or bf16 bucket; bf16 precision-aware: grads {fp32, bf16} x exp_avg
//! {fp32, bf16} x exp_avg_sq {fp32, bf16}, remainder16 or fp32 master; fp16. The two switches are off:
//! storage alone counts.
std::vector<policy_spec> spelled_out() {
    std::vector<policy_spec> list{
        {dtype::fp32, false, {dtype::none, rounding::exact}, dtype::fp32, full, full, dtype::fp32, false},
        {dtype::bf16, false, full, dtype::fp32, full, full, dtype::fp32, false},
        {dtype::bf16, false, full, dtype::fp32, full, full, dtype::bf16, false},
        {dtype::fp16, false, full, dtype::fp32, full, full, dtype::fp32, false}};
    constexpr stored_as remainder{dtype::remainder16, rounding::exact};
    for (const stored_as master : {remainder, full})
        for (const dtype grads : {dtype::fp32, dtype::bf16})
            for (const dtype exp_avg : {dtype::fp32, dtype::bf16})
                for (const dtype exp_avg_sq : {dtype::fp32, dtype::bf16}) {
                    const policy_spec spec{dtype::bf16, false,          master, grads,
                                           as(exp_avg), as(exp_avg_sq), grads};
                    if (std::ranges::find(list, spec) == list.end()) list.push_back(spec);
                }
    return list;
}

}  // namespace

TEST_CASE("verl's catalogue holds the storages that api.md spells out") {
    const auto expected = spelled_out();
    CHECK(expected.size() == 19);
    std::vector<policy_spec> found;
    for (const policy_spec& spec : verl_catalogue::specs) found.push_back(storage_of(spec));
    CHECK(std::ranges::is_permutation(found, expected));
}

TEST_CASE("no two entries of verl's catalogue store the same") {
    const auto& specs = verl_catalogue::specs;
    CHECK(specs.size() == 19);
    for (std::size_t i = 0; i < specs.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) CHECK(storage_of(specs[i]) != storage_of(specs[k]));
}

TEST_CASE("every entry of verl's catalogue is valid") {
    for (const policy_spec& spec : verl_catalogue::specs) CHECK(is_valid(spec));
}
