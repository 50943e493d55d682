// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A bf16 bucket in front of fp32 main gradients that nobody asked for by Megatron's name.
// EXPECT-ERROR: [adamant] the bucket is not narrower than main_grads: lower main_grads as well, or ask for it with grad_reduce_in_fp32<false> (YAML: grad_reduce_in_fp32: false).
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, grad_reduce_in_fp32<false>>;
#else
using chosen = policy<mode<bf16>, bucket<bf16>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
