// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! exact_sum against long addition, bit by bit: any order, any grouping, any range, rounded once.
#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <adamant/numerics/exact_sum.hpp>

namespace {

using adamant::exact_sum;

//! A binary number with a bit for every power of two from 2^-400 on, added to by carrying ones.
class long_addition {
public:
    void add(double summand) {
        int exponent;
        auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(summand, &exponent), 53));
        for (int place = exponent - 53 + lowest; mantissa != 0; mantissa >>= 1, ++place)
            if (mantissa % 2 != 0) add_bit(static_cast<std::size_t>(place));
    }
    //! The 53 leading bits, and one more in their last place where the rest is above a half, or a half and
    //! the last place is odd.
    double value() const {
        int top = static_cast<int>(bits_.size()) - 1;
        while (top >= 0 && !at(top)) --top;
        double leading = 0;
        for (int i = 0; i < 53; ++i) leading = 2 * leading + (at(top - i) ? 1 : 0);
        bool below_half = false;
        for (int place = 0; place < top - 53; ++place) below_half = below_half || at(place);
        if (at(top - 53) && (below_half || at(top - 52))) leading += 1;
        return std::ldexp(leading, top - 52 - lowest);
    }

private:
    static constexpr int lowest = 400;

    bool at(int place) const { return place >= 0 && bits_[static_cast<std::size_t>(place)]; }
    void add_bit(std::size_t place) {
        for (; bits_[place]; ++place) bits_[place] = false;
        bits_[place] = true;
    }

    std::bitset<1024> bits_;
};

double reference(std::span<const double> summands) {
    long_addition sum;
    for (const double summand : summands)
        if (summand != 0) sum.add(summand);
    return sum.value();
}

exact_sum sum_of(std::span<const double> summands) {
    exact_sum sum;
    for (std::size_t first = 0, count = 0; first < summands.size(); first += count) {
        count = std::min(first % 17 + 1, summands.size() - first);
        exact_sum::adder adder(sum, static_cast<std::uint32_t>(count));
        for (const double summand : summands.subspan(first, count))
            if (summand != 0) adder.add(std::bit_cast<std::uint64_t>(summand));
        adder.finish();
    }
    return sum;
}

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

//! Summands with random mantissas and exponents of [from, to).
std::vector<double> random_summands(std::size_t count, int from, int to, std::mt19937_64& random) {
    std::vector<double> summands(count);
    std::uniform_int_distribution<int> exponent(from, to - 1);
    for (double& summand : summands) {
        const double mantissa = static_cast<double>(random() >> 11 | std::uint64_t{1} << 52);
        summand = std::ldexp(mantissa, exponent(random) - 52);
    }
    return summands;
}

TEST_CASE("the sum of nothing is zero, and so is a sum of zeros") {
    CHECK(same_bits(exact_sum{}.value(), 0.0));
    CHECK(same_bits(sum_of(std::vector{0.0, -0.0, 0.0}).value(), 0.0));
    exact_sum merged;
    merged.add(exact_sum{});
    CHECK(same_bits(merged.value(), 0.0));
}

TEST_CASE("a single summand is its own sum, at every power of two of the range") {
    for (int exponent = -332; exponent < 320; ++exponent) {
        for (const double mantissa : {1.0, 1.5, 0x1.0000000000001p0, 0x1.FFFFFFFFFFFFFp0}) {
            const double summand = std::ldexp(mantissa, exponent);
            if (!same_bits(sum_of(std::vector{summand}).value(), summand)) FAIL_CHECK("2^", exponent);
        }
    }
}

TEST_CASE("a sum is rounded once, to nearest, ties to even") {
    const auto sum = [](std::vector<double> summands) { return sum_of(summands).value(); };
    CHECK(sum({0x1p53, 1}) == 0x1p53);
    CHECK(sum({0x1p53, 2, 1}) == 0x1p53 + 4);
    CHECK(sum({0x1p53, 1, 0x1p-298}) == 0x1p53 + 2);
    CHECK(sum({0x1p53, 0x1.FFFFFFFFFFFFFp-1}) == 0x1p53);
    CHECK(sum({1, 0x1p-53}) == 1);
    CHECK(sum({1, 0x1p-53, 0x1p-298}) == 0x1.0000000000001p0);
    CHECK(sum({0x1.FFFFFFFFFFFFFp0, 0x1p-53}) == 2);  // the carry runs through all 53 bits
    CHECK(sum({0.1, 0.2, 0.3}) == 0.6);               // 0.1 + 0.2 + 0.3 in doubles is 0.6000000000000001
    const std::vector<double> tenths(10, 0.1);
    CHECK(sum_of(tenths).value() == 1);  // and 0.1 ten times is 0.9999999999999999
}

TEST_CASE("a bit at any distance below a tie decides it") {
    for (int top = 0; top < 64; ++top) {
        const double even = std::ldexp(1.0, top), half_place = std::ldexp(1.0, top - 53);
        for (int place = top - 54; place > -332; --place) {
            const double sum = sum_of(std::vector{even, half_place, std::ldexp(1.0, place)}).value();
            if (sum != even + 2 * half_place) FAIL_CHECK("2^", top, " and 2^", place);
        }
    }
}

