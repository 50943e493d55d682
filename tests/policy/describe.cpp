// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! describe(): what it prints is what a program can paste.
#include <array>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <adamant/policy/catalogue.hpp>
#include <adamant/policy/presets.hpp>

#include "every_spec.hpp"
#include "words_from_text.hpp"

namespace {

using namespace adamant;

//! Compiled as a policy and compared as text: the same characters both times.
#define SAYS_ITSELF(...) CHECK(__VA_ARGS__::describe() == #__VA_ARGS__)

template <class... Policies>
std::array<std::string, sizeof...(Policies)> descriptions(catalogue<Policies...>) {
    return {Policies::describe()...};
}

}  // namespace

TEST_CASE("a policy in its shortest words describes itself") {
    SAYS_ITSELF(policy<mode<fp32>>);
    SAYS_ITSELF(policy<mode<bf16>>);
    SAYS_ITSELF(policy<mode<fp16>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, main_params<fp32>, exp_avg<bf16>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, main_params<fp16>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, main_params<fp16, nearest>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, main_params<remainder8>, exp_avg<fp8>, exp_avg_sq<fp8>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, main_params<remainder8, nearest>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, main_params<none>, main_grads<bf16>, exp_avg<fp8_fine>,
                       exp_avg_sq<fp8_fine>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, exp_avg<bf16, stochastic>, exp_avg_sq<bf16, stochastic>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, exp_avg<fp16, nearest>, exp_avg_sq<fp16>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, main_grads<bf16>>);
    SAYS_ITSELF(policy<mode<bf16>, precision_aware, main_grads<bf16>, bucket<fp32>>);
    SAYS_ITSELF(policy<mode<bf16>, grad_reduce_in_fp32<false>>);
    SAYS_ITSELF(policy<mode<fp16>, grad_reduce_in_fp32<false>>);
    SAYS_ITSELF(policy<mode<fp16>, precision_aware, main_grads<bf16>, grad_reduce_in_fp32<false>>);
    SAYS_ITSELF(policy<mode<fp16>, precision_aware, main_grads<bf16>, bucket<bf16>>);
    SAYS_ITSELF(policy<mode<fp16>, precision_aware, main_params<fp16>, exp_avg<fp8>, exp_avg_sq<fp8>>);
    SAYS_ITSELF(policy<mode<fp32>, precision_aware, main_grads<bf16>, exp_avg<bf16>>);
    SAYS_ITSELF(policy<mode<fp32>, precision_aware, main_grads<bf16>, bucket<bf16>>);
}

TEST_CASE("defaults are left out") {
    CHECK(policy<>::describe() == "policy<mode<bf16>>");
    CHECK(policy<mode<bf16>, main_params<fp32>, main_grads<fp32>, exp_avg<fp32>, exp_avg_sq<fp32>,
                 bucket<fp32>>::describe() == "policy<mode<bf16>>");
    CHECK(policy<precision_aware, main_params<remainder16>, main_grads<bf16>, bucket<bf16>>::describe() ==
          "policy<mode<bf16>, precision_aware, main_grads<bf16>>");
    CHECK(policy<precision_aware, main_params<none, stochastic>, exp_avg<bf16, nearest>>::describe() ==
          "policy<mode<bf16>, precision_aware, main_params<none>, exp_avg<bf16>>");
    CHECK(policy<mode<fp32>, main_params<none>>::describe() == "policy<mode<fp32>>");
    CHECK(policy<grad_reduce_in_fp32<true>>::describe() == "policy<mode<bf16>>");
}

TEST_CASE("the canonical type describes what it stores") {
    CHECK(policy<mode<fp16>, precision_aware>::resolved::describe() == "policy<mode<fp16>>");
    CHECK(policy<mode<bf16>, precision_aware, main_params<fp32>>::resolved::describe() ==
          "policy<mode<bf16>>");
    CHECK(policy<grad_reduce_in_fp32<false>>::resolved::describe() ==
          "policy<mode<bf16>, grad_reduce_in_fp32<false>>");
    CHECK(presets::lean_bf16::resolved::describe() == presets::lean_bf16::describe());
    CHECK(presets::lean_bf16::describe() ==
          "policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>");
}

TEST_CASE("verl's catalogue describes itself") {
    constexpr std::array<std::string_view, 19> expected{
        "policy<mode<fp32>>",
        "policy<mode<bf16>>",
        "policy<mode<bf16>, grad_reduce_in_fp32<false>>",
        "policy<mode<bf16>, precision_aware>",
        "policy<mode<bf16>, precision_aware, exp_avg_sq<bf16>>",
        "policy<mode<bf16>, precision_aware, exp_avg<bf16>>",
        "policy<mode<bf16>, precision_aware, exp_avg<bf16>, exp_avg_sq<bf16>>",
        "policy<mode<bf16>, precision_aware, main_grads<bf16>>",
        "policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg_sq<bf16>>",
        "policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>>",
        "policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>",
        "policy<mode<bf16>, precision_aware, main_params<fp32>, exp_avg_sq<bf16>>",
        "policy<mode<bf16>, precision_aware, main_params<fp32>, exp_avg<bf16>>",
        "policy<mode<bf16>, precision_aware, main_params<fp32>, exp_avg<bf16>, exp_avg_sq<bf16>>",
        "policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<bf16>>",
        "policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<bf16>, exp_avg_sq<bf16>>",
        "policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<bf16>, exp_avg<bf16>>",
        "policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<bf16>, exp_avg<bf16>, "
        "exp_avg_sq<bf16>>",
        "policy<mode<fp16>>"};
    const auto texts = descriptions(verl_catalogue{});
    REQUIRE(texts.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(texts[i] == expected[i]);
}

TEST_CASE("the description of every valid spec reads back as the same storage") {
    // Also of specs that no policy<...> has: narrow_bucket set where the bucket is not narrow.
    long valid = 0, wrong = 0;
    policy_spec first_wrong;
    for (const dtype mode : {dtype::fp32, dtype::bf16, dtype::fp16})
        for_each_spec(mode, [&](const policy_spec& spec) {
            if (!is_valid(spec)) return;
            ++valid;
            const policy_words words = from_text::words_of(describe(spec));
            const bool reads_back =
                !first_broken(words) && storage_of(with_defaults(words)) == storage_of(spec);
            if (!reads_back && wrong++ == 0) first_wrong = spec;
        });
    INFO("the first one: ", describe(first_wrong), ", narrow_bucket ", first_wrong.narrow_bucket, ", bucket ",
         std::string(to_string(first_wrong.grad_bucket)));
    CHECK(wrong == 0);
    CHECK(valid > 6000);
}
