// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A canonical type written by hand, which nothing has judged.
// EXPECT-ERROR: [adamant] resolved_policy is what a policy resolves to: name policy<...>::resolved.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>>::resolved;
#else
using chosen =
    resolved_policy<bf16, stored<fp8, stochastic>, fp32, stored<fp32, exact>, stored<fp32, exact>, fp32>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
