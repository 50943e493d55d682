// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! rank_sum: the gradients of all ranks in one, summed in double in rank order and rounded once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include <adamant/numerics/dtype.hpp>

namespace adamant::inline v0 {

//! mean: the sum over the number of ranks, as Megatron-Core's buckets; sum: where the loss is a sum already.
enum class reduction : std::uint8_t { mean, sum };

namespace detail {

//! A double as a float whose last bit says whether it is exact (Boldo and Melquiond, 2008): rounding that to
//! nearest in 16 bits rounds the double, once.
ADAMANT_ALWAYS_INLINE float round_to_odd(double value) {
    const auto nearest = static_cast<float>(value);
    const double back = nearest;
    const bool too_far = back > value ? value >= 0 : back < value && value < 0;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
    bits -= static_cast<std::uint32_t>(too_far);
    bits |= static_cast<std::uint32_t>(back != value);
    return std::bit_cast<float>(bits);
}

template <class T>
ADAMANT_ALWAYS_INLINE T round_once(double value) {
    if constexpr (dtype_of<T> == dtype::fp32) return static_cast<float>(value);
    else return round_to<T>(round_to_odd(value));
}

inline constexpr int rank_sum_block = 128;

//! A block's length is a constant where it is whole: then it is vectors.
template <class T>
ADAMANT_ALWAYS_INLINE void sum_block(std::span<const T* const> ranks, std::int64_t first, int count,
                                     double factor, double divisor, T* result) {
    double sums[rank_sum_block];
    for (int i = 0; i < count; ++i) sums[i] = to_float(ranks[0][first + i]);
    for (std::size_t r = 1; r < ranks.size(); ++r)
        for (int i = 0; i < count; ++i) sums[i] += to_float(ranks[r][first + i]);
    if (divisor == 1)
        for (int i = 0; i < count; ++i) result[first + i] = round_once<T>(sums[i] * factor);
    else
        for (int i = 0; i < count; ++i) result[first + i] = round_once<T>(sums[i] / divisor);
}

}  // namespace detail

//! Elements [begin, end) of all ranks' gradients, which `ranks` lists in rank order, into `result`, which may
//! be one of them. For up to 2^29 ranks the mean of equal values is that value.
template <class T>
void sum_ranks(std::span<const T* const> ranks, std::int64_t begin, std::int64_t end, reduction how,
               T* result) {
    const auto count = static_cast<double>(ranks.size());
    // Where the number of ranks is a power of two, its inverse is exact and multiplying is dividing.
    const bool divides = how == reduction::mean && !std::has_single_bit(ranks.size());
    const double divisor = divides ? count : 1, factor = how == reduction::mean && !divides ? 1 / count : 1;
    std::int64_t first = begin;
    for (; first + detail::rank_sum_block <= end; first += detail::rank_sum_block)
        detail::sum_block(ranks, first, detail::rank_sum_block, factor, divisor, result);
    if (first < end) detail::sum_block(ranks, first, static_cast<int>(end - first), factor, divisor, result);
}

}  // namespace adamant::inline v0
