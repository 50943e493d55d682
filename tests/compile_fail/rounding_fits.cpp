// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! An fp32 moment has nothing to round.
// EXPECT-ERROR: [adamant] fp32 and remainder16 are exact, every other kind is rounded: leave the rounding out, or write nearest or stochastic for a kind that is rounded.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, exp_avg_sq<bf16, stochastic>>;
#else
using chosen = policy<mode<bf16>, precision_aware, exp_avg_sq<fp32, stochastic>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
