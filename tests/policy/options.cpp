// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Each option alone and every pair of options: what the types say is what the run time says.
#include <array>
#include <string>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

#include <adamant/policy/resolve.hpp>

#include "oracle.hpp"
#include "words_from_text.hpp"

namespace {

using namespace adamant;

//! What policy<Options...> comes to, without the static_assert that would stop the compiler.
struct verdict {
    int broken_word, broken_spec;
    policy_spec meant;
    bool canonical_agrees;  // a canonical type that stores what is meant, or none where the policy is invalid
};

template <class... Options>
constexpr verdict verdict_of() {
    using judged = detail::resolution<Options...>;
    const bool valid = judged::broken_word < 0 && judged::broken_spec < 0;
    constexpr bool has_type = !std::is_same_v<typename judged::type, invalid_policy>;
    return {judged::broken_word, judged::broken_spec, judged::spec,
            valid == has_type && (!has_type || storage_of(judged::type::spec) == storage_of(judged::spec))};
}

//! Options as types and, in the same order, as they were written.
template <class... Options>
struct option_list {
    static constexpr std::size_t size = sizeof...(Options);

    template <class... Before>
    static constexpr std::array<verdict, size> after{verdict_of<Before..., Options>()...};
    static constexpr std::array<std::array<verdict, size>, size> pairs{after<Options>...};
    static constexpr std::array<std::array<verdict, size>, size> aware_pairs{
        after<precision_aware, Options>...};

