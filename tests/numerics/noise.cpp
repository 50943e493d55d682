// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The noise of a group: the words of the reference, and nothing in common between elements, fields and
//! groups.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <adamant/numerics/noise.hpp>

namespace {

using namespace adamant;

constexpr group_noise reference{42, 7, 1};
static_assert(reference.weight(0) == 0x4C78 && reference.weight(1) == 0x9EFA &&
              reference.weight(31) == 0x4A2F);
static_assert(reference.exp_avg_sq(0) == 0x1A41 && reference.exp_avg_sq(1) == 0xC913 &&
              reference.exp_avg_sq(31) == 0x45B1);
static_assert(reference.exp_avg(0) == 0xA83B && reference.exp_avg(1) == 0xB730 &&
              reference.exp_avg(31) == 0x77E6);
static_assert(no_noise{}(5) == 0);

constexpr std::uint32_t elements = 32, fields = 3;
constexpr std::size_t words_of_group = elements * fields;

//! weight's words, then exp_avg's, then exp_avg_sq's.
std::array<std::uint32_t, words_of_group> words(const group_noise& noise) {
    std::array<std::uint32_t, words_of_group> result{};
    for (std::uint32_t e = 0; e < elements; ++e) {
        result[e] = noise.weight(e);
        result[elements + e] = noise.exp_avg(e);
        result[2 * elements + e] = noise.exp_avg_sq(e);
    }
    return result;
}

TEST_CASE("the words are those of the definition, modulo 2^32, for any group") {
    int failures = 0;
    for (std::uint64_t group = 0; group < 2000; ++group) {
        const std::uint64_t seed = group * 0x9E3779B97F4A7C15u, step = group / 3;
        const auto k = philox(seed, group, step);
        const group_noise noise{seed, group, step};
        for (std::uint64_t e = 0; e < elements; ++e) {
            const std::uint64_t first = (k[0] + e * k[1]) % 4294967296,
                                second = (k[2] + e * k[3]) % 4294967296;
            const auto element = static_cast<std::uint32_t>(e);
            failures += noise.weight(element) != first / 65536;
            failures += noise.exp_avg_sq(element) != second / 65536;
            failures += noise.exp_avg(element) != second % 65536;
        }
    }
    CHECK(failures == 0);
}

TEST_CASE("seed, group and step each change every field") {
    const auto start = words({1, 2, 3});
    for (const group_noise& other :
         {group_noise{0, 2, 3}, group_noise{1, 3, 3}, group_noise{1, 2, 4},
          group_noise{std::uint64_t{1} << 32 | 1, 2, 3}, group_noise{1, std::uint64_t{1} << 32 | 2, 3},
          group_noise{1, 2, std::uint64_t{1} << 32 | 3}, group_noise{3, 2, 1}}) {
        const auto now = words(other);
        for (std::uint32_t field = 0; field < fields; ++field) {
            int equal = 0;
            for (std::uint32_t e = 0; e < elements; ++e)
                equal += now[field * elements + e] == start[field * elements + e];
            CHECK(equal <= 1);
        }
    }
}

TEST_CASE("over many groups the words are uniform and any two of a group are uncorrelated") {
    constexpr int groups = 16384;
    std::vector<std::array<float, words_of_group>> centred(groups);
    for (std::size_t g = 0; g < groups; ++g) {
        const auto now = words({2026, g, 5});
        for (std::size_t i = 0; i < words_of_group; ++i) {
            REQUIRE(now[i] < 0x10000);
            centred[g][i] = (static_cast<float>(now[i]) + 0.5f) / 65536 - 0.5f;
        }
    }
    const double six_sigma = 6 / std::sqrt(double{groups});
    const double deviation = 1 / std::sqrt(12.0);
    double worst_mean = 0, worst_variance = 0, worst_correlation = 0;
    for (std::size_t i = 0; i < words_of_group; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0, product = 0;
            for (const auto& group : centred) {
                sum += double{group[i]};
                product += double{group[i]} * double{group[j]};
            }
            const double correlation = product / groups * 12;
            if (i != j) worst_correlation = std::max(worst_correlation, std::abs(correlation));
            else worst_variance = std::max(worst_variance, std::abs(correlation - 1));
            worst_mean = std::max(worst_mean, std::abs(sum / groups) / deviation);
        }
    CHECK(worst_mean < six_sigma);
    CHECK(worst_variance < six_sigma);
    CHECK(worst_correlation < six_sigma);
}

TEST_CASE("two words of a group fill a table of 16 by 16 evenly") {
    constexpr int groups = 65536;
    const auto check_pair = [&](std::size_t i, std::size_t j) {
        std::array<int, 256> table{};
        for (std::size_t g = 0; g < groups; ++g) {
            const auto now = words({7, g, 1});
            ++table[(now[i] >> 12) * 16 + (now[j] >> 12)];
        }
        double chi = 0;
        for (const int count : table) chi += (count - 256.0) * (count - 256.0) / 256;
        CAPTURE(i);
        CAPTURE(j);
        CHECK(chi < 255 + 6 * std::sqrt(2 * 255.0));  // 255 degrees of freedom
        CHECK(chi > 255 - 6 * std::sqrt(2 * 255.0));
    };
    check_pair(0, 1);  // neighbours
    check_pair(elements, elements + 1);
    check_pair(2 * elements, 2 * elements + 31);
    check_pair(3, elements + 3);  // the fields of an element
    check_pair(elements + 3, 2 * elements + 3);
    check_pair(0, 2 * elements);
}

TEST_CASE("neighbouring groups and steps have nothing in common") {
    constexpr int groups = 4096;
    double between_groups = 0, between_steps = 0;
    for (std::uint64_t g = 0; g < groups; ++g) {
        const auto centred = [](std::uint32_t word) { return (word + 0.5) / 65536 - 0.5; };
        const double here = centred(group_noise{1, g, 9}.weight(4));
        between_groups += here * centred(group_noise{1, g + 1, 9}.weight(4)) * 12;
        between_steps += here * centred(group_noise{1, g, 10}.weight(4)) * 12;
    }
    CHECK(std::abs(between_groups) / groups < 6 / std::sqrt(double{groups}));
    CHECK(std::abs(between_steps) / groups < 6 / std::sqrt(double{groups}));
}

}  // namespace
