// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The bucket is asked for twice, in our words and in Megatron's.
// EXPECT-ERROR: [adamant] bucket and grad_reduce_in_fp32 say the same thing: keep one of them.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, grad_reduce_in_fp32<true>>;
#else
using chosen = policy<mode<bf16>, bucket<fp32>, grad_reduce_in_fp32<true>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
