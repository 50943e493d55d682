// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! grad_norm: right to double precision, one set of bits for any cut and order, and found_inf.
#include "inputs.hpp"

#include <adamant/train/grad_norm.hpp>
#include <adamant/train/step_decision.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

template <class MainGrad = float, class Grad>
grad_statistics read(const std::vector<Grad>& grads, bool in_norm = true) {
    grad_statistics statistics;
    read_gradients<MainGrad>(grads.data(), 0, static_cast<std::int64_t>(grads.size()), in_norm, statistics);
    return statistics;
}

//! Pairwise in long double: its error is a few units of 2^-64.
long double sum_of_squares(const float* first, std::size_t count) {
    if (count == 0) return 0;
    if (count == 1) return static_cast<long double>(*first) * static_cast<long double>(*first);
    return sum_of_squares(first, count / 2) + sum_of_squares(first + count / 2, count - count / 2);
}

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

TEST_CASE("the norm of small integers is exact") {
    CHECK(read(std::vector<float>{}).norm() == 0);
    CHECK(read(std::vector<float>{0, -0.0f}).norm() == 0);
    CHECK(read(std::vector<float>{3, -4}).norm() == 5);
    CHECK(read(std::vector<float>(10000, -2)).norm() == 200);
    std::vector<float> spread_out(1000);
    spread_out[0] = 2, spread_out[127] = 3, spread_out[128] = 6, spread_out[999] = 24;
    CHECK(read(spread_out).norm() == 25);
}

TEST_CASE("the norm is right to double precision") {
    for (const double scale : {1e-30, 1e-12, 1.0, 1e30})
        for (const std::size_t count : {1u, 15u, 16u, 17u, 127u, 128u, 129u, 1000u, 100000u}) {
            const auto grads = inputs::spread(count, count, scale);
            const long double expected = std::sqrt(sum_of_squares(grads.data(), count));
            CAPTURE(scale);
            CAPTURE(count);
            CHECK(std::abs(read(grads).norm() - expected) <= 1e-15L * expected);
        }
}

TEST_CASE("squares that leave the range of fp32 keep the norm") {
    // Report B15: 100 gradients of 1e20.
    CHECK(read(std::vector<float>(100, 1e20f)).norm() == doctest::Approx(1e21).epsilon(1e-7));
    const float largest = std::numeric_limits<float>::max(),
                smallest = std::numeric_limits<float>::denorm_min();
    CHECK(read(std::vector<float>(4, largest)).norm() == 2 * double{largest});
    CHECK(!read(std::vector<float>(100000, largest)).found_inf);
    CHECK(read(std::vector<float>(4, smallest)).norm() == 2 * double{smallest});
}

TEST_CASE("cuts and the order of merging leave the bits alone") {
    const auto grads = inputs::spread(20000, 3);
    const double whole = read(grads).norm();
    for (std::uint64_t round = 0; round < 50; ++round) {
        std::vector<std::int64_t> cuts{0};
        while (cuts.back() < 20000)
            cuts.push_back(std::min<std::int64_t>(
                20000, cuts.back() + 128 * (1 + inputs::word(round, cuts.size()) % 40)));
        std::vector<grad_statistics> parts(cuts.size() - 1);
        for (std::size_t i = 0; i < parts.size(); ++i)
            read_gradients<float>(grads.data(), cuts[i], cuts[i + 1], true, parts[i]);
        while (parts.size() > 1) {  // any two, until one is left
            const std::size_t from = inputs::word(round + 1000, parts.size()) % (parts.size() - 1);
            if (round % 2 == 0) parts.back().add(parts[from]);
            else std::swap(parts.back(), parts[from]), parts.back().add(parts[from]);
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(from));
        }
        CHECK(same_bits(parts[0].norm(), whole));
    }
}

TEST_CASE("one value that is not finite is found wherever it is") {
    for (const std::size_t size : {1u, 16u, 128u, 129u, 300u})
        for (std::size_t at = 0; at < size; ++at)
            for (const float broken : {not_a_number, -not_a_number, inf, -inf}) {
                auto grads = inputs::spread(size, 1);
                REQUIRE(!read(grads).found_inf);
                grads[at] = broken;
                CHECK(read(grads).found_inf);
                CHECK(read(grads, false).found_inf);
            }
    CHECK(read(std::vector<bfloat16>{{0x3F80}, {0x7F80}}).found_inf);
    CHECK(read(std::vector<bfloat16>{{0x3F80}, {0xFFC0}}).found_inf);
    CHECK(read(std::vector<float16>{{0x3C00}, {0x7C00}}).found_inf);
}

