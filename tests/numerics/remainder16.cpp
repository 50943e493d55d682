// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! remainder16: lossless over the words of a float, and its weight is the value rounded half away from zero.
#include <bit>
#include <cstdint>

#include <doctest/doctest.h>

#include <adamant/numerics/remainder16.hpp>
#include <numerics/binary_format.hpp>
#include <numerics/words.hpp>

namespace {

using adamant::bfloat16;
using adamant::from_bits;
using adamant::join_remainder16;
using adamant::remainder16_pair;
using adamant::split_remainder16;
using adamant::to_bits;

constexpr remainder16_pair split_word(std::uint32_t word) { return split_remainder16(from_bits(word)); }

constexpr std::uint32_t join_word(std::uint16_t weight, std::int16_t remainder) {
    return to_bits(join_remainder16(bfloat16{weight}, remainder));
}

constexpr auto is_lossless = [](std::uint32_t word) {
    const remainder16_pair pair = split_word(word);
    const std::uint32_t kept = is_nan_word(word) ? (word & 0x80000000u) | 0x7FC00000u : word;
    return to_bits(join_remainder16(pair.weight, pair.remainder)) == kept;
};

constexpr auto weight_is_rounded_half_away = [](std::uint32_t word) {
    if (is_nan_word(word)) return split_word(word).weight.bits == (word >> 31 == 0 ? 0x7FC0 : 0xFFC0);
    const double value = std::bit_cast<float>(word);
    const double weight = bfloat16_format.value(split_word(word).weight.bits);
    const bool is_nearest_even = same(weight, bfloat16_format.nearest_even(value));
    const bool is_tie_below_even = (word & 0x1FFFFu) == 0x8000u;  // B40: differs_from_rne_only
    return same(weight, bfloat16_format.half_away(value)) && is_nearest_even == !is_tie_below_even;
};

struct row {
    std::uint32_t master;
    std::uint16_t weight;
    int remainder;
    std::uint16_t nearest_even;
    std::uint32_t rebuilt_from_nearest_even;
};

// B40: bf16 + int16 remainder, exact ties.
constexpr row rows[] = {
    {0x3F800000, 0x3F80, 0, 0x3F80, 0x3F800000},      {0x3F800001, 0x3F80, 1, 0x3F80, 0x3F800001},
    {0x3F807FFF, 0x3F80, 32767, 0x3F80, 0x3F807FFF},  {0x3F808000, 0x3F81, -32768, 0x3F80, 0x3F7F8000},
    {0x3F808001, 0x3F81, -32767, 0x3F81, 0x3F808001}, {0x3F80FFFF, 0x3F81, -1, 0x3F81, 0x3F80FFFF},
    {0x3F818000, 0x3F82, -32768, 0x3F82, 0x3F818000}, {0xBF808000, 0xBF81, -32768, 0xBF80, 0xBF7F8000},
    {0xBF818000, 0xBF82, -32768, 0xBF82, 0xBF818000}, {0x00000001, 0x0000, 1, 0x0000, 0x00000001},
    {0x00008000, 0x0001, -32768, 0x0000, 0xFFFF8000}, {0x0000FFFF, 0x0001, -1, 0x0001, 0x0000FFFF},
    {0x80000000, 0x8000, 0, 0x8000, 0x80000000},      {0x80008000, 0x8001, -32768, 0x8000, 0x7FFF8000},
    {0x8000FFFF, 0x8001, -1, 0x8001, 0x8000FFFF},     {0x007FFFFF, 0x0080, -1, 0x0080, 0x007FFFFF},
    {0x7F7F7FFF, 0x7F7F, 32767, 0x7F7F, 0x7F7F7FFF},  {0x7F7F8000, 0x7F80, -32768, 0x7F80, 0x7F7F8000},
    {0x7F7FFFFF, 0x7F80, -1, 0x7F80, 0x7F7FFFFF},     {0xFF7FFFFF, 0xFF80, -1, 0xFF80, 0xFF7FFFFF},
    {0x1E3CE508, 0x1E3D, -6904, 0x1E3D, 0x1E3CE508},  {0x3F800003, 0x3F80, 3, 0x3F80, 0x3F800003},
};

TEST_CASE("remainder16 splits and joins in constant expressions") {
    static_assert(split_word(0x3F808000) == remainder16_pair{{0x3F81}, -32768});
    static_assert(split_word(0x3F807FFF) == remainder16_pair{{0x3F80}, 32767});
    static_assert(split_word(0xBF80FFFF) == remainder16_pair{{0xBF81}, -1});
    static_assert(join_word(0x3F81, -32768) == 0x3F808000);
    static_assert(join_word(0x3F80, 32767) == 0x3F807FFF);
    static_assert(join_word(0xBF81, -1) == 0xBF80FFFF);
}

TEST_CASE("remainder16 gives the rows of B40") {
    for (const row& expected : rows) {
        CAPTURE(hex(expected.master));
        const remainder16_pair pair = split_word(expected.master);
        CHECK(pair.weight.bits == expected.weight);
        CHECK(pair.remainder == expected.remainder);
        CHECK(join_word(pair.weight.bits, pair.remainder) == expected.master);
        CHECK(adamant::to_bfloat16(from_bits(expected.master)).bits == expected.nearest_even);
        CHECK(join_word(expected.nearest_even, pair.remainder) == expected.rebuilt_from_nearest_even);
    }
}

TEST_CASE("remainder16 keeps of a NaN that it is one, and its sign") {
    for (const std::uint32_t word : {0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu, 0x7FA58000u}) {
        CAPTURE(hex(word));
        CHECK(split_word(word) == remainder16_pair{{0x7FC0}, 0});
        CHECK(split_word(word | 0x80000000u) == remainder16_pair{{0xFFC0}, 0});
    }
    CHECK(join_word(0x7FC0, 0) == 0x7FC00000);
    CHECK(join_word(0xFFC0, 0) == 0xFFC00000);
}

TEST_CASE("remainder16 rounds a weight half away from zero, at ties and beside them") {
    int failures = 0;
    for (std::uint32_t high = 0; high < 0x10000; ++high)
        for (const std::uint32_t low : {0x0000u, 0x0001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
            if (!weight_is_rounded_half_away(high << 16 | low)) ++failures;
    CHECK(failures == 0);
}

TEST_CASE("remainder16 rounds a weight half away from zero: a stride of the words") {
    check_words(stride, weight_is_rounded_half_away);
}

TEST_CASE("remainder16 is lossless: all words, or a stride in a slow build") {
    check_words(fast_build ? 1 : stride, is_lossless);
}

TEST_SUITE("exhaustive") {
    TEST_CASE("remainder16 is lossless: all words") { check_words(1, is_lossless); }
    TEST_CASE("remainder16 rounds a weight half away from zero: all words") {
        check_words(1, weight_is_rounded_half_away);
    }
}

}  // namespace
