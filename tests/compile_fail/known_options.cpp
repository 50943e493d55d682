// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! exp_avg cannot be kept as float: that is a C++ type, no word of a policy.
// EXPECT-ERROR: [adamant] a policy is made of the words of policy/options.hpp: write mode, precision_aware, main_params, main_grads, exp_avg, exp_avg_sq, bucket or grad_reduce_in_fp32.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, exp_avg<fp32>>;
#else
using chosen = policy<mode<bf16>, precision_aware, exp_avg<float>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
