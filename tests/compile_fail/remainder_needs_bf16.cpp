// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A remainder cannot complete fp16 weights.
// EXPECT-ERROR: [adamant] remainder16 and remainder8 complete bf16 weights: use mode bf16, or main_params fp32 or fp16.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, main_params<remainder16>>;
#else
using chosen = policy<mode<fp16>, precision_aware, main_params<remainder16>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
