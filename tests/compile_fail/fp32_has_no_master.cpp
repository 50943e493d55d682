// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A master copy of weights that are fp32 themselves.
// EXPECT-ERROR: [adamant] mode fp32 has no master, the weights are their own: leave main_params out.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<fp32>, precision_aware>;
#else
using chosen = policy<mode<fp32>, precision_aware, main_params<fp32>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
