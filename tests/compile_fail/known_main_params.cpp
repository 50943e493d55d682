// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A bf16 copy of bf16 weights is no master.
// EXPECT-ERROR: [adamant] main_params is fp32, fp16, remainder16, remainder8 or none: for a lossless 2-byte master write remainder16, for no master none with stochastic rounding.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, main_params<remainder16>>;
#else
using chosen = policy<mode<bf16>, precision_aware, main_params<bf16>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
