// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! remainder8: the nearest float of 16 significant bits, or one of its neighbours at random, as a pair whose
//! weight is that value rounded half away from zero.
#include <bit>
#include <cmath>
#include <cstdint>

#include <doctest/doctest.h>

#include <adamant/numerics/remainder8.hpp>
#include <numerics/binary_format.hpp>
#include <numerics/rounded_words.hpp>
#include <numerics/words.hpp>

namespace {

using namespace adamant;

constexpr remainder8_pair nearest_of(std::uint32_t word) {
    return split_remainder8<rounding::nearest>(from_bits(word), 0xFFFF);
}
constexpr remainder8_pair stochastic_of(std::uint32_t word, std::uint32_t random) {
    return split_remainder8<rounding::stochastic>(from_bits(word), random);
}
constexpr std::uint32_t joined(remainder8_pair pair) {
    return to_bits(join_remainder8(pair.weight, pair.remainder));
}

//! Whether the pair stands for this value, with the weight that is nearest to it, ties away from zero.
bool is_pair_of(remainder8_pair pair, double value) {
    return same(std::bit_cast<float>(joined(pair)), value) &&
           same(bfloat16_format.value(pair.weight.bits), bfloat16_format.half_away(value));
}
constexpr bool is_nan_pair(remainder8_pair pair, std::uint32_t word) {
    return pair == remainder8_pair{{static_cast<std::uint16_t>(word >> 31 == 0 ? 0x7FC0 : 0xFFC0)}, 0};
}

constexpr auto nearest_is_right = [](std::uint32_t word) {
    if (is_nan_word(word)) return is_nan_pair(nearest_of(word), word);
    return is_pair_of(nearest_of(word), nearest_remainder8_value(std::bit_cast<float>(word)));
};

constexpr auto stochastic_is_right = [](std::uint32_t word) {
    for (const std::uint32_t random : some_random) {
        const remainder8_pair pair = stochastic_of(word, random);
        const bool right =
            is_nan_word(word)
                ? is_nan_pair(pair, word)
                : is_pair_of(pair, stochastic_remainder8_value(std::bit_cast<float>(word), random));
        if (!right) return false;
    }
    return true;
};

//! What is joined is split into what it was joined from, by any rounding.
constexpr auto stays = [](std::uint32_t word) {
    const remainder8_pair pair = stochastic_of(word, word * 0x9E3779B9u >> 16);
    const std::uint32_t value = joined(pair);
    bool same_pair = nearest_of(value) == pair;
    for (const std::uint32_t random : some_random) same_pair &= stochastic_of(value, random) == pair;
    return same_pair;
};

TEST_CASE("remainder8 splits and joins in constant expressions: the vectors of the design") {
    static_assert(nearest_of(0x3F80FF80) == remainder8_pair{{0x3F81}, 0});
    static_assert(nearest_of(0x3F808000) == remainder8_pair{{0x3F81}, -128});
    static_assert(nearest_of(0x3F804080) == remainder8_pair{{0x3F80}, 64});
    static_assert(nearest_of(0x3F804180) == remainder8_pair{{0x3F80}, 66});
    static_assert(joined(nearest_of(0x3F80FF80)) == 0x3F810000);
    static_assert(joined(nearest_of(0x3F808000)) == 0x3F808000);
    static_assert(joined(nearest_of(0x3F804080)) == 0x3F804000);
    static_assert(joined(nearest_of(0x3F804180)) == 0x3F804200);
    static_assert(stochastic_of(0x3F804180, 0x7FFF) == remainder8_pair{{0x3F80}, 65});
    static_assert(stochastic_of(0x3F804180, 0x8000) == remainder8_pair{{0x3F80}, 66});
}

TEST_CASE("remainder8 to nearest: a stride of the words") { check_words(stride, nearest_is_right); }

TEST_CASE("remainder8 with random words: a stride of the words") {
    check_words(fast_build ? 1009 : 20011, stochastic_is_right);
}

TEST_CASE("remainder8 to nearest, at ties and beside them") {
    int failures = 0;
    for (std::uint32_t high = 0; high < 0x10000; ++high)
        for (const std::uint32_t low : {0x0000u, 0x007Fu, 0x0080u, 0x0081u, 0x7F80u, 0x7FFFu, 0x8000u,
                                        0x8080u, 0xFF7Fu, 0xFF80u, 0xFFFFu})
            if (!nearest_is_right(high << 16 | low)) ++failures;
    CHECK(failures == 0);
}

TEST_CASE("remainder8 goes up with the distance: all random words, counted") {
    for (const std::uint32_t word : {0x3F804001u, 0xBF8040FFu, 0x3F80FF80u, 0x00000001u, 0x007FFFC0u}) {
        CAPTURE(hex(word));
        std::uint32_t up = 0;
        for (std::uint32_t random = 0; random < 0x10000; ++random) {
            const std::uint32_t got = joined(stochastic_of(word, random));
            const std::uint32_t below = word & 0xFFFFFF00u;
            REQUIRE((got == below || got == below + 0x100));
            up += got != below;
        }
        CHECK(up == (word & 0xFFu) * 256);
    }
}

TEST_CASE("remainder8 stays at the largest finite value, infinities stay infinite, NaN stays NaN") {
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
        const auto top = [&](std::uint32_t high) { return static_cast<std::uint16_t>((sign >> 16) | high); };
        for (const std::uint32_t random : {0u, 0x0100u, 0xFFFFu}) {
            CHECK(joined(stochastic_of(sign | 0x7F7FFF00, random)) == (sign | 0x7F7FFF00));
            CHECK(joined(stochastic_of(sign | 0x7F7FFFFF, random)) == (sign | 0x7F7FFF00));
            CHECK(stochastic_of(sign | 0x7F800000, random) == remainder8_pair{{top(0x7F80)}, 0});
            for (const std::uint32_t nan : {0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu, 0x7FA58000u})
                CHECK(is_nan_pair(stochastic_of(sign | nan, random), sign | nan));
        }
        CHECK(joined(nearest_of(sign | 0x7F7FFF80)) == (sign | 0x7F7FFF00));
        CHECK(joined(nearest_of(sign | 0x7F7FFFFF)) == (sign | 0x7F7FFF00));
        CHECK(nearest_of(sign | 0x7F800000) == remainder8_pair{{top(0x7F80)}, 0});
        CHECK(is_nan_pair(nearest_of(sign | 0x7FFFFFFF), sign | 0x7FFFFFFF));
        CHECK(joined({{top(0x7FC0)}, 0}) == (sign | 0x7FC00000));
    }
}

TEST_CASE("remainder8 keeps what it gave, whatever the random word: a stride of the words") {
    check_words(stride, stays);
}

TEST_SUITE("exhaustive") {
    TEST_CASE("remainder8 to nearest: all words") { check_words(1, nearest_is_right); }
    TEST_CASE("remainder8 with random words: all words") { check_words(1, stochastic_is_right); }
    TEST_CASE("remainder8 keeps what it gave: all words") { check_words(1, stays); }
}

}  // namespace
