// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The sum over ranks: rounded once, against a rounding written another way; equal gradients stay what they
//! are.
#include "inputs.hpp"
#include "rounded_double.hpp"

#include <adamant/numerics/float_bits.hpp>
#include <adamant/train/rank_sum.hpp>

#include <doctest/doctest.h>

#include <each_dtype.hpp>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

using namespace adamant;
using adamant_test::for_each_dtype;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
bool is_same(T a, T b) {
    const float x = to_float(a), y = to_float(b);
    return std::isnan(x) ? std::isnan(y) : to_bits(x) == to_bits(y);
}

//! Every value of 16 bits, a part of those of 32.
template <class T>
std::vector<T> all_values(std::uint32_t stride) {
    std::vector<T> values;
    if constexpr (std::is_same_v<T, float>)
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += stride)
            values.push_back(from_bits(static_cast<std::uint32_t>(bits)));
    else
        for (std::uint32_t bits = 0; bits < 65536; ++bits)
            values.push_back({static_cast<std::uint16_t>(bits)});
    return values;
}

template <class T>
std::vector<T> sum_of(const std::vector<std::vector<T>>& ranks, reduction how) {
    std::vector<const T*> sources;
    for (const auto& values : ranks) sources.push_back(values.data());
    std::vector<T> result(ranks[0].size());
    sum_ranks<T>(sources, 0, static_cast<std::int64_t>(result.size()), how, result.data());
    return result;
}

template <class T>
T rounded_once(double value) {
    T result{};
    detail::round_block(&value, 1, &result);
    return result;
}

template <class T>
std::int64_t changed_by_a_mean_of_equals(const std::vector<T>& values, std::size_t ranks) {
    const auto mean = sum_of(std::vector(ranks, values), reduction::mean);
    std::int64_t changed = 0;
    for (std::size_t i = 0; i < values.size(); ++i) changed += !is_same(mean[i], values[i]);
    return changed;
}

}  // namespace

TEST_CASE("the mean of equal gradients is the gradient, for 1 to 8 ranks and for 1000") {
    for_each_dtype([]<class T>(std::type_identity<T>) {
        const auto values = all_values<T>(65521);
        for (const std::size_t ranks : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 1000u}) {
            CAPTURE(ranks);
            CHECK(changed_by_a_mean_of_equals(values, ranks) == 0);
        }
    });
}

TEST_CASE("a sum in fp32 would change it") {
    const auto values = all_values<float>(65521);
    std::int64_t changed = 0;
    for (const float value : values) {
        float sum = 0;
        for (int rank = 0; rank < 7; ++rank) sum += value;
        changed += !is_same(sum / 7, value);
    }
    CHECK(changed > 1000);
}

TEST_CASE("sum and mean of any gradients are rounded once") {
    for_each_dtype([]<class T>(std::type_identity<T>) {
        for (const std::size_t ranks : {2u, 3u, 5u, 8u})
            for (const reduction how : {reduction::mean, reduction::sum}) {
                std::vector<std::vector<T>> gradients(ranks);
                for (std::size_t r = 0; r < ranks; ++r)
                    for (const float value : inputs::spread(1001, 10 + r, 1e3))
                        gradients[r].push_back(round_to<T>(value));
                const auto result = sum_of(gradients, how);
                std::int64_t wrong = 0;
                for (std::size_t i = 0; i < result.size(); ++i) {
                    double sum = to_float(gradients[0][i]);
                    for (std::size_t r = 1; r < ranks; ++r) sum += to_float(gradients[r][i]);
                    if (how == reduction::mean) sum /= static_cast<double>(ranks);
                    wrong += !is_same(result[i], rounded_double<T>(sum));
                }
                CHECK(wrong == 0);
            }
    });
}

