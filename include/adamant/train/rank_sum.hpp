// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! rank_sum: the gradients of all ranks in one, summed in double in rank order and rounded once. A GPU does
//! it with the same functions (cuda/bucket_work.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <adamant/numerics/dtype.hpp>
#include <adamant/numerics/float_bits.hpp>
#include <adamant/step/simd/instruction_set.hpp>

namespace adamant::inline v0 {

//! mean: the sum over the number of ranks, as Megatron-Core's buckets; sum: where the loss is a sum already.
enum class reduction : std::uint8_t { mean, sum };

//! A part of all ranks' gradients, each of `count` elements: the rank's own, and the others' in rank order.
template <class T>
struct rank_gradients {
    T* own;
    const T* received;
    std::int64_t count;
    std::int32_t rank;
    std::int32_t ranks;

    ADAMANT_HOST_DEVICE constexpr std::size_t size() const { return static_cast<std::size_t>(ranks); }
    ADAMANT_HOST_DEVICE constexpr const T* operator[](std::size_t r) const {
        const auto number = static_cast<std::int32_t>(r);
        if (number == rank) return own;
        return received + count * (number < rank ? number : number - 1);
    }
};

//! What a sum over ranks is multiplied with, or else divided by.
struct rank_scale {
    double factor = 1;
    double divisor = 1;

    constexpr rank_scale(std::size_t ranks, reduction how) {
        if (how == reduction::sum) return;
        // Where the number of ranks is a power of two, its inverse is exact and multiplying is dividing.
        if (std::has_single_bit(ranks)) factor = 1 / static_cast<double>(ranks);
        else divisor = static_cast<double>(ranks);
    }
    ADAMANT_HOST_DEVICE constexpr double operator()(double sum) const {
        return divisor == 1 ? sum * factor : sum / divisor;
    }
};

namespace detail {

//! A double on the grid of bfloat16, ties to even: 45 bits of its 52 go, below 2^-126 what is less than
//! 2^-133. Masks instead of branches, for vectors.
ADAMANT_KERNEL_INLINE double on_bfloat16_grid(double value) {
    constexpr std::int64_t smallest_normal = std::int64_t{1023 - 126} << 52,
                           infinity = std::int64_t{0x7FF} << 52, cut = (std::int64_t{1} << 45) - 1,
                           all_but_sign = ~(std::int64_t{1} << 63);
    constexpr double to_units = 0x1.8p-81;  // what is added to it has its last bit at 2^-133
    const auto bits = __builtin_bit_cast(std::int64_t, value);
    const std::int64_t magnitude = bits & all_but_sign;
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
ADAMANT_KERNEL_INLINE float round_to_odd(double value) {
    const auto nearest = static_cast<float>(value);
    const double back = nearest;
    const bool too_far = back > value ? value >= 0 : back < value && value < 0;
    std::uint32_t bits = to_bits(nearest);
    bits -= static_cast<std::uint32_t>(too_far);
    bits |= static_cast<std::uint32_t>(back != value);
    return from_bits(bits);
}

//! A double rounded once to T.
template <class T>
ADAMANT_KERNEL_INLINE T round_once(double value) {
    if constexpr (dtype_of<T> == dtype::fp32) return static_cast<float>(value);
    else if constexpr (dtype_of<T> == dtype::bf16)
        return {static_cast<std::uint16_t>(to_bits(static_cast<float>(on_bfloat16_grid(value))) >> 16)};
    else return round_to<T>(round_to_odd(value));
}

inline constexpr int rank_sum_block = 128;

//! The same. Each loop has one width, and its length is a constant where a block is whole.
template <class T>
ADAMANT_ALWAYS_INLINE void round_block(double* values, int count, T* result) {
    if constexpr (dtype_of<T> == dtype::bf16) {
        std::uint32_t words[rank_sum_block];
        for (int i = 0; i < count; ++i) values[i] = on_bfloat16_grid(values[i]);
        for (int i = 0; i < count; ++i) words[i] = to_bits(static_cast<float>(values[i]));
        for (int i = 0; i < count; ++i) result[i].bits = static_cast<std::uint16_t>(words[i] >> 16);
    } else {
        for (int i = 0; i < count; ++i) result[i] = round_once<T>(values[i]);
    }
}

template <class T, class Sources>
ADAMANT_ALWAYS_INLINE void sum_block(const Sources& ranks, std::int64_t first, int count, rank_scale scale,
                                     T* result) {
    double sums[rank_sum_block];
    float floats[rank_sum_block];
    const T* const of_first = ranks[0] + first;
    for (int i = 0; i < count; ++i) floats[i] = to_float(of_first[i]);
    for (int i = 0; i < count; ++i) sums[i] = double{floats[i]};
    for (std::size_t r = 1; r < ranks.size(); ++r) {
        const T* const gradients = ranks[r] + first;
        for (int i = 0; i < count; ++i) floats[i] = to_float(gradients[i]);
        for (int i = 0; i < count; ++i) sums[i] += double{floats[i]};
    }
    if (scale.divisor == 1)
        for (int i = 0; i < count; ++i) sums[i] *= scale.factor;
    else
        for (int i = 0; i < count; ++i) sums[i] /= scale.divisor;
    round_block(sums, count, result + first);
}

template <class T, class Sources>
ADAMANT_ALWAYS_INLINE void sum_blocks(const Sources& ranks, std::int64_t begin, std::int64_t end,
                                      rank_scale scale, T* result) {
    std::int64_t first = begin;
    for (; first + rank_sum_block <= end; first += rank_sum_block)
        sum_block(ranks, first, rank_sum_block, scale, result);
    if (first < end) sum_block(ranks, first, static_cast<int>(end - first), scale, result);
}

#if defined(ADAMANT_HAS_SIMD) && defined(__x86_64__)
template <class T, class Sources>
__attribute__((target("avx2"))) void sum_blocks_avx2(const Sources& ranks, std::int64_t begin,
                                                     std::int64_t end, rank_scale scale, T* result) {
    sum_blocks(ranks, begin, end, scale, result);
}
#endif

}  // namespace detail

//! Elements [begin, end) of all ranks' gradients, which `ranks` lists in rank order, into `result`, which may
//! be one of them. For up to 2^29 ranks the mean of equal values is that value.
template <class T, class Sources>
void sum_ranks(const Sources& ranks, std::int64_t begin, std::int64_t end, reduction how, T* result) {
    const rank_scale scale(ranks.size(), how);
#if defined(ADAMANT_HAS_SIMD) && defined(__x86_64__)
    if (active_instruction_set() != instruction_set::generic)
        return detail::sum_blocks_avx2(ranks, begin, end, scale, result);
#endif
    detail::sum_blocks(ranks, begin, end, scale, result);
}

}  // namespace adamant::inline v0
