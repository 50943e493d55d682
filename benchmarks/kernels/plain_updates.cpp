// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Moments of fp32 and bf16.
#include "update.hpp"

namespace {

using namespace adamant;

template <class... Options>
using lean = policy<precision_aware, main_grads<bf16>, Options...>;

using catalogue_type =
    catalogue<policy<mode<fp32>>, policy<mode<bf16>>, policy<mode<fp16>>, lean<>,
              lean<exp_avg<bf16>, exp_avg_sq<bf16>>,
              lean<main_params<none>, exp_avg<bf16, stochastic>, exp_avg_sq<bf16, stochastic>>>;

}  // namespace

void bench::register_plain_updates() { register_updates(catalogue_type{}); }
