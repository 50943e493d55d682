// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Stochastic bf16: report B55, every random word counted, and the words of a float against doubles.
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <adamant/numerics/stochastic_bfloat16.hpp>
#include <numerics/binary_format.hpp>
#include <numerics/rounded_words.hpp>
#include <numerics/words.hpp>

namespace {

using namespace adamant;

constexpr int round_word(std::uint32_t word, std::uint32_t random) {
    return to_bfloat16_stochastic(from_bits(word), random).bits;
}

constexpr auto is_right = [](std::uint32_t word) {
    const float value = std::bit_cast<float>(word);
    for (const std::uint32_t random : some_random) {
        const int code = round_word(word, random);
        const bool right = is_nan_word(word)
                               ? code == bfloat16_format.quiet_nan(word)
                               : same(bfloat16_format.value(code), stochastic_bfloat16_value(value, random));
        if (!right) return false;
    }
    return true;
};

//! How many of the 65,536 random words round `word` to `upper`; all others round it to `lower`.
int times_up(std::uint32_t word, int lower, int upper) {
    int up = 0;
    for (std::uint32_t random = 0; random < 0x10000; ++random) {
        const int code = round_word(word, random);
        if (code == upper) ++up;
        else if (code != lower) return -1;
    }
    return up;
}

TEST_CASE("stochastic bf16 is a constant expression") {
    static_assert(round_word(0x3F804000, 0xBFFF) == 0x3F80);
    static_assert(round_word(0x3F804000, 0xC000) == 0x3F81);
    static_assert(round_word(0xBF804000, 0xC000) == 0xBF81);
    static_assert(round_word(0x7FFFFFFF, 0xFFFF) == 0x7FFF);
}

TEST_CASE("stochastic bf16 gives the rows of B55: codes and probabilities, saturating instead of infinity") {
    std::ifstream file(ADAMANT_REPORT_B55);
    REQUIRE(file);
    const auto report = nlohmann::json::parse(file);
    const auto number = [](const nlohmann::json& text) {
        return static_cast<std::uint32_t>(std::stoul(text.get<std::string>(), nullptr, 16));
    };
    const auto& rows = report.at("expected").at("rows");
    CHECK(rows.size() == 8);
    for (const auto& row : rows) {
        const std::uint32_t word = number(row.at("x"));
        CAPTURE(hex(word));
        const auto lower = static_cast<int>(number(row.at("lower"))),
                   upper = static_cast<int>(number(row.at("upper")));
        const double probability = upper == 0x7F80 ? 0 : row.at("p_upper").get<double>();
        CHECK(times_up(word, lower, upper) == probability * 65536);
    }
}

TEST_CASE("stochastic bf16 goes up with the distance, to the word") {
    for (const std::uint32_t high : {0x0000u, 0x007Fu, 0x0080u, 0x3F80u, 0x3FFFu, 0x7F7Eu, 0x8000u, 0xC2FFu})
        for (const std::uint32_t low : {0x0000u, 0x0001u, 0x1234u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
            CAPTURE(hex(high << 16 | low));
            CHECK(times_up(high << 16 | low, static_cast<int>(high), static_cast<int>(high) + 1) ==
                  static_cast<int>(low));
        }
}

TEST_CASE("an exact value, an infinity and a NaN never move") {
    int failures = 0;
    for (std::uint32_t code = 0; code < 0x10000; ++code)
        for (const std::uint32_t random : some_random)
            if (round_word(code << 16, random) != (bfloat16_format.is_nan(static_cast<int>(code))
                                                       ? static_cast<int>(code | 0x40u)
                                                       : static_cast<int>(code)))
                ++failures;
    CHECK(failures == 0);
    CHECK(times_up(0x7F800000, 0x7F80, -1) == 0);
    CHECK(times_up(0xFF800000, 0xFF80, -1) == 0);
    for (const std::uint32_t word : {0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu, 0xFF800001u, 0xFFFFFFFFu})
        CHECK(times_up(word, bfloat16_format.quiet_nan(word), -1) == 0);
}

TEST_CASE("what is beyond the largest finite value stays there") {
    for (const std::uint32_t word : {0x7F7F0000u, 0x7F7F0001u, 0x7F7F8000u, 0x7F7FFFFFu}) {
        CHECK(times_up(word, 0x7F7F, -1) == 0);
        CHECK(times_up(word | 0x80000000u, 0xFF7F, -1) == 0);
    }
}

TEST_CASE("stochastic bf16 against doubles: a stride of the words") {
    check_words(fast_build ? 1009 : 20011, is_right);
}

TEST_SUITE("exhaustive") {
    TEST_CASE("stochastic bf16 against doubles: all words") { check_words(1, is_right); }
}

}  // namespace
