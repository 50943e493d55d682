// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The policies whose kernels are held to the right bits: by default some that have every kind between them,
//! with ADAMANT_EVERY_POLICY all of same_bits/run.hpp, with ADAMANT_FEW_POLICIES two. kernels.cu instantiates
//! them for nvcc.
#pragma once

#include <same_bits/run.hpp>

namespace device_tests {

using namespace adamant;

using some_policies = catalogue<
    policy<mode<fp32>>,
    policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>,
    policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<bf16>, bucket<fp32>, exp_avg_sq<bf16>>,
    remainder8_fp8, no_master_fp8, fp16_moments, fp8_fine_moments, fp16_master>;

template <class F>
void for_each_policy(F f) {
#if defined(ADAMANT_EVERY_POLICY)
    same_bits::for_each_policy(f);
#elif defined(ADAMANT_FEW_POLICIES)
    same_bits::for_each_policy(catalogue<remainder8_fp8, fp16_master>{}, f);
#else
    same_bits::for_each_policy(some_policies{}, f);
#endif
}

}  // namespace device_tests
