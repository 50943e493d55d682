// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Moments in groups with a scale.
#include "update.hpp"

namespace {

using namespace adamant;

template <class Moments, class... Options>
using narrow = policy<precision_aware, main_grads<bf16>, exp_avg<Moments>, exp_avg_sq<Moments>, Options...>;

using catalogue_type = catalogue<narrow<fp16>, narrow<fp16, main_params<fp16>>, narrow<fp8>, narrow<fp8_fine>,
                                 narrow<fp8, main_params<remainder8>>, narrow<fp8, main_params<none>>>;

}  // namespace

void bench::register_narrow_updates() { register_updates(catalogue_type{}); }
