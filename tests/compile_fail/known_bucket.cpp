// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Gradients cannot be accumulated in fp8.
// EXPECT-ERROR: [adamant] the bucket is fp32, bf16 or fp16: write one of the three.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, main_grads<bf16>, bucket<bf16>>;
#else
using chosen = policy<mode<bf16>, precision_aware, main_grads<bf16>, bucket<fp8>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
