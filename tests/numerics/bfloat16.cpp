// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bfloat16 against IEEE 754 in doubles: every code, and the words of a float in strides or all of them.
#include <bit>
#include <cstdint>

#include <doctest/doctest.h>

#include <adamant/numerics/bfloat16.hpp>
#include <numerics/binary_format.hpp>
#include <numerics/words.hpp>

namespace {

using adamant::bfloat16;
using adamant::from_bits;
using adamant::to_bfloat16;
using adamant::to_float;

constexpr bfloat16 round_word(std::uint32_t word) { return to_bfloat16(from_bits(word)); }

constexpr auto rounds_to_nearest_even = [](std::uint32_t word) {
    const int code = round_word(word).bits;
    if (is_nan_word(word)) return code == bfloat16_format.quiet_nan(word);
    const double value = std::bit_cast<float>(word);
    return !bfloat16_format.is_nan(code) &&
           same(bfloat16_format.value(code), bfloat16_format.nearest_even(value));
};

TEST_CASE("bfloat16 converts in constant expressions") {
    static_assert(to_bfloat16(1.0f).bits == 0x3F80);
    static_assert(to_bfloat16(-2.0f).bits == 0xC000);
    static_assert(to_bfloat16(3.14159274f).bits == 0x4049);
    static_assert(to_bfloat16(0.999f).bits == 0x3F80);  // a beta2 kept in bf16 is 1 (B03)
    static_assert(to_float(bfloat16{0x3F81}) == 1.0078125f);
    static_assert(to_float(bfloat16{0x0001}) == 0x1p-133f);
    static_assert(to_float(bfloat16{0x7F7F}) == 0x1.FEp127f);
    // The column rne16 of B40.
    static_assert(round_word(0x3F807FFF).bits == 0x3F80);
    static_assert(round_word(0x3F808000).bits == 0x3F80);
    static_assert(round_word(0x3F808001).bits == 0x3F81);
    static_assert(round_word(0x3F818000).bits == 0x3F82);
    static_assert(round_word(0xBF818000).bits == 0xBF82);
    static_assert(round_word(0x00008000).bits == 0x0000);
    static_assert(round_word(0x80008000).bits == 0x8000);
    static_assert(round_word(0x7F7F7FFF).bits == 0x7F7F);
    static_assert(round_word(0x7F7F8000).bits == 0x7F80);
    static_assert(round_word(0xFF7FFFFF).bits == 0xFF80);
    static_assert(round_word(0x7F800000).bits == 0x7F80);
    static_assert(round_word(0x7F800001).bits == 0x7FC0);  // rounding its bits would give infinity
    static_assert(round_word(0xFFFFFFFF).bits == 0xFFFF);  // and here +0
}

TEST_CASE("bfloat16 compares bits: a NaN equals itself, the zeros differ") {
    static_assert(bfloat16{0x7FC0} == bfloat16{0x7FC0});
    static_assert(bfloat16{0x0000} != bfloat16{0x8000});
    static_assert(sizeof(bfloat16) == 2);
}

TEST_CASE("every bfloat16 has the value that its fields say") {
    int failures = 0;
    for (int code = 0; code < 0x10000; ++code) {
        const float decoded = to_float(bfloat16{static_cast<std::uint16_t>(code)});
        const bool right = bfloat16_format.is_nan(code)
                               ? std::isnan(decoded) && std::signbit(decoded) == ((code & 0x8000) != 0)
                               : same(decoded, bfloat16_format.value(code));
        if (!right) ++failures;
    }
    CHECK(failures == 0);
}

TEST_CASE("every bfloat16 survives the way to float and back, a NaN as a quiet one") {
    int failures = 0;
    for (int code = 0; code < 0x10000; ++code) {
        const int back = to_bfloat16(to_float(bfloat16{static_cast<std::uint16_t>(code)})).bits;
        if (back != (bfloat16_format.is_nan(code) ? (code | 0x0040) : code)) ++failures;
    }
    CHECK(failures == 0);
}

TEST_CASE("between two bfloat16 the midpoint goes to the even one") {
    check_midpoints(bfloat16_format, [](float value) { return to_bfloat16(value).bits; });
}

TEST_CASE("a float becomes the nearest bfloat16, ties to even: a stride of the words") {
    check_words(stride, rounds_to_nearest_even);
}

TEST_SUITE("exhaustive") {
    TEST_CASE("a float becomes the nearest bfloat16, ties to even: all words") {
        check_words(1, rounds_to_nearest_even);
    }
}

}  // namespace
