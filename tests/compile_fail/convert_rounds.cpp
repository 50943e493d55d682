// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A state with fp32 moments in a policy of bf16 moments, without permission to round.
// EXPECT-ERROR: [adamant] a state is converted without loss: choose a policy that holds it, or pass narrowing.
#include <adamant/optimizer/convert.hpp>

using namespace adamant;

using wide = policy<mode<bf16>, precision_aware>;
using low = policy<mode<bf16>, precision_aware, exp_avg<bf16>, exp_avg_sq<bf16>>;

void move_state(const adam<wide>& from, adam<low>& to, const std::vector<std::span<bfloat16>>& params) {
#ifdef TWIN
    convert(from, to, params, narrowing);
#else
    convert(from, to, params);
#endif
}
