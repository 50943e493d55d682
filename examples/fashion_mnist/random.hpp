// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Random numbers of a run, all from Philox: the standard library's distributions differ between
//! libraries, these give the same numbers everywhere.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <adamant/numerics/philox.hpp>

namespace fashion_mnist {

//! A random 32-bit word; `stream` keeps uses apart.
inline std::uint32_t random_word(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
    return adamant::philox(seed, index / 4, stream)[index % 4];
}

//! Uniform in [-bound, bound).
inline float random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index, float bound) {
    const auto upper24 = static_cast<float>(random_word(seed, stream, index) >> 8);
    return (upper24 * 0x1p-23f - 1.0f) * bound;
}

//! 0 ... count - 1 in random order.
inline std::vector<std::int64_t> random_order(std::uint64_t seed, std::uint64_t stream, std::int64_t count) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) {
        const std::uint64_t j = (std::uint64_t{random_word(seed, stream, i)} * i) >> 32;
        std::swap(order[i - 1], order[j]);
    }
    return order;
}

}  // namespace fashion_mnist