TEST_CASE("a NaN of any payload is found, in whole blocks and in what is left over") {
    for (const std::uint32_t payload :
         {0x7F800001u, 0x7FC00000u, 0x7FFF8000u, 0x7FFFFFFFu, 0xFF80FFFFu, 0xFFFFFFFFu})
        for (const std::size_t at : {0u, 17u, 127u, 200u, 255u, 256u, 299u}) {
            std::vector<float> grads(300, 1);
            grads[at] = from_bits(payload);
            CAPTURE(payload);
            CAPTURE(at);
            CHECK(std::isnan(read<float>(grads).norm()));
            CHECK(std::isnan(read<bfloat16>(grads).norm()));
        }
}

TEST_CASE("infinities that would cancel are found") {
    CHECK(read(std::vector<float>{inf, -inf, inf}).found_inf);
}

TEST_CASE("a norm is NaN where a gradient is, else infinite where one is, in any order of merging") {
    const auto whole = read(std::vector<float>{1}), infinite = read(std::vector<float>{-inf}),
               broken = read(std::vector<float>{not_a_number});
    const auto merged = [](grad_statistics a, const grad_statistics& b, const grad_statistics& c) {
        a.add(b);
        a.add(c);
        return a;
    };
    for (const grad_statistics& s :
         {infinite, merged(whole, infinite, whole), merged(infinite, whole, whole)}) {
        CHECK(s.found_inf);
        CHECK(s.norm() == std::numeric_limits<double>::infinity());
    }
    for (const grad_statistics& s : {broken, merged(whole, infinite, broken), merged(broken, infinite, whole),
                                     merged(infinite, broken, whole)}) {
        CHECK(s.found_inf);
        CHECK(std::isnan(s.norm()));
    }
    CHECK(std::isnan(read(std::vector<float>{inf, not_a_number}).norm()));
    CHECK(read(std::vector<float>{inf, -inf}, false).norm() == std::numeric_limits<double>::infinity());
}

TEST_CASE("a gradient that overflows as it is rounded to main_grads is found") {
    const std::vector<float> last{from_bits(0x7F7F7FFFu)}, first{from_bits(0x7F7F8000u)};
    CHECK(!read<bfloat16>(last).found_inf);
    CHECK(read<bfloat16>(first).found_inf);
    CHECK(!read<float>(first).found_inf);
}

TEST_CASE("the norm is that of the gradients as main_grads hold them") {
    const std::vector<float> ties(4, 0x1.01p0f);
    CHECK(read<bfloat16>(ties).norm() == 2);
    CHECK(read<float>(ties).norm() == 0x1.01p1);
    CHECK(read(std::vector<bfloat16>{{0x4040}, {0x4080}}).norm() == 5);
    CHECK(read(std::vector<float16>{{0x4200}, {0x4400}}).norm() == 5);
}

TEST_CASE("a tensor outside the norm adds nothing to it") {
    grad_statistics statistics = read(std::vector<float>{3, 4});
    const std::vector<float> router(500, 7);
    read_gradients<float>(router.data(), 0, 500, false, statistics);
    CHECK(statistics.norm() == 5);
    CHECK(!statistics.found_inf);
}

TEST_CASE("the clip coefficient is min(1, max_norm/(norm + 1e-6))") {
    // Report B17.
    const std::pair<double, double> table[]{{0.0, 1.0},
                                            {1e-6, 1.0},
                                            {0.5, 1.0},
                                            {0.999999, 1.0},
                                            {0.9999995, 0.99999950000025},
                                            {1.0, 0.9999990000010001},
                                            {1.0000001, 0.9999989000012101},
                                            {2.0, 0.499999750000125},
                                            {1e21, 1e-21}};
    for (const auto& [norm, coefficient] : table)
        CHECK(clip_coefficient(norm, 1) == doctest::Approx(coefficient).epsilon(1e-15).scale(0));
    CHECK(clip_coefficient(0.5, 1) == 1);
    CHECK(clip_coefficient(5, 10) == 1);
    CHECK(clip_coefficient(50, 10) == doctest::Approx(0.199999996000000080));
}

TEST_CASE("0, negative numbers and infinity switch clipping off") {
    for (const double max_norm : {0.0, -0.0, -1.0, std::numeric_limits<double>::infinity()})
        for (const double norm : {0.0, 1.0, 1e30}) CHECK(clip_coefficient(norm, max_norm) == 1);
}
