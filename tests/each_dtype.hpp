// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The element types that gradients and parameters have.
#pragma once

#include <adamant/numerics/dtype.hpp>

#include <type_traits>

namespace adamant_test {

template <class F>
void for_each_dtype(F f) {
    f(std::type_identity<float>{});
    f(std::type_identity<adamant::bfloat16>{});
    f(std::type_identity<adamant::float16>{});
}

}  // namespace adamant_test
