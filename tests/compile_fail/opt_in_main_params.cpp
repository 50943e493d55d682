// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A remainder as master without precision_aware.
// EXPECT-ERROR: [adamant] without precision_aware main_params is fp32, and none in mode fp32: add precision_aware (YAML: use_precision_aware_optimizer: true), or leave main_params out.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, main_params<remainder16>>;
#else
using chosen = policy<mode<bf16>, main_params<remainder16>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
