// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Buckets and shards: the layout of resolution.md, and that ranks own every element once.
#include <adamant/train/bucket_plan.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace adamant;

namespace {

using sizes_type = std::vector<std::int64_t>;

//! Every element has one owner, and every piece starts where groups and blocks of the norm do.
void check_owners(const sizes_type& sizes, int ranks, std::int64_t bucket_size) {
    CAPTURE(ranks);
    CAPTURE(bucket_size);
    const bucket_plan plan(sizes, ranks, bucket_size);
    std::vector<std::vector<int>> owners;
    for (const std::int64_t size : sizes) owners.emplace_back(static_cast<std::size_t>(size));
    std::vector<int> places(static_cast<std::size_t>(plan.size()));
    bool is_aligned = true;
    for (int rank = 0; rank < ranks; ++rank)
        for (const tensor_piece& piece : plan.pieces(rank)) {
            is_aligned = is_aligned && piece.begin % 128 == 0 && piece.place % 128 == 0 &&
                         piece.begin < piece.end && piece.place == plan.place(piece.tensor) + piece.begin;
            const std::size_t b = plan.bucket_of(piece.tensor);
            CHECK(piece.place >= plan.shard_start(b, rank));
            CHECK(piece.place + piece.end - piece.begin <= plan.shard_start(b, rank) + plan.shard_size(b));
            for (std::int64_t i = piece.begin; i < piece.end; ++i) {
                ++owners[piece.tensor][static_cast<std::size_t>(i)];
                ++places[static_cast<std::size_t>(piece.place + i - piece.begin)];
            }
        }
    CHECK(is_aligned);
    for (const auto& tensor : owners) CHECK(std::ranges::count(tensor, 1) == std::ssize(tensor));
    CHECK(std::ranges::count_if(places, [](int n) { return n > 1; }) == 0);
    for (std::size_t b = 0; b < plan.buckets().size(); ++b) CHECK(plan.shard_size(b) % 128 == 0);
}

}  // namespace

TEST_CASE("tensors lie in reverse order at multiples of 128, buckets end at multiples of 128 ranks") {
    const bucket_plan plan(sizes_type{130, 0, 1, 128}, 2, 256);
    REQUIRE(plan.buckets().size() == 2);
    CHECK(plan.place(3) == 0);
    CHECK(plan.place(2) == 128);
    CHECK(plan.buckets()[0].size == 256);  // closed when it has reached bucket_size
    CHECK(plan.buckets()[0].tensors == 2);
    CHECK(plan.place(0) == 256);
    CHECK(plan.buckets()[1].start == 256);
    CHECK(plan.buckets()[1].size == 256);
    CHECK(plan.buckets()[1].tensors == 1);
    CHECK(plan.bucket_of(0) == 1);
    CHECK(plan.size() == 512);
    CHECK(plan.flat_start(3) == 256 + 128);  // list order, whatever the buckets
    const bucket_plan padded(sizes_type{130}, 3);
    CHECK(padded.size() == 384);
    CHECK(padded.pieces(0).size() == 1);
    CHECK(padded.pieces(1)[0].end - padded.pieces(1)[0].begin == 2);
    CHECK(padded.pieces(2).empty());
}

TEST_CASE(
    "without a size buckets have Megatron-Core's: 40 million elements, or a million for each of many ranks") {
    const sizes_type sizes(6, 10'000'000);
    CHECK(bucket_plan(sizes, 4).buckets().size() == 2);
    CHECK(bucket_plan(sizes, 4).buckets()[0].tensors == 4);
    CHECK(bucket_plan(sizes, 55).buckets()[0].tensors == 6);
    CHECK(bucket_plan(sizes, 4, 1).buckets().size() == 6);
}

TEST_CASE("every element has one owner, for any sizes and number of ranks") {
    for (const int ranks : {1, 2, 3, 5, 8, 31})
        for (const std::int64_t bucket_size : {0, 1, 128, 600, 3000}) {
            check_owners({1073, 65, 1, 257, 0, 3, 127, 129, 31, 33, 5, 511, 63, 95, 7, 255}, ranks,
                         bucket_size);
            check_owners({0, 0, 5000, 0}, ranks, bucket_size);
            check_owners({1}, ranks, bucket_size);
            check_owners({0, 0}, ranks, bucket_size);
            check_owners({}, ranks, bucket_size);
        }
}

TEST_CASE("what is no plan is refused") {
    CHECK_THROWS_AS(bucket_plan(sizes_type{1}, 2, -1), config_error);
    CHECK_THROWS_AS(bucket_plan(sizes_type{-1}, 2), shape_error);
    CHECK_THROWS_AS(bucket_plan(sizes_type{std::int64_t{3} << 61}, 2), shape_error);
}
