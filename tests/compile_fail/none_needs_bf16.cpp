// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! fp16 weights without a master.
// EXPECT-ERROR: [adamant] weights without a master are fp32 or bf16: in mode fp16 use main_params fp32 or fp16.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<fp16>, precision_aware, main_params<fp16>>;
#else
using chosen = policy<mode<fp16>, precision_aware, main_params<none>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
