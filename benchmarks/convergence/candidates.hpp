// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! candidates: the policies that are compared, two controls among them, and their optimizers.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include <adamant/adamant.hpp>

namespace convergence {

namespace policies {

using namespace adamant;  // the words of a policy

using reference = policy<mode<fp32>>;
//! bf16 weights with a lossless 2-byte master, gradients in an fp32 bucket; options say the rest.
template <class... Options>
using bf16_with = policy<mode<bf16>, precision_aware, Options...>;

using remainder16_master = bf16_with<>;
using remainder8_master = bf16_with<main_params<remainder8>>;
using bf16_moments = bf16_with<exp_avg<bf16, stochastic>, exp_avg_sq<bf16, stochastic>>;
using fp16_moments = bf16_with<exp_avg<fp16>, exp_avg_sq<fp16>>;
using fp8_moments = bf16_with<exp_avg<fp8>, exp_avg_sq<fp8>>;
using fp8_fine_moments = bf16_with<exp_avg<fp8_fine>, exp_avg_sq<fp8_fine>>;
using fp8_without_master = bf16_with<main_params<none>, exp_avg<fp8>, exp_avg_sq<fp8>>;
using nearest_square = bf16_with<exp_avg_sq<bf16, nearest>>;

using all = catalogue<reference, remainder16_master, remainder8_master, bf16_moments, fp16_moments,
                      fp8_moments, fp8_fine_moments, fp8_without_master, nearest_square>;

//! bf16 weights without a master, rounded to nearest: no policy<...> says it, a rule forbids it.
inline constexpr policy_spec nearest_weight = [] {
    policy_spec spec = remainder16_master::spec;
    spec.main_params = {dtype::none, rounding::nearest};
    return spec;
}();

}  // namespace policies

struct candidate {
    std::string_view name;
    adamant::policy_spec spec;

    //! Emulated: fp32 weights, rounded to nearest bf16 from outside after each step, with fp32 moments. That
    //! is the same arithmetic, for the optimizer reads what it was left.
    constexpr bool rounds_weights() const { return spec == policies::nearest_weight; }
    constexpr adamant::policy_spec optimizer_spec() const {
        return rounds_weights() ? policies::reference::spec : spec;
    }
};

//! The reference first, the controls, which are expected to be worse, last.
inline constexpr std::array<candidate, 10> candidates{{
    {"fp32", policies::reference::spec},
    {"remainder16", policies::remainder16_master::spec},
    {"remainder8", policies::remainder8_master::spec},
    {"bf16", policies::bf16_moments::spec},
    {"fp16", policies::fp16_moments::spec},
    {"fp8", policies::fp8_moments::spec},
    {"fp8_fine", policies::fp8_fine_moments::spec},
    {"fp8_no_master", policies::fp8_without_master::spec},
    {"control_nearest_square", policies::nearest_square::spec},
    {"control_nearest_weight", policies::nearest_weight},
}};
inline constexpr const candidate& reference = candidates.front();

//! nullptr where there is none of that name.
constexpr const candidate* find_candidate(std::string_view name) {
    for (const candidate& c : candidates)
        if (c.name == name) return &c;
    return nullptr;
}

//! The one place where optimizers are made.
inline adamant::any_optimizer optimizer_of(const candidate& c, std::span<const adamant::tensor_info> tensors,
                                           std::span<const adamant::tensor_view> params,
                                           const adamant::hyperparameters& hyper) {
    // Accepted: the controls are there to train badly.
    return adamant::make_optimizer<policies::all>(c.optimizer_spec(), tensors, params, hyper,
                                                  {.accept = {"square_to_nearest"}});
}

//! Adam alone: no decay and no clipping, which would couple every parameter with every other. The noise of
//! rounding has a key of its own, for the words of `seed` are the initial weights and the examples.
inline adamant::hyperparameters hyper_of(double lr, double beta2, std::uint64_t seed) {
    return {.lr = lr, .beta2 = beta2, .weight_decay = 0, .clip_grad = 0, .seed = ~seed};
}

}  // namespace convergence
