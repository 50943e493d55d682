// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! rank_sum: the gradients of all ranks in one, summed in double in rank order and rounded once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include <adamant/numerics/dtype.hpp>
#include <adamant/numerics/float_bits.hpp>
#include <adamant/step/simd/instruction_set.hpp>

namespace adamant::inline v0 {

//! mean: the sum over the number of ranks, as Megatron-Core's buckets; sum: where the loss is a sum already.
enum class reduction : std::uint8_t { mean, sum };

namespace detail {

//! A double on the grid of bfloat16, ties to even: 45 bits of its 52 go, below 2^-126 what is less than
//! 2^-133. Masks instead of branches, for vectors.
ADAMANT_ALWAYS_INLINE double on_bfloat16_grid(double value) {
    constexpr std::int64_t smallest_normal = std::int64_t{1023 - 126} << 52,
                           infinity = std::int64_t{0x7FF} << 52, cut = (std::int64_t{1} << 45) - 1;
    constexpr double to_units = 0x1.8p-81;  // what is added to it has its last bit at 2^-133
    const auto bits = __builtin_bit_cast(std::int64_t, value);
    const std::int64_t magnitude = bits & std::numeric_limits<std::int64_t>::max();
    const auto small =
        __builtin_bit_cast(std::int64_t, (__builtin_bit_cast(double, magnitude) + to_units) - to_units);
    const std::int64_t normal = (magnitude + (cut >> 1) + ((magnitude >> 45) & 1)) & ~cut;
    const std::int64_t is_small = -std::int64_t{magnitude < smallest_normal};
    const std::int64_t is_nan = -std::int64_t{magnitude > infinity};  // a payload might overflow
    const std::int64_t grid = (small & is_small) | (magnitude & is_nan) | (normal & ~(is_small | is_nan));
    return __builtin_bit_cast(double, grid | (bits ^ magnitude));
}

//! A double as a float whose last bit says whether it is exact (Boldo and Melquiond, 2008): rounding that to
//! nearest in 16 bits rounds the double, once.
ADAMANT_ALWAYS_INLINE float round_to_odd(double value) {
    const auto nearest = static_cast<float>(value);
    const double back = nearest;
    const bool too_far = back > value ? value >= 0 : back < value && value < 0;
    std::uint32_t bits = to_bits(nearest);
    bits -= static_cast<std::uint32_t>(too_far);
    bits |= static_cast<std::uint32_t>(back != value);
    return from_bits(bits);
}

inline constexpr int rank_sum_block = 128;

//! Doubles rounded once to T. Each loop has one width, and its length is a constant where a block is whole.
template <class T>
ADAMANT_ALWAYS_INLINE void round_block(double* values, int count, T* result) {
    if constexpr (dtype_of<T> == dtype::fp32) {
        for (int i = 0; i < count; ++i) result[i] = static_cast<float>(values[i]);
    } else if constexpr (dtype_of<T> == dtype::bf16) {
        std::uint32_t words[rank_sum_block];
        for (int i = 0; i < count; ++i) values[i] = on_bfloat16_grid(values[i]);
        for (int i = 0; i < count; ++i) words[i] = to_bits(static_cast<float>(values[i]));
        for (int i = 0; i < count; ++i) result[i].bits = static_cast<std::uint16_t>(words[i] >> 16);
    } else {
        for (int i = 0; i < count; ++i) result[i] = round_to<T>(round_to_odd(values[i]));
    }
}

template <class T>
ADAMANT_ALWAYS_INLINE void sum_block(std::span<const T* const> ranks, std::int64_t first, int count,
                                     double factor, double divisor, T* result) {
    double sums[rank_sum_block];
    float floats[rank_sum_block];
    for (int i = 0; i < count; ++i) floats[i] = to_float(ranks[0][first + i]);
    for (int i = 0; i < count; ++i) sums[i] = double{floats[i]};
    for (std::size_t r = 1; r < ranks.size(); ++r) {
        const T* const gradients = ranks[r] + first;
        for (int i = 0; i < count; ++i) floats[i] = to_float(gradients[i]);
        for (int i = 0; i < count; ++i) sums[i] += double{floats[i]};
    }
    if (divisor == 1)
        for (int i = 0; i < count; ++i) sums[i] *= factor;
    else
        for (int i = 0; i < count; ++i) sums[i] /= divisor;
    round_block(sums, count, result + first);
}

template <class T>
ADAMANT_ALWAYS_INLINE void sum_blocks(std::span<const T* const> ranks, std::int64_t begin, std::int64_t end,
                                      double factor, double divisor, T* result) {
    std::int64_t first = begin;
    for (; first + rank_sum_block <= end; first += rank_sum_block)
        sum_block(ranks, first, rank_sum_block, factor, divisor, result);
    if (first < end) sum_block(ranks, first, static_cast<int>(end - first), factor, divisor, result);
}

#if defined(ADAMANT_HAS_SIMD)
template <class T>
__attribute__((target("avx2"))) void sum_blocks_avx2(std::span<const T* const> ranks, std::int64_t begin,
                                                     std::int64_t end, double factor, double divisor,
                                                     T* result) {
    sum_blocks(ranks, begin, end, factor, divisor, result);
}
#endif

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
#if defined(ADAMANT_HAS_SIMD)
    if (active_instruction_set() != instruction_set::generic)
        return detail::sum_blocks_avx2(ranks, begin, end, factor, divisor, result);
#endif
    detail::sum_blocks(ranks, begin, end, factor, divisor, result);
}

}  // namespace adamant::inline v0
