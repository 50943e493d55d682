// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A state of bf16 weights in a policy of fp16 weights; permission to round makes no difference.
// EXPECT-ERROR: [adamant] a state is converted between policies of one mode: change the weights' dtype first.
#include <adamant/optimizer/convert.hpp>

using namespace adamant;

#ifdef TWIN
using other = policy<mode<bf16>, precision_aware>;
#else
using other = policy<mode<fp16>>;
#endif

void move_state(const adam<policy<mode<bf16>>>& from, adam<other>& to,
                const std::vector<std::span<bfloat16>>& params) {
    convert(from, to, params);
}