    template <class A>
    static constexpr bool commutes_with_all =
        (std::is_same_v<typename detail::resolution<A, Options>::type,
                        typename detail::resolution<Options, A>::type> &&
         ...);
    static constexpr std::array<bool, size> commutes{commutes_with_all<Options>...};
};

void agrees(const verdict& typed, const policy_words& written) {
    const int word = word_rules::first_broken(written);
    const policy_spec meant = with_defaults(written);
    CHECK(typed.broken_word == word);
    if (word < 0) {
        CHECK(typed.broken_spec == oracle::first_broken(meant));
        CHECK(typed.meant == meant);
    }
    CHECK(typed.canonical_agrees);
}

policy_words words(std::initializer_list<std::string_view> texts) {
    policy_words result;
    for (const std::string_view text : texts) from_text::add(result, text);
    return result;
}

struct sharp {};  // no word of a policy

// X(text and type) for every option there is.
#define EACH_KIND(WORD)                                                                                 \
    WORD(fp32), WORD(bf16), WORD(fp16), WORD(fp8), WORD(fp8_fine), WORD(remainder16), WORD(remainder8), \
        WORD(none)
#define EVERY_OPTION(X)                                                                                     \
    EACH_KIND(X##_mode), EACH_KIND(X##_main_params), EACH_KIND(X##_main_grads), EACH_KIND(X##_exp_avg),     \
        EACH_KIND(X##_exp_avg_sq), EACH_KIND(X##_bucket), X(precision_aware), X(grad_reduce_in_fp32<true>), \
        X(grad_reduce_in_fp32<false>), X(sharp), X(mode<int>), X(mode<nearest>), X(main_params<float>),     \
        X(main_params<fp32, fp32>), X(main_grads<int>), X(exp_avg<float>), X(exp_avg<bf16, int>),           \
        X(exp_avg<by_kind>), X(exp_avg_sq<nearest>), X(bucket<float>), X(fp32), X(stochastic)
#define WITH_ROUNDINGS(X, field, K) \
    X(field<K>), X(field<K, exact>), X(field<K, nearest>), X(field<K, stochastic>)

#define TYPE(...) __VA_ARGS__
#define TYPE_mode(K) mode<K>
#define TYPE_main_params(K) WITH_ROUNDINGS(TYPE, main_params, K)
#define TYPE_main_grads(K) main_grads<K>
#define TYPE_exp_avg(K) WITH_ROUNDINGS(TYPE, exp_avg, K)
#define TYPE_exp_avg_sq(K) WITH_ROUNDINGS(TYPE, exp_avg_sq, K)
#define TYPE_bucket(K) bucket<K>

#define TEXT(...) std::string_view(#__VA_ARGS__)
#define TEXT_mode(K) TEXT(mode<K>)
#define TEXT_main_params(K) WITH_ROUNDINGS(TEXT, main_params, K)
#define TEXT_main_grads(K) TEXT(main_grads<K>)
#define TEXT_exp_avg(K) WITH_ROUNDINGS(TEXT, exp_avg, K)
#define TEXT_exp_avg_sq(K) WITH_ROUNDINGS(TEXT, exp_avg_sq, K)
#define TEXT_bucket(K) TEXT(bucket<K>)

using every_option = option_list<EVERY_OPTION(TYPE)>;
constexpr std::array every_text{EVERY_OPTION(TEXT)};

// Those that meet each other: at least one for each thing that a rule looks at.
#define SOME_OPTIONS(X)                                                                                      \
    X(mode<fp32>), X(mode<bf16>), X(mode<fp16>), X(mode<fp8>), X(precision_aware), X(main_params<fp32>),     \
        X(main_params<bf16>), X(main_params<fp16>), X(main_params<remainder16>), X(main_params<remainder8>), \
        X(main_params<remainder16, nearest>), X(main_params<none>), X(main_params<none, nearest>),           \
        X(main_params<none, exact>), X(main_grads<fp32>), X(main_grads<bf16>), X(main_grads<fp16>),          \
        X(exp_avg<fp32>), X(exp_avg<bf16>), X(exp_avg<fp32, stochastic>), X(exp_avg<remainder8>),            \
        X(exp_avg_sq<bf16>), X(exp_avg_sq<fp8, stochastic>), X(exp_avg_sq<bf16, exact>), X(bucket<fp32>),    \
        X(bucket<bf16>), X(bucket<fp16>), X(bucket<fp8>), X(grad_reduce_in_fp32<true>),                      \
        X(grad_reduce_in_fp32<false>), X(sharp)

using some_options = option_list<SOME_OPTIONS(TYPE)>;
constexpr std::array some_texts{SOME_OPTIONS(TEXT)};

}  // namespace

TEST_CASE("each option alone says the same as a type and as text") {
    static_assert(every_text.size() == every_option::size);
    static_assert(every_text.size() == 3 * 8 + 3 * 8 * 4 + 3 + 13);
    for (std::size_t i = 0; i < every_text.size(); ++i) {
        INFO(every_text[i]);
        agrees(every_option::after<>[i], words({every_text[i]}));
        agrees(every_option::after<precision_aware>[i], words({"precision_aware", every_text[i]}));
    }
}

TEST_CASE("every pair of options says the same as types and as text") {
    static_assert(some_texts.size() == some_options::size);
    for (std::size_t i = 0; i < some_texts.size(); ++i)
        for (std::size_t k = 0; k < some_texts.size(); ++k) {
            INFO(some_texts[i], ", ", some_texts[k]);
            agrees(some_options::pairs[i][k], words({some_texts[i], some_texts[k]}));
        }
}

TEST_CASE("every pair of options beside precision_aware says the same as types and as text") {
    for (std::size_t i = 0; i < some_texts.size(); ++i)
        for (std::size_t k = 0; k < some_texts.size(); ++k) {
            INFO("precision_aware, ", some_texts[i], ", ", some_texts[k]);
            agrees(some_options::aware_pairs[i][k], words({"precision_aware", some_texts[i], some_texts[k]}));
        }
}

TEST_CASE("two options in either order are one type and one broken rule") {
    for (std::size_t i = 0; i < some_texts.size(); ++i) {
        INFO(some_texts[i]);
        CHECK(some_options::commutes[i]);
        for (std::size_t k = 0; k < i; ++k) {
            INFO(some_texts[k]);
            CHECK(some_options::pairs[i][k].broken_word == some_options::pairs[k][i].broken_word);
            CHECK(some_options::pairs[i][k].broken_spec == some_options::pairs[k][i].broken_spec);
        }
    }
}

TEST_CASE("the words break their rules in the order of the list") {
    const auto speaks = [](std::initializer_list<std::string_view> texts) {
        return first_broken(words(texts))->sentence;
    };
    CHECK(speaks({"sharp"}) == rules::known_options::sentence);
    CHECK(speaks({"sharp", "mode<bf16>", "mode<fp16>"}) == rules::known_options::sentence);
    CHECK(speaks({"mode<bf16>", "mode<bf16>"}) == rules::one_mode::sentence);
    CHECK(speaks({"mode<bf16>", "mode<fp16>", "exp_avg<fp32>", "exp_avg<fp32>"}) ==
          rules::one_mode::sentence);
    for (const std::string_view option :
         {"precision_aware", "main_params<fp32>", "main_grads<fp32>", "exp_avg<fp32>", "exp_avg_sq<fp32>",
          "bucket<fp32>", "grad_reduce_in_fp32<true>"})
        CHECK(speaks({option, option}) == rules::options_once::sentence);
    CHECK(speaks({"bucket<fp32>", "bucket<fp32>", "grad_reduce_in_fp32<true>"}) ==
          rules::options_once::sentence);
    CHECK(speaks({"bucket<fp32>", "grad_reduce_in_fp32<true>"}) == rules::bucket_once::sentence);
    CHECK(speaks({"mode<fp32>", "bucket<fp32>", "grad_reduce_in_fp32<false>"}) ==
          rules::bucket_once::sentence);
    CHECK(speaks({"mode<fp32>", "grad_reduce_in_fp32<false>"}) == rules::no_idle_reduce::sentence);
    CHECK(speaks({"mode<fp32>", "grad_reduce_in_fp32<false>", "exp_avg<bf16>"}) ==
          rules::no_idle_reduce::sentence);
    CHECK(!first_broken(words({"mode<fp32>", "grad_reduce_in_fp32<true>"})));
    CHECK(!first_broken(words({"grad_reduce_in_fp32<false>"})));
}

TEST_CASE("what is left out has Megatron's default") {
    const auto meant = [](std::string_view text) { return with_defaults(from_text::words_of(text)); };
    constexpr stored_as full{dtype::fp32, rounding::exact};
    constexpr stored_as remainder{dtype::remainder16, rounding::exact};
    constexpr stored_as no_master{dtype::none, rounding::exact};
    CHECK(meant("policy<>") ==
          policy_spec{dtype::bf16, false, full, dtype::fp32, full, full, dtype::fp32, false});
    CHECK(meant("policy<mode<bf16>, precision_aware>").main_params == remainder);
    CHECK(meant("policy<mode<fp16>, precision_aware>").main_params == full);
    CHECK(meant("policy<mode<fp32>>").main_params == no_master);
    CHECK(meant("policy<mode<fp32>, precision_aware>").main_params == no_master);
    CHECK(meant("policy<mode<fp32>, main_params<none>>").main_params == no_master);
    // The bucket follows main_grads, where the weights have the same dtype.
    CHECK(meant("policy<precision_aware, main_grads<bf16>>").grad_bucket == dtype::bf16);
    CHECK(meant("policy<mode<fp16>, precision_aware, main_grads<bf16>>").grad_bucket == dtype::fp32);
    CHECK(meant("policy<mode<fp32>, precision_aware, main_grads<bf16>>").grad_bucket == dtype::fp32);
    CHECK(meant("policy<grad_reduce_in_fp32<false>>").grad_bucket == dtype::bf16);
    CHECK(meant("policy<mode<fp16>, grad_reduce_in_fp32<false>>").grad_bucket == dtype::fp16);
    CHECK(meant("policy<precision_aware, main_grads<bf16>, grad_reduce_in_fp32<true>>").grad_bucket ==
          dtype::fp32);
    // Rounding by kind.
    for (const dtype kind : all_dtypes) {
        const rounding expected = kind == dtype::fp32 || kind == dtype::remainder16 ? rounding::exact
                                  : kind == dtype::bf16                             ? rounding::nearest
                                                                                    : rounding::stochastic;
        CHECK(meant("policy<exp_avg<" + std::string(to_string(kind)) + ">>").exp_avg ==
              stored_as{kind, expected});
        CHECK(meant("policy<main_params<" + std::string(to_string(kind)) + ">>").main_params ==
              stored_as{kind, expected});
    }
    CHECK(meant("policy<exp_avg_sq<bf16, stochastic>>").exp_avg_sq ==
          stored_as{dtype::bf16, rounding::stochastic});
}
