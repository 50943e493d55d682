// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! fp32 weights are reduced in fp32, so grad_reduce_in_fp32<false> would have no effect.
// EXPECT-ERROR: [adamant] in mode fp32 the bucket is fp32 anyway: remove grad_reduce_in_fp32<false>.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<fp32>>;
#else
using chosen = policy<mode<fp32>, grad_reduce_in_fp32<false>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
