// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! visit: the first policy of a catalogue that stores what a spec says, or an error that says what to do.
#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <doctest/doctest.h>

#include <adamant/policy/catalogue.hpp>
#include <adamant/policy/presets.hpp>

namespace {

using namespace adamant;

std::string message_of(auto&& call) {
    try {
        call();
    } catch (const config_error& error) { return error.what(); }
    return "nothing was thrown";
}

constexpr auto storage = []<class P>(std::type_identity<P>) { return storage_of(P::spec); };

//! 324 policies: 4 masters, 9 forms of each moment.
template <int N>
struct numbered {
    template <int Form>
    using moment = std::tuple_element_t<
        Form, std::tuple<stored<fp32, exact>, stored<bf16, nearest>, stored<bf16, stochastic>,
                         stored<fp16, nearest>, stored<fp16, stochastic>, stored<fp8, nearest>,
                         stored<fp8, stochastic>, stored<fp8_fine, nearest>, stored<fp8_fine, stochastic>>>;
    using master =
        std::tuple_element_t<N / 81, std::tuple<stored<fp32, exact>, stored<fp16, stochastic>,
                                                stored<remainder16, exact>, stored<remainder8, stochastic>>>;
    using type = resolved_policy<bf16, master, fp32, moment<N % 9>, moment<N / 9 % 9>, fp32>;
};

template <int... N>
auto many(std::integer_sequence<int, N...>) -> catalogue<typename numbered<N>::type...>;
using many_policies = decltype(many(std::make_integer_sequence<int, 324>{}));

template <class P, int... N>
auto repeat(std::integer_sequence<int, N...>)
    -> catalogue<std::conditional_t<(N >= 0), P, void>..., presets::full_fp32>;

}  // namespace

TEST_CASE("visit finds every policy of verl's catalogue") {
    for (const policy_spec& spec : verl_catalogue::specs) {
        INFO(describe(spec));
        CHECK(visit(spec, verl_catalogue{}, storage) == storage_of(spec));
    }
}

TEST_CASE("visit finds a policy by what it stores, whatever was permitted") {
    using small = catalogue<presets::lean_bf16, presets::scaled_fp16, policy<grad_reduce_in_fp32<false>>>;
    const auto mode_of = []<class P>(std::type_identity<P>) { return P::spec.mode; };
    CHECK(visit(policy<mode<fp16>, precision_aware>::spec, small{}, mode_of) == dtype::fp16);
    policy_spec spec = presets::scaled_fp16::spec;
    spec.narrow_bucket = true;
    CHECK(visit(spec, small{}, mode_of) == dtype::fp16);
    spec = policy<grad_reduce_in_fp32<false>>::spec;
    spec.precision_aware = true;
    CHECK(visit(spec, small{}, mode_of) == dtype::bf16);
}

TEST_CASE("visit calls with the policy as the catalogue names it") {
    using twice = catalogue<presets::full_fp32, presets::lean_bf16,
                            policy<precision_aware, exp_avg_sq<bf16>, main_grads<bf16>, exp_avg<bf16>>>;
    const auto is_first = []<class P>(std::type_identity<P>) {
        return std::is_same_v<P, presets::lean_bf16>;
    };
    CHECK(visit(presets::lean_bf16::spec, twice{}, is_first));
}

TEST_CASE("visit returns what the call returns, and nothing where that is nothing") {
    int calls = 0;
    visit(presets::full_fp32::spec, verl_catalogue{}, [&](auto) { ++calls; });
    CHECK(calls == 1);
    auto text = visit(presets::full_fp32::spec, verl_catalogue{},
                      []<class P>(std::type_identity<P>) { return P::describe(); });
    static_assert(std::is_same_v<decltype(text), std::string>);
    CHECK(text == "policy<mode<fp32>>");
    const auto counting = [n = 0](auto) mutable { return ++n; };
    auto own = counting;
    visit(presets::full_fp32::spec, verl_catalogue{}, own);
    CHECK(visit(presets::full_fp32::spec, verl_catalogue{}, own) == 2);  // the caller's object, not a copy
}

TEST_CASE("an invalid spec is refused with the sentence of the rule") {
    const auto refusal = [](const policy_spec& spec) {
        return message_of([&] { visit(spec, verl_catalogue{}, storage); });
    };
    CHECK(refusal({.main_grads = dtype::bf16}) == rules::opt_in_main_grads::sentence);
    CHECK(refusal({.mode = dtype::fp8}) == rules::known_mode::sentence);
    CHECK(refusal({.grad_bucket = dtype::bf16}) == rules::bucket_holds_grads::sentence);
    policy_spec spec = presets::lean_bf16::spec;
    spec.main_params = {dtype::none, rounding::nearest};
    CHECK(refusal(spec) == rules::none_is_stochastic::sentence);
}

TEST_CASE("a policy that the catalogue lacks is named as a program writes it") {
    using wanted = policy<mode<bf16>, precision_aware, main_params<remainder8>, main_grads<bf16>,
                          exp_avg<fp8>, exp_avg_sq<bf16, stochastic>>;
    const std::string message = message_of([] { visit(wanted::spec, verl_catalogue{}, storage); });
    CHECK(message ==
          "[adamant] this program's catalogue has no policy<mode<bf16>, precision_aware, "
          "main_params<remainder8>, "
          "main_grads<bf16>, exp_avg<fp8>, exp_avg_sq<bf16, stochastic>>: add it to the catalogue<...> that "
          "the "
          "program names.");
}

TEST_CASE("a catalogue of 324 policies finds each of them") {
    static_assert(many_policies::specs.size() == 324);
    for (const policy_spec& spec : many_policies::specs) {
        INFO(describe(spec));
        CHECK(visit(spec, many_policies{}, storage) == storage_of(spec));
    }
    CHECK(message_of([] {
              visit(presets::full_fp32::spec, many_policies{}, storage);
          }).find("policy<mode<fp32>>") != std::string::npos);
}

TEST_CASE("a catalogue that repeats a policy 300 times finds the one behind") {
    using repeated = decltype(repeat<presets::lean_bf16>(std::make_integer_sequence<int, 300>{}));
    static_assert(repeated::specs.size() == 301);
    CHECK(visit(presets::full_fp32::spec, repeated{}, storage) == storage_of(presets::full_fp32::spec));
}
