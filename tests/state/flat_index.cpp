// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! flat_index: starts, padding and its limits.
#include <adamant/state/flat_index.hpp>

#include <doctest/doctest.h>

#include <string>

using adamant::flat_index;

namespace {

flat_index index_of(std::vector<std::int64_t> sizes) { return flat_index(sizes); }
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("tensors start at the next multiple of 128, in list order") {
    const flat_index index = index_of({1, 128, 129, 0, 127, 300});
    const std::vector<std::int64_t> starts{0, 128, 256, 512, 512, 640};
    for (std::size_t i = 0; i < starts.size(); ++i) CHECK(index.start(i) == starts[i]);
    CHECK(index.size() == 1024);
}

TEST_CASE("an empty list and empty tensors take no room") {
    CHECK(flat_index().size() == 0);
    CHECK(index_of({}).size() == 0);
    const flat_index index = index_of({0, 0, 5, 0});
    CHECK(index.start(2) == 0);
    CHECK(index.start(3) == 128);
    CHECK(index.size() == 128);
}

TEST_CASE("offsets are 64 bits wide") {
    const std::int64_t size = (std::int64_t{1} << 40) + 1;
    const flat_index index = index_of({size, size, 1});
    CHECK(index.start(1) == 1099511627904);
    CHECK(index.start(2) == 2199023255808);
    CHECK(index.size() == 2199023255936);
}

TEST_CASE("a negative size is a shape_error that names the tensor and the size") {
    CHECK_THROWS_AS(index_of({-1}), adamant::shape_error);
    CHECK_THROWS_WITH(index_of({7, -5}), doctest::Contains("tensor 1 has -5"));
    CHECK_THROWS_AS(index_of({std::numeric_limits<std::int64_t>::min()}), adamant::shape_error);
}

TEST_CASE("a sum that passes 2^63 is a shape_error, the last multiple of 128 below it is not") {
    CHECK(index_of({largest - 128}).size() == largest - 127);
    CHECK_THROWS_AS(index_of({largest - 127}), adamant::shape_error);
    CHECK_THROWS_AS(index_of({largest}), adamant::shape_error);
    CHECK_THROWS_AS(index_of({largest / 2 + 1, largest / 2 + 1}), adamant::shape_error);
    CHECK_THROWS_AS(index_of({largest - 128, 1}), adamant::shape_error);
}
