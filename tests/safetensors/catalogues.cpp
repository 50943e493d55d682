// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The policies of these tests, compiled once: every storage kind, or with ADAMANT_EVERY_POLICY all of
//! verl_catalogue and the rest of same_bits' too.
#include "training.hpp"

#include <optimizer/narrow_catalogue.hpp>
#ifdef ADAMANT_EVERY_POLICY
#include <same_bits/run.hpp>
#endif

namespace checkpoints {
namespace {

template <class... Lists>
struct joined;
template <class... A, class... B, class... Rest>
struct joined<catalogue<A...>, catalogue<B...>, Rest...> : joined<catalogue<A..., B...>, Rest...> {};
template <class List>
struct joined<List> {
    using type = List;
};

#ifdef ADAMANT_EVERY_POLICY
using all = joined<verl_catalogue, narrow_catalogue, same_bits::other_catalogue>::type;
#else
using all =
    joined<narrow_catalogue,
           catalogue<policy<mode<fp32>>, policy<mode<bf16>>, policy<precision_aware>,
                     policy<precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>>>::type;
#endif

}  // namespace

const std::vector<policy_spec>& policies() {
    static const std::vector<policy_spec> specs(all::specs.begin(), all::specs.end());
    return specs;
}

std::vector<policy_spec> policies_of_ranks() {
#ifdef ADAMANT_EVERY_POLICY
    return policies();
#else
    return {remainder8_fp8::spec, fp16_master::spec, policy<mode<bf16>>::spec};
#endif
}

any_optimizer make(const policy_spec& spec, std::span<const tensor_info> infos,
                   std::span<const param_view> params, const hyperparameters& hyper,
                   const optimizer_options& options, const std::optional<schedule>& plan) {
    return make_optimizer<all>(spec, infos, params, hyper, options, plan);
}

}  // namespace checkpoints
