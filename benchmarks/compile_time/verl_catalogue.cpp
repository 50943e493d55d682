// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! All policies that verl's keys can say, chosen at run time.
#include <adamant/adamant.hpp>

int main() {
    std::vector<adamant::bfloat16> weights(1000);
    const std::vector<adamant::tensor_info> tensors(1);
    const std::vector<adamant::tensor_view> params{std::span(weights)};
    const auto optimizer = adamant::make_optimizer<adamant::verl_catalogue>(
        adamant::presets::lean_bf16::spec, tensors, params, {.lr = 1e-3, .beta2 = 0.95});
    return optimizer.state_bytes() == 0;
}
