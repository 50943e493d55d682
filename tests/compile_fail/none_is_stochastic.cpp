// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bf16 weights without a master, rounded to nearest: small updates would vanish.
// EXPECT-ERROR: [adamant] bf16 weights without a master are rounded stochastically, small updates vanish otherwise: write main_params<none, stochastic>.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, main_params<none, stochastic>>;
#else
using chosen = policy<mode<bf16>, precision_aware, main_params<none, nearest>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
