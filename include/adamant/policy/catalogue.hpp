// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! catalogue: the short list of policies that a program instantiates, and visit, which finds one in it.
#pragma once

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include <adamant/base/error.hpp>
#include <adamant/policy/resolve.hpp>

namespace adamant::inline v0 {

template <class... Policies>
struct catalogue {
    static_assert(sizeof...(Policies) > 0,
                  "[adamant] a catalogue has at least one policy: name the ones you use.");
    static constexpr std::array<policy_spec, sizeof...(Policies)> specs{Policies::spec...};
};

//! Calls f(std::type_identity<P>{}) for the first policy of the catalogue with the storage of `spec`.
//! Throws config_error where the spec breaks a rule or the catalogue has no such policy.
template <class... Policies, class F>
decltype(auto) visit(const policy_spec& spec, catalogue<Policies...> list, F&& f) {
    if (const auto broken = first_broken(spec)) throw config_error(std::string(broken->sentence));
    using result = std::common_type_t<decltype(f(std::type_identity<Policies>{}))...>;
    // An array of functions: clang ends a fold expression at 256 policies.
    using call = result (*)(F&);
    constexpr std::array<call, sizeof...(Policies)> calls{
        [](F& g) -> result { return g(std::type_identity<Policies>{}); }...};
    for (std::size_t i = 0; i < calls.size(); ++i)
        if (storage_of(list.specs[i]) == storage_of(spec)) return calls[i](f);
    throw config_error("[adamant] this program's catalogue has no " + describe(canonical(spec)) +
                       ": add it to the catalogue<...> that the program names.");
}

namespace detail {

template <class Grads, class ExpAvg, class ExpAvgSq>
using verl_remainder =
    policy<mode<bf16>, precision_aware, main_grads<Grads>, exp_avg<ExpAvg>, exp_avg_sq<ExpAvgSq>>;

template <class Grads, class ExpAvg, class ExpAvgSq>
using verl_master = policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<Grads>, exp_avg<ExpAvg>,
                           exp_avg_sq<ExpAvgSq>>;

}  // namespace detail

//! All that verl's plain keys can say: fp32, bf16, bf16 precision-aware, fp16.
using verl_catalogue =
    catalogue<policy<mode<fp32>>, policy<mode<bf16>>, policy<mode<bf16>, grad_reduce_in_fp32<false>>,
              detail::verl_remainder<fp32, fp32, fp32>, detail::verl_remainder<fp32, fp32, bf16>,
              detail::verl_remainder<fp32, bf16, fp32>, detail::verl_remainder<fp32, bf16, bf16>,
              detail::verl_remainder<bf16, fp32, fp32>, detail::verl_remainder<bf16, fp32, bf16>,
              detail::verl_remainder<bf16, bf16, fp32>, detail::verl_remainder<bf16, bf16, bf16>,
              // store_param_remainders: false; with fp32 everywhere that is plain bf16 again
              detail::verl_master<fp32, fp32, bf16>, detail::verl_master<fp32, bf16, fp32>,
              detail::verl_master<fp32, bf16, bf16>, detail::verl_master<bf16, fp32, fp32>,
              detail::verl_master<bf16, fp32, bf16>, detail::verl_master<bf16, bf16, fp32>,
              detail::verl_master<bf16, bf16, bf16>, policy<mode<fp16>>>;

}  // namespace adamant::inline v0
