// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Inputs of tests, the same on every machine: from Philox, as the library's distributions differ.
#pragma once

#include <adamant/numerics/philox.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace inputs {

//! Word number `index` of the sequence `seed`.
inline std::uint32_t word(std::uint64_t seed, std::uint64_t index) {
    return adamant::philox(seed, index / 4, 0)[index % 4];
}

//! Uniform in [-1, 1).
inline double uniform(std::uint64_t seed, std::uint64_t index) {
    return static_cast<std::int32_t>(word(seed, index)) / 2147483648.0;
}

//! Values whose magnitudes spread over six decades below `scale`.
inline std::vector<float> spread(std::size_t count, std::uint64_t seed, double scale = 1) {
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i)
        result[i] = static_cast<float>(scale * uniform(seed, 2 * i) *
                                       std::pow(10.0, 3 * uniform(seed, 2 * i + 1) - 3));
    return result;
}

}  // namespace inputs
