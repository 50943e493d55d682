// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! An optimizer of a policy, constructed and stepped.
#pragma once

#include <adamant/adamant.hpp>

template <class Policy>
double train() {
    using optimizer_type = adamant::adam<Policy>;
    std::vector<typename optimizer_type::param_t> weights(1000);
    std::vector<typename optimizer_type::grad_t> gradients(1000);
    const std::vector<std::span<typename optimizer_type::param_t>> params{weights};
    const std::vector<std::span<const typename optimizer_type::grad_t>> grads{gradients};
    optimizer_type optimizer{params, {.lr = 1e-3, .beta2 = 0.95}};
    return optimizer.step(params, grads).grad_norm;
}

using first_policy = adamant::presets::lean_bf16;
using second_policy = adamant::policy<adamant::precision_aware, adamant::main_grads<adamant::bf16>,
                                      adamant::exp_avg<adamant::fp8>, adamant::exp_avg_sq<adamant::fp8>>;
