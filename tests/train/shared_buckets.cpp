// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Buckets over ranks that are threads: when they are reduced, and what may be written when.
#include "thread_ranks.hpp"

#include <thrown.hpp>

#include <adamant/train/shared_buckets.hpp>

#include <doctest/doctest.h>

#include <future>
#include <string>
#include <vector>

using namespace adamant;

namespace {

using ranks_type = thread_ranks::communicator;
using buckets_type = shared_buckets<float, ranks_type>;

const std::vector<std::int64_t> sizes{300, 0, 100, 5, 700};

buckets_type buckets_of(const ranks_type& ranks, std::int64_t bucket_size, reduction how = reduction::mean) {
    return {bucket_plan(sizes, ranks.size(), bucket_size), ranks.rank(), how,
            bucket_work<host_memory>(serial_executor{})};
}
void write(buckets_type& buckets, std::size_t tensor, float value) {
    std::ranges::fill(buckets[tensor], value);
}
//! Whether what the rank owns is this value, and padding zero.
bool owns(buckets_type& buckets, int rank, float value) {
    for (const tensor_piece& piece : buckets.plan().pieces(rank))
        for (std::int64_t i = piece.begin; i < piece.end; ++i)
            if (*buckets.at(piece.place + i - piece.begin) != value) return false;
    return true;
}

}  // namespace

TEST_CASE("every rank gets the mean of what it owns, or the sum") {
    for (const int count : {1, 2, 3, 8})
        for (const std::int64_t bucket_size : {0, 1, 400})
            thread_ranks::run(count, [&](ranks_type ranks) {
                for (const reduction how : {reduction::mean, reduction::sum}) {
                    buckets_type buckets = buckets_of(ranks, bucket_size, how);
                    for (int step = 0; step < 3; ++step) {
                        for (std::size_t t = 0; t < sizes.size(); ++t)
                            write(buckets, t, static_cast<float>(ranks.rank() + 1 + step));
                        buckets.finish(ranks);
                        const float sum =
                            static_cast<float>(count * (count + 1)) / 2 + static_cast<float>(step * count);
                        const float expected = how == reduction::sum ? sum : sum / static_cast<float>(count);
                        CHECK(owns(buckets, ranks.rank(), expected));
                        buckets.spend();
                    }
                }
            });
}

TEST_CASE("a bucket is reduced when its gradients are ready, while others are still written") {
    thread_ranks::run(2, [](ranks_type ranks) {
        buckets_type buckets = buckets_of(ranks, 700);
        REQUIRE(buckets.plan().buckets().size() == 2);
        for (std::size_t t = 0; t < sizes.size(); ++t) write(buckets, t, ranks.rank() == 0 ? 1.0f : 3.0f);
        const std::int64_t last = buckets.plan().shard_start(0, ranks.rank());
        buckets.mark_ready(ranks, 4);
        while (*buckets.at(last) != 2.0f) buckets.advance(ranks);  // what tensor 4 sums to
        CHECK(buckets[0][0] == (ranks.rank() == 0 ? 1.0f : 3.0f));
        write(buckets, 0, 5.0f);  // tensors of the other bucket are not ready
        write(buckets, 2, 5.0f);
        write(buckets, 3, 5.0f);
        buckets.finish(ranks);
        CHECK(*buckets.at(buckets.plan().place(3)) == 5.0f);
        CHECK(*buckets.at(last) == 2.0f);
    });
}

TEST_CASE("ranks may be ready in another order: buckets start in their own") {
    thread_ranks::run(3, [](ranks_type ranks) {
        buckets_type buckets = buckets_of(ranks, 1);
        for (std::size_t t = 0; t < sizes.size(); ++t) write(buckets, t, static_cast<float>(t + 1));
        for (std::size_t i = 0; i < sizes.size(); ++i)
            buckets.mark_ready(ranks, (i * 2 + static_cast<std::size_t>(ranks.rank())) % sizes.size());
        buckets.finish(ranks);
        for (const tensor_piece& piece : buckets.plan().pieces(ranks.rank()))
            CHECK(*buckets.at(piece.place) == static_cast<float>(piece.tensor + 1));
    });
}

TEST_CASE("micro-batches add up until a tensor is ready, and not onto what a step has taken") {
    thread_ranks::run(2, [](ranks_type ranks) {
        buckets_type buckets = buckets_of(ranks, 0);
        const std::vector<float> gradient(300, 1.5f);
        buckets.accumulate(0, std::span(gradient));
        buckets.accumulate(0, std::span(gradient));
        CHECK(buckets[0][299] == 3.0f);
        buckets.mark_ready(ranks, 0);
        CHECK(thrown<state_error>([&] { buckets.accumulate(0, std::span(gradient)); }).find("tensor 0") !=
              std::string::npos);
        CHECK(thrown<state_error>([&] { buckets.mark_ready(ranks, 0); }).find("tensor 0") !=
              std::string::npos);
        CHECK_THROWS_AS(buckets.accumulate(2, std::span(gradient)), shape_error);
        CHECK_THROWS_AS(buckets.accumulate(5, std::span(gradient)), shape_error);
        CHECK_THROWS_AS(buckets.mark_ready(ranks, 5), shape_error);
        buckets.mark_ready(ranks, 1);  // without elements
        buckets.finish(ranks);
        buckets.spend();
        CHECK(thrown<state_error>([&] { buckets.accumulate(0, std::span(gradient)); }).find("zero_grads") !=
              std::string::npos);
        buckets.zero();
        buckets.accumulate(0, std::span(gradient));
        CHECK(buckets[0][0] == 1.5f);
        buckets.finish(ranks);
    });
}

TEST_CASE("gradients on their way are not set to zero") {
    std::promise<void> tried;
    thread_ranks::run(2, [&](ranks_type ranks) {
        buckets_type buckets = buckets_of(ranks, 700);
        write(buckets, 4, 1);
        if (ranks.rank() == 0) {  // the other has not started: this one's message waits
            buckets.mark_ready(ranks, 4);
            CHECK_THROWS_AS(buckets.zero(), state_error);
            tried.set_value();
        } else {
            tried.get_future().wait();
        }
        buckets.finish(ranks);
        buckets.zero();
        CHECK(owns(buckets, ranks.rank(), 0));
    });
}

TEST_CASE("memory of arrivals: the other ranks' parts of the largest bucket, twice where there are two") {
    thread_ranks::run(2, [](ranks_type ranks) {
        CHECK(buckets_of(ranks, 0).gradient_bytes() == 4 * (384 + 128 + 128 + 768 + 128));
        CHECK(buckets_of(ranks, 0).transfer_bytes() == 4 * 1536 / 2);
        CHECK(buckets_of(ranks, 700).transfer_bytes() == 2 * 4 * 768 / 2);
    });
    thread_ranks::run(1, [](ranks_type ranks) { CHECK(buckets_of(ranks, 0).transfer_bytes() == 0); });
}
