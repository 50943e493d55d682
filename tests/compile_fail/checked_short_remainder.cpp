// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! remainder8 to nearest with a small learning rate.
// EXPECT-ERROR: [adamant] remainder8 rounded to nearest needs lr >= 1e-5, smaller steps vanish: round it stochastically, or use remainder16.
#include <adamant/step/soundness.hpp>

using namespace adamant;

#ifdef TWIN
using chosen = checked<policy<mode<bf16>, precision_aware, main_params<remainder8, nearest>>,
                       hyperparameters{.lr = 1e-4}>;
#else
using chosen = checked<policy<mode<bf16>, precision_aware, main_params<remainder8, nearest>>,
                       hyperparameters{.lr = 1e-6}>;
#endif

static_assert(chosen::bytes_per_param() > 0);
