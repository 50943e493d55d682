// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Two policies that mean the same are the same type, and its name is short.
#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <doctest/doctest.h>

#include <adamant/optimizer/adam.hpp>
#include <adamant/policy/presets.hpp>

namespace {

using namespace adamant;

template <class A, class B>
constexpr bool same = std::is_same_v<typename A::resolved, typename B::resolved>;

//! The n-th of the permutations of 0, 1, ..., Size - 1.
template <std::size_t Size>
constexpr std::array<std::size_t, Size> permutation(std::size_t n) {
    std::array<std::size_t, Size> order{};
    for (std::size_t i = 0; i < Size; ++i) {
        // Place i is taken by one of the i + 1 last places; what it displaces moves up.
        const std::size_t place = n % (i + 1);
        n /= i + 1;
        for (std::size_t k = i; k > place; --k) order[k] = order[k - 1];
        order[place] = i;
    }
    return order;
}

template <class Options, std::size_t N, class Places = std::make_index_sequence<std::tuple_size_v<Options>>>
struct permuted;
template <class Options, std::size_t N, std::size_t... Places>
struct permuted<Options, N, std::index_sequence<Places...>> {
    static constexpr auto order = permutation<sizeof...(Places)>(N);
    using type = policy<std::tuple_element_t<order[Places], Options>...>;
};

template <class Expected, class Options, std::size_t... N>
constexpr bool all_permutations_are(std::index_sequence<N...>) {
    return (same<Expected, typename permuted<Options, N>::type> && ...);
}

template <class... Options>
constexpr bool order_does_not_matter =
    all_permutations_are<policy<Options...>, std::tuple<Options...>>(std::make_index_sequence<[] {
        std::size_t factorial = 1;
        for (std::size_t i = 2; i <= sizeof...(Options); ++i) factorial *= i;
        return factorial;
    }()>{});

}  // namespace

TEST_CASE("the order of the options does not matter") {
    static_assert(permutation<3>(0) != permutation<3>(1) && permutation<3>(1) != permutation<3>(5));
    static_assert(order_does_not_matter<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>,
                                        exp_avg_sq<bf16>>);
    static_assert(
        order_does_not_matter<mode<fp16>, precision_aware, main_params<fp16, nearest>, bucket<fp32>>);
    static_assert(order_does_not_matter<main_grads<bf16>, grad_reduce_in_fp32<true>, precision_aware>);
}

TEST_CASE("a permission that nothing uses leaves the type as it is") {
    static_assert(same<policy<mode<fp16>>, policy<mode<fp16>, precision_aware>>);
    static_assert(same<policy<mode<fp32>>, policy<mode<fp32>, precision_aware>>);
    static_assert(same<presets::megatron_bf16, policy<mode<bf16>, precision_aware, main_params<fp32>>>);
    static_assert(!same<presets::megatron_bf16, policy<mode<bf16>, precision_aware>>);  // remainder16 now
    static_assert(same<policy<grad_reduce_in_fp32<false>, precision_aware, main_grads<bf16>>,
                       policy<precision_aware, main_grads<bf16>>>);
    // The switches of the canonical type's spec are on where the storage needs them, and only there.
    static_assert(!policy<mode<fp16>, precision_aware>::resolved::spec.precision_aware);
    static_assert(policy<mode<bf16>, precision_aware>::resolved::spec.precision_aware);
    static_assert(policy<grad_reduce_in_fp32<false>>::resolved::spec.narrow_bucket);
    static_assert(!presets::lossless_bf16::resolved::spec.narrow_bucket);
}

