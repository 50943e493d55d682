// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A double rounded to a tensor's dtype, ties to even, in arithmetic instead of bits.
#pragma once

#include <adamant/numerics/dtype.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

template <class T>
T rounded_double(double x) {
    if constexpr (adamant::dtype_of<T> == adamant::dtype::fp32) {
        return static_cast<float>(x);
    } else {
        constexpr bool is_bf16 = adamant::dtype_of<T> == adamant::dtype::bf16;
        constexpr int fraction = is_bf16 ? 7 : 10, lowest = is_bf16 ? -126 : -14, top = is_bf16 ? 127 : 15;
        double nearest = x;
        if (std::isfinite(x) && x != 0) {
            const double unit = std::ldexp(1.0, std::max(std::ilogb(x), lowest) - fraction);
            nearest = std::nearbyint(x / unit) * unit;
            if (std::abs(nearest) >= std::ldexp(1.0, top + 1))
                nearest = std::copysign(std::numeric_limits<double>::infinity(), x);
        }
        return adamant::round_to<T>(static_cast<float>(std::copysign(nearest, x)));  // exact
    }
}
