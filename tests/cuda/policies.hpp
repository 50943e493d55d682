// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The policies whose kernels are held to the right bits: by default some that have every kind between them, with
//! ADAMANT_EVERY_POLICY all of same_bits/run.hpp. kernels.cu instantiates them for nvcc.
#pragma once

#include <same_bits/run.hpp>

namespace device_tests {

using namespace adamant;

using some_policies = catalogue<
    policy<mode<fp32>>, policy<mode<fp16>>,
    policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>,
    policy<mode<bf16>, precision_aware, main_params<none>, main_grads<bf16>, exp_avg<bf16, stochastic>,
           exp_avg_sq<fp8>>,
    policy<mode<bf16>, precision_aware, main_params<remainder8>, main_grads<bf16>, exp_avg<fp8>, exp_avg_sq<fp8>>,
    policy<mode<bf16>, precision_aware, main_params<fp16>, main_grads<bf16>, bucket<fp32>, exp_avg<fp16>,
           exp_avg_sq<fp8_fine>>>;

template <class F>
void for_each_policy(F f) {
#if defined(ADAMANT_EVERY_POLICY)
    same_bits::for_each_policy(f);
#else
    same_bits::for_each_policy(some_policies{}, f);
#endif
}

}  // namespace device_tests
