// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! float16 against IEEE 754 in doubles and against the CPU's own conversion (F16C): every code, and the words
//! of a float in strides or all of them.
#include <bit>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <doctest/doctest.h>

#include <adamant/numerics/float16.hpp>
#include <numerics/binary_format.hpp>
#include <numerics/words.hpp>

namespace {

using adamant::float16;
using adamant::from_bits;
using adamant::to_bits;
using adamant::to_float;
using adamant::to_float16;

constexpr float16 round_word(std::uint32_t word) { return to_float16(from_bits(word)); }

constexpr auto rounds_to_nearest_even = [](std::uint32_t word) {
    const int code = round_word(word).bits;
    if (is_nan_word(word)) return code == float16_format.quiet_nan(word);
    const double value = std::bit_cast<float>(word);
    return !float16_format.is_nan(code) &&
           same(float16_format.value(code), float16_format.nearest_even(value));
};

TEST_CASE("float16 converts in constant expressions") {
    static_assert(to_float16(1.0f).bits == 0x3C00);
    static_assert(to_float16(-2.0f).bits == 0xC000);
    static_assert(to_float16(0.333333343f).bits == 0x3555);
    static_assert(to_float16(65504.0f).bits == 0x7BFF);
    static_assert(to_float16(65519.996f).bits == 0x7BFF);
    static_assert(to_float16(65520.0f).bits == 0x7C00);
    static_assert(to_float16(-65520.0f).bits == 0xFC00);
    static_assert(to_float16(0x1p-14f).bits == 0x0400);
    static_assert(to_float16(0x1.FF8p-15f).bits == 0x03FF);
    static_assert(to_float16(0x1.FFCp-15f).bits == 0x0400);  // a tie between the largest subnormal and 2^-14
    static_assert(to_float16(0x1p-24f).bits == 0x0001);
    static_assert(to_float16(0x1p-25f).bits == 0x0000);
    static_assert(to_float16(0x1.000002p-25f).bits == 0x0001);
    static_assert(to_float16(1e-8f).bits == 0x0000);  // an eps kept in fp16 is 0 (B04)
    static_assert(to_float16(-0.0f).bits == 0x8000);
    static_assert(round_word(0x7F800001).bits == 0x7E00);
    static_assert(round_word(0xFFFFFFFF).bits == 0xFFFF);
    static_assert(to_float(float16{0x3555}) == 0x1.554p-2f);
    static_assert(to_float(float16{0x0001}) == 0x1p-24f);
    static_assert(to_float(float16{0x03FF}) == 0x1.FF8p-15f);
    static_assert(to_float(float16{0xFBFF}) == -65504.0f);
    static_assert(to_bits(to_float(float16{0xFC00})) == 0xFF800000);
}

TEST_CASE("float16 compares bits: a NaN equals itself, the zeros differ") {
    static_assert(float16{0x7E00} == float16{0x7E00});
    static_assert(float16{0x0000} != float16{0x8000});
    static_assert(sizeof(float16) == 2);
}

TEST_CASE("every float16 has the value that its fields say") {
    int failures = 0;
    for (int code = 0; code < 0x10000; ++code) {
        const float decoded = to_float(float16{static_cast<std::uint16_t>(code)});
        const bool right = float16_format.is_nan(code)
                               ? std::isnan(decoded) && std::signbit(decoded) == ((code & 0x8000) != 0)
                               : same(decoded, float16_format.value(code));
        if (!right) ++failures;
    }
    CHECK(failures == 0);
}

TEST_CASE("every float16 survives the way to float and back, a NaN as a quiet one") {
    int failures = 0;
    for (int code = 0; code < 0x10000; ++code) {
        const int back = to_float16(to_float(float16{static_cast<std::uint16_t>(code)})).bits;
        if (back != (float16_format.is_nan(code) ? (code | 0x0200) : code)) ++failures;
    }
    CHECK(failures == 0);
}

TEST_CASE("between two float16 the midpoint goes to the even one") {
    check_midpoints(float16_format, [](float value) { return to_float16(value).bits; });
}

TEST_CASE("a float becomes the nearest float16, ties to even: a stride of the words") {
    check_words(stride, rounds_to_nearest_even);
}

TEST_SUITE("exhaustive") {
    TEST_CASE("a float becomes the nearest float16, ties to even: all words") {
        check_words(1, rounds_to_nearest_even);
    }
}

#if defined(__x86_64__)

__attribute__((target("f16c"))) bool rounds_as_the_cpu(std::uint32_t word) {
    return round_word(word).bits == _cvtss_sh(std::bit_cast<float>(word), _MM_FROUND_TO_NEAREST_INT);
}

__attribute__((target("f16c"))) bool decodes_as_the_cpu(std::uint16_t code) {
    return to_bits(to_float(float16{code})) == std::bit_cast<std::uint32_t>(_cvtsh_ss(code));
}

// clang cannot ask for f16c before version 16; whatever has AVX2 has it.
const bool no_f16c = !__builtin_cpu_supports("avx2");

TEST_CASE("the CPU decodes every float16 to the same bits" * doctest::skip(no_f16c)) {
    int failures = 0;
    for (int code = 0; code < 0x10000; ++code)
        if (!decodes_as_the_cpu(static_cast<std::uint16_t>(code))) ++failures;
    CHECK(failures == 0);
}

TEST_CASE("the CPU rounds to the same float16: a stride of the words" * doctest::skip(no_f16c)) {
    check_words(stride, rounds_as_the_cpu);
}

TEST_SUITE("exhaustive") {
    TEST_CASE("the CPU rounds to the same float16: all words" * doctest::skip(no_f16c)) {
        check_words(1, rounds_as_the_cpu);
    }
}

#endif

}  // namespace