TEST_CASE("a double is rounded once to 16 bits: ties, their neighbours, subnormals and both ends") {
    const auto check = []<class T>(std::type_identity<T>) {
        std::int64_t wrong = 0;
        const auto values = all_values<T>(1);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = to_float(values[i]);
            if (!std::isfinite(value)) continue;
            const double next = i + 1 < values.size() ? double{to_float(values[i + 1])} : infinity;
            const double half = std::isfinite(next) ? (value + next) / 2 : value * (1 + 0x1p-12);
            for (const double x :
                 {value, half, std::nextafter(half, infinity), std::nextafter(half, -infinity),
                  std::nextafter(value, infinity), std::nextafter(value, -infinity), half * (1 + 0x1p-30),
                  half * (1 - 0x1p-30)})
                wrong += !is_same(rounded_once<T>(x), rounded_double<T>(x));
        }
        for (const double x : {0.0, -0.0, 1e300, -1e300, 1e-300, -1e-300, infinity, -infinity})
            wrong += !is_same(rounded_once<T>(x), rounded_double<T>(x));
        CHECK(wrong == 0);
        CHECK(std::isnan(to_float(rounded_once<T>(std::numeric_limits<double>::quiet_NaN()))));
    };
    check(std::type_identity<bfloat16>{});
    check(std::type_identity<float16>{});
}

TEST_CASE("not a number on one rank, and infinities, are seen in the sum") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const auto sum = sum_of<float>({{1, 1, inf}, {nan, inf, -inf}}, reduction::mean);
    CHECK(std::isnan(sum[0]));
    CHECK(std::isinf(sum[1]));
    CHECK(std::isnan(sum[2]));
}

TEST_CASE("vectors give the bits of scalars") {
    for_each_dtype([]<class T>(std::type_identity<T>) {
        std::vector<std::vector<T>> gradients;
        const auto values = all_values<T>(65521);
        for (std::size_t r = 0; r < 3; ++r) {
            gradients.emplace_back();
            for (std::size_t i = 0; i < values.size(); ++i)
                gradients[r].push_back(values[(i + r * i * i) % values.size()]);
        }
        std::vector<const T*> sources;
        for (const auto& of_rank : gradients) sources.push_back(of_rank.data());
        const auto size = static_cast<std::int64_t>(values.size());
        std::vector<T> scalar(values.size());
        for (std::int64_t i = 0; i < size; ++i)
            detail::sum_block<T>(sources, i, 1, {3, reduction::mean}, scalar.data());
        const auto vectors = sum_of(gradients, reduction::mean);
        std::int64_t wrong = 0;
        for (std::size_t i = 0; i < values.size(); ++i) wrong += !is_same(vectors[i], scalar[i]);
        CHECK(wrong == 0);
        // As a GPU does it: an element at a time, rounded by itself.
        const rank_scale scale(3, reduction::mean);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double sum = double{to_float(gradients[0][i])} + double{to_float(gradients[1][i])} +
                               double{to_float(gradients[2][i])};
            wrong += !is_same(vectors[i], detail::round_once<T>(scale(sum)));
        }
        CHECK(wrong == 0);
    });
}

TEST_CASE("the result may lie in one of the summands, and only its part is written") {
    std::vector<float> a{1, 2, 3, 4}, b{5, 6, 7, 8};
    const std::vector<const float*> sources{a.data(), b.data()};
    sum_ranks<float>(sources, 1, 3, reduction::mean, b.data());
    CHECK(b == std::vector<float>{5, 4, 5, 8});
    CHECK(a == std::vector<float>{1, 2, 3, 4});
}

TEST_SUITE("exhaustive") {
    TEST_CASE("the mean of equal gradients: every float, 2 to 8 ranks") {
        constexpr std::uint32_t count = 1 << 16;
        std::vector<float> values(count), mean(count);
        for (std::size_t ranks = 2; ranks <= 8; ++ranks) {
            const std::vector<const float*> sources(ranks, values.data());
            std::uint64_t changed = 0;
            for (std::uint64_t base = 0; base < std::uint64_t{1} << 32; base += count) {
                for (std::uint32_t i = 0; i < count; ++i)
                    values[i] = from_bits(static_cast<std::uint32_t>(base) + i);
                sum_ranks<float>(sources, 0, count, reduction::mean, mean.data());
                for (std::uint32_t i = 0; i < count; ++i)
                    changed += to_bits(mean[i]) != to_bits(values[i]) && values[i] == values[i];
            }
            CAPTURE(ranks);
            CHECK(changed == 0);
        }
    }
}