TEST_CASE("tiny and huge summands meet without loss") {
    const auto sum = [](std::vector<double> summands) { return sum_of(summands).value(); };
    CHECK(sum({0x1p263, 0x1p-298}) == 0x1p263);
    CHECK(sum({0x1p-298, 0x1p263, 0x1p210}) == 0x1.0000000000001p263);
    CHECK(sum({0x1p263, 0x1p210}) == 0x1p263);
    CHECK(sum({0x1p-298, 0x1p-298}) == 0x1p-297);
    // The square of the largest float, 128 times, and the square of the smallest.
    const double largest = 0x1.FFFFFEp127 * 0x1.FFFFFEp127;
    std::vector<double> summands(128, largest);
    summands.push_back(0x1p-298);
    CHECK(sum_of(summands).value() == 128 * largest);
}

TEST_CASE("a sum is the one of long addition, for narrow and wide ranges") {
    std::mt19937_64 random(1);
    struct {
        std::size_t count;
        int from, to;
    } ranges[] = {{3, 0, 2},    {50, -60, 60},     {500, -298, 263}, {300, -332, 300},
                  {2000, 0, 1}, {100, -298, -290}, {3, 0, 110}};
    for (const auto& [count, from, to] : ranges) {
        for (int round = 0; round < 50; ++round) {
            const auto summands = random_summands(count, from, to, random);
            CHECK(same_bits(sum_of(summands).value(), reference(summands)));
        }
    }
}

TEST_CASE("a sum of few bits, where ties are common, is the one of long addition") {
    std::mt19937_64 random(2);
    int failures = 0, ties = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<double> summands{0x1p52 + static_cast<double>(random() % 8)};
        for (int i = 0; i < 4; ++i) summands.push_back(static_cast<double>(random() % 8) * 0.25);
        long double exact = 0;
        for (const double summand : summands) exact += static_cast<long double>(summand);
        if (exact - std::floor(exact) == 0.5L) ++ties;
        const double sum = sum_of(summands).value();
        if (!same_bits(sum, reference(summands)) ||
            !same_bits(sum, std::nearbyint(static_cast<double>(exact))))
            ++failures;
    }
    CHECK(failures == 0);
    CHECK(ties > 1000);
}

TEST_CASE("the order of the summands does not matter") {
    std::mt19937_64 random(3);
    auto summands = random_summands(1000, -298, 263, random);
    const double expected = reference(summands);
    std::sort(summands.begin(), summands.end());
    CHECK(same_bits(sum_of(summands).value(), expected));
    std::reverse(summands.begin(), summands.end());
    CHECK(same_bits(sum_of(summands).value(), expected));
    for (int round = 0; round < 20; ++round) {
        std::shuffle(summands.begin(), summands.end(), random);
        CHECK(same_bits(sum_of(summands).value(), expected));
    }
}

TEST_CASE("how the summands are shared out and merged does not matter") {
    std::mt19937_64 random(4);
    const auto summands = random_summands(1000, -100, 100, random);
    const double expected = reference(summands);
    for (const std::size_t parts : {2u, 3u, 7u, 64u, 1000u, 1500u}) {
        std::vector<exact_sum> partial(parts);
        for (const double summand : summands) partial[random() % parts].add(summand);
        while (partial.size() > 1) {  // a random one into another, so the tree is of any shape
            std::swap(partial[random() % partial.size()], partial.back());
            const exact_sum taken = partial.back();
            partial.pop_back();
            partial[random() % partial.size()].add(taken);
        }
        CHECK(same_bits(partial.front().value(), expected));
    }
}

TEST_CASE("adding goes on after a merge and after a look at the value") {
    exact_sum sum;
    sum.add(0x1p53);
    CHECK(sum.value() == 0x1p53);
    exact_sum other;
    other.add(1.0);
    sum.add(other);
    CHECK(sum.value() == 0x1p53);
    sum.add(1.0);
    CHECK(sum.value() == 0x1p53 + 2);
    CHECK(other.value() == 1);
}

TEST_CASE("many additions carry into the next digit") {
    constexpr double all_ones = 0x1.FFFFFFFFFFFFFp52;  // 2^53 - 1
    exact_sum sum;
    for (int i = 0; i < 1 << 20; ++i) sum.add(all_ones);
    CHECK(sum.value() == 0x1.FFFFFFFFFFFFFp72);
    sum.add(0x1p20);
    CHECK(sum.value() == 0x1p73);
}

TEST_CASE("a sum merged with itself doubles") {
    exact_sum sum;
    sum.add(0x1.FFFFFFFFFFFFFp-298);
    sum.add(0x1p-300);
    const double once = sum.value();
    for (int doublings = 1; doublings <= 500; ++doublings) {
        sum.add(sum);
        CHECK(same_bits(sum.value(), std::ldexp(once, doublings)));
    }
}

TEST_SUITE("exhaustive") {
    TEST_CASE("more additions than a bin has room for are carried in time") {
        constexpr std::uint64_t count = (std::uint64_t{1} << 33) + 5;
        constexpr double summand = 0x1.FFFFFFFFFFFFFp63;  // (2^53 - 1) 2^11 fills all bits of a digit
        exact_sum sum;
        for (std::uint64_t i = 0; i < count; ++i) sum.add(summand);
        // (2^33 + 5) (2^53 - 1) = 2^86 + 5 2^53 - 2^33 - 5, where doubles are 2^34 apart.
        CHECK(sum.value() == 0x1p97 + 0x1.4p66 - 0x1p45);
    }
}

}  // namespace
