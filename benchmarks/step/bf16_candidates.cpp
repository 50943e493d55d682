// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bf16 weights without a master, and bf16 moments rounded stochastically.
#include "subjects.hpp"

namespace {

using namespace adamant;

template <class... Options>
using bf16_policy = policy<precision_aware, main_grads<bf16>, Options...>;

using catalogue_type =
    catalogue<bf16_policy<main_params<none>, exp_avg<bf16>, exp_avg_sq<bf16>>,
              bf16_policy<main_params<none>, exp_avg<bf16, stochastic>, exp_avg_sq<bf16, stochastic>>,
              bf16_policy<exp_avg<bf16, stochastic>, exp_avg_sq<bf16, stochastic>>>;

}  // namespace

std::vector<bench::candidate> bench::bf16_candidates() { return candidates_of(catalogue_type{}); }
