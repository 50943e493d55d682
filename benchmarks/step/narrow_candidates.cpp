// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Moments of 8 and 16 bits in groups with a scale, and short masters.
#include "subjects.hpp"

namespace {

using namespace adamant;

template <class Moments, class... Options>
using narrow = policy<precision_aware, main_grads<bf16>, exp_avg<Moments>, exp_avg_sq<Moments>, Options...>;

using catalogue_type =
    catalogue<narrow<fp16>, narrow<fp8>, narrow<fp8_fine>, narrow<fp8, main_params<remainder8>>,
              narrow<fp8, main_params<none>>, narrow<fp16, main_params<fp16>>,
              policy<precision_aware, main_grads<bf16>, exp_avg<bf16, stochastic>, exp_avg_sq<fp8>>>;

}  // namespace

std::vector<bench::candidate> bench::narrow_candidates() { return candidates_of(catalogue_type{}); }