TEST_CASE("a default is the same written or left out") {
    static_assert(same<policy<>, presets::megatron_bf16>);
    static_assert(same<policy<>, policy<mode<bf16>, main_params<fp32>, main_grads<fp32>, exp_avg<fp32>,
                                        exp_avg_sq<fp32>, bucket<fp32>>>);
    static_assert(
        same<policy<>, policy<main_params<fp32, exact>, exp_avg<fp32, exact>, exp_avg_sq<fp32, exact>>>);
    static_assert(same<policy<>, policy<grad_reduce_in_fp32<true>>>);
    static_assert(same<policy<mode<fp32>>, policy<mode<fp32>, main_params<none>>>);
    static_assert(same<presets::lossless_bf16,
                       policy<precision_aware, main_params<remainder16>, main_grads<bf16>, bucket<bf16>>>);
    static_assert(
        same<policy<precision_aware, exp_avg<bf16>>, policy<precision_aware, exp_avg<bf16, nearest>>>);
    static_assert(
        same<policy<precision_aware, exp_avg<fp8>>, policy<precision_aware, exp_avg<fp8, stochastic>>>);
    static_assert(same<policy<precision_aware, main_params<none>>,
                       policy<precision_aware, main_params<none, stochastic>>>);
}

TEST_CASE("what is stored differently is another type") {
    static_assert(!same<policy<precision_aware, exp_avg<bf16>>, policy<precision_aware, exp_avg_sq<bf16>>>);
    static_assert(
        !same<policy<precision_aware, exp_avg<bf16>>, policy<precision_aware, exp_avg<bf16, stochastic>>>);
    static_assert(!same<policy<precision_aware, main_params<remainder8>>,
                        policy<precision_aware, main_params<remainder8, nearest>>>);
    static_assert(!same<presets::lossless_bf16, policy<precision_aware, main_grads<bf16>, bucket<fp32>>>);
    static_assert(!same<policy<>, policy<grad_reduce_in_fp32<false>>>);
    static_assert(!same<policy<mode<fp16>>, policy<mode<bf16>>>);
}

TEST_CASE("the canonical type holds the words of the policy") {
    using lean = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<fp8>,
                        bucket<fp32>>::resolved;
    static_assert(
        std::is_same_v<lean, resolved_policy<bf16, stored<remainder16, exact>, bf16, stored<bf16, nearest>,
                                             stored<fp8, stochastic>, fp32>>);
    static_assert(std::is_same_v<lean::param_t, bfloat16>);
    static_assert(std::is_same_v<lean::grad_t, float>);
    static_assert(std::is_same_v<presets::scaled_fp16::resolved::param_t, float16>);
    static_assert(std::is_same_v<policy<mode<fp16>, grad_reduce_in_fp32<false>>::resolved::grad_t, float16>);
    static_assert(
        std::is_base_of_v<
            lean, policy<bucket<fp32>, exp_avg_sq<fp8>, exp_avg<bf16>, main_grads<bf16>, precision_aware>>);
}

TEST_CASE("a kind that is none is an unknown option") {
    constexpr int unknown = word_rules::index_of<rules::known_options>;
    static_assert(unknown == 0);
    static_assert(detail::resolution<main_grads<int>>::broken_word == unknown);
    static_assert(detail::resolution<mode<float>>::broken_word == unknown);
    static_assert(detail::resolution<exp_avg<bf16, bf16>>::broken_word == unknown);
    static_assert(detail::resolution<bucket<stochastic>>::broken_word == unknown);
    static_assert(std::is_same_v<detail::resolution<main_grads<int>>::type, invalid_policy>);
}

TEST_CASE("two ways of writing a policy share one optimizer with a short name") {
    using written = policy<exp_avg_sq<bf16>, exp_avg<bf16, nearest>, main_grads<bf16>, precision_aware>;
    static_assert(std::is_same_v<adam<written>, adam<presets::lean_bf16>>);
    for (const std::string name :
         {typeid(presets::lean_bf16::resolved).name(), typeid(adam<presets::lean_bf16>*).name(),
          typeid(adam<policy<mode<fp16>, precision_aware>>*).name()}) {
        CAPTURE(name);
        CHECK(name.find("hana") == std::string::npos);
        CHECK(name.find("precision_aware") == std::string::npos);
        CHECK(name.size() < 200);
    }
}
