// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A remainder is a master's kind, no moment's.
// EXPECT-ERROR: [adamant] exp_avg and exp_avg_sq are fp32, bf16, fp16, fp8 or fp8_fine: write one of these.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, exp_avg<bf16>>;
#else
using chosen = policy<mode<bf16>, precision_aware, exp_avg<remainder16>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
