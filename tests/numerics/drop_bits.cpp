// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! drop_bits for every number of bits: to nearest as a double rounds, up at random with the distance.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <doctest/doctest.h>

#include <adamant/numerics/drop_bits.hpp>
#include <numerics/rounded_words.hpp>

namespace {

using namespace adamant;

//! Words below 2^31 with all kinds of low bits: ones, halves and what lies beside them.
template <class F>
void for_each_word(int count, F f) {
    for (std::uint32_t i = 0; i < 2000; ++i) {
        const std::uint32_t random = (i * 0x9E3779B9u) >> 1, half = 1u << (count - 1);
        const std::uint32_t whole = random >> count << count;
        for (const std::uint32_t low : {0u, half - 1, half, 2 * half - 1, random & (2 * half - 1)})
            f(whole | low);
    }
}

TEST_CASE("bits are dropped to nearest, ties to even") {
    int failures = 0;
    for (int count = 1; count <= 31; ++count)
        for_each_word(count, [&](std::uint32_t word) {
            failures += drop_bits<rounding::nearest>(word, count, 0xFFFF) !=
                        std::nearbyint(word / std::ldexp(1.0, count));
        });
    CHECK(failures == 0);
}

TEST_CASE("bits are dropped with what a random word adds: less than one, and nothing to what is exact") {
    int failures = 0;
    for (int count = 1; count <= 31; ++count)
        for_each_word(count, [&](std::uint32_t word) {
            for (const std::uint32_t random : some_random) {
                const double steps = std::ldexp(1.0, std::min(count, 16));
                const double added =
                    count > 16 ? (random + 0.5) / 65536 : std::floor(random * steps / 65536) / steps;
                failures += drop_bits<rounding::stochastic>(word, count, random) !=
                            std::floor(word / std::ldexp(1.0, count) + added);
            }
        });
    CHECK(failures == 0);
}

TEST_CASE("of 32 dropped bits and more nothing is left") {
    for (const int count : {32, 33, 40, 255}) {
        CHECK(drop_bits<rounding::stochastic>(0xFFFFFFFFu, count, 0xFFFF) == 0);
        CHECK(drop_bits<rounding::nearest>(0xFFFFFFFFu, count, 0xFFFF) == 0);
    }
}

}  // namespace
