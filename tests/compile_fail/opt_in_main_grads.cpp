// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bf16 main gradients without precision_aware.
// EXPECT-ERROR: [adamant] without precision_aware main_grads is fp32: add precision_aware (YAML: use_precision_aware_optimizer: true), or leave main_grads fp32.
#include <adamant/policy/resolve.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = policy<mode<bf16>, precision_aware, main_grads<bf16>>;
#else
using chosen = policy<mode<bf16>, main_grads<bf16>>;
#endif

int main() { return chosen::bytes_per_param() < 100 ? 0 : 1; }
