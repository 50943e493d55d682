// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! fp16 main gradients.
// EXPECT-ERROR: [adamant] main_grads is fp32 or bf16: write bf16 to save memory, fp16 main gradients cannot be clipped.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<fp16>, precision_aware, main_grads<bf16>>;
#else
using chosen = policy<mode<fp16>, precision_aware, main_grads<fp16>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
