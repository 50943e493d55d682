// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! How a value is rounded when it is stored, and how host arithmetic is kept from being fused.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <adamant/numerics/dtype.hpp>

namespace adamant::inline v0 {

//! exact: the kind holds every fp32 value; nearest: ties to even; stochastic: up with a probability
//! equal to the distance, so that the mean is right.
enum class rounding : std::uint8_t { exact, nearest, stochastic };

inline constexpr std::array all_roundings{rounding::exact, rounding::nearest, rounding::stochastic};

constexpr std::string_view to_string(rounding how) {
    constexpr std::array<std::string_view, all_roundings.size()> names{"exact", "nearest", "stochastic"};
    return names[static_cast<std::size_t>(how)];
}

struct exact {
    static constexpr rounding id = rounding::exact;
};
struct nearest {
    static constexpr rounding id = rounding::nearest;
};
struct stochastic {
    static constexpr rounding id = rounding::stochastic;
};

template <rounding How>
struct rounding_word;
template <>
struct rounding_word<rounding::exact> {
    using type = exact;
};
template <>
struct rounding_word<rounding::nearest> {
    using type = nearest;
};
template <>
struct rounding_word<rounding::stochastic> {
    using type = stochastic;
};

//! The rounding of a kind where none was written.
constexpr rounding default_rounding(dtype kind) {
    switch (kind) {
        case dtype::fp32:
        case dtype::remainder16: return rounding::exact;
        case dtype::bf16: return rounding::nearest;
        default: return rounding::stochastic;
    }
}

//! A double rounded here and now: a compiler that contracts a*b + c (g++ does across statements under
//! -march=native) cannot fuse the operation that made the value with the one that uses it.
inline double rounded(double value) {
    const volatile double stored = value;
    return stored;
}

}  // namespace adamant::inline v0
