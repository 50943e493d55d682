// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The run of same_bits in pieces: 1, 2, 3 and 7 chunks in any order and shards at any multiple of 128 give
//! the digest of the serial run, which is the one that every compiler gives.
#include "cut_adam.hpp"

#include <same_bits/expected.hpp>
#include <same_bits/run.hpp>
#include <step/runners.hpp>
#include <unjudged.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace adamant;

std::int64_t flat_size() {
    return flat_index(std::vector<std::int64_t>(same_bits::sizes.begin(), same_bits::sizes.end())).size();
}

//! The borders of `count` parts of about one size.
std::vector<std::int64_t> borders(std::int64_t count) {
    const std::int64_t blocks = flat_size() / 128;
    std::vector<std::int64_t> result;
    for (std::int64_t i = 1; i < count; ++i) result.push_back(blocks * i / count * 128);
    return result;
}

template <class Policy>
std::uint64_t whole(const executor& runner = {}) {
    return same_bits::digest_of<Policy>([&](const auto& tensors, const auto& params) {
        return adam<Policy>(tensors, params, same_bits::hyper,
                            unjudged({.executor = runner, .loss_scaler = same_bits::scaler}));
    });
}
template <class Policy>
std::uint64_t in_pieces(const cut& how) {
    return same_bits::digest_of<Policy>([&](const auto& tensors, const auto& params) {
        return cut_adam<Policy>(tensors, params, same_bits::hyper, same_bits::scaler, how);
    });
}

template <class F>
void for_each_policy(F f) {
    const auto captured = [&]<class Policy>(std::type_identity<Policy> type) {
        CAPTURE(Policy::describe());
        f(type);
    };
#if defined(ADAMANT_EVERY_POLICY)
    same_bits::for_each_policy(captured);
#else
    same_bits::for_each_policy(narrow_catalogue{}, captured);
#endif
}

}  // namespace

TEST_CASE("the serial run of every policy has its digest of expected.txt, and threads do not change it") {
    const auto digests = same_bits::expected();
    std::size_t policies = 0;
    for_each_policy([&]<class Policy>(std::type_identity<Policy>) {
        ++policies;
        REQUIRE(digests.contains(Policy::describe()));
        CHECK(whole<Policy>() == digests.at(Policy::describe()));
        CHECK(whole<Policy>(runners::threaded{3}) == digests.at(Policy::describe()));
    });
#if defined(ADAMANT_EVERY_POLICY)
    CHECK(policies == 33);
    CHECK(digests.size() == policies);
#else
    CHECK(policies == 7);
#endif
}

TEST_CASE("1, 2, 3 and 7 chunks, in list order and shuffled, give the digest of the serial run") {
    for_each_policy([]<class Policy>(std::type_identity<Policy>) {
        const std::uint64_t serial = whole<Policy>();
        for (const std::int64_t chunks : {1, 2, 3, 7})
            for (std::uint64_t order = 0; order < 3; ++order) {
                CAPTURE(chunks);
                CAPTURE(order);
                CHECK(in_pieces<Policy>({{}, borders(chunks), order}) == serial);
            }
    });
}

TEST_CASE(
    "shards of 2, 3 and 7 and of every 128 elements, cut into chunks, give the digest of the serial run") {
    REQUIRE(flat_size() / 128 == 40);
    for_each_policy([]<class Policy>(std::type_identity<Policy>) {
        const std::uint64_t serial = whole<Policy>();
        for (const std::int64_t shards : {2, 3, 7, 40}) {
            CAPTURE(shards);
            CHECK(in_pieces<Policy>({borders(shards), borders(5), 3}) == serial);
        }
    });
}

TEST_CASE("two shards with their border at any multiple of 128 give the digest of the serial run") {
    const auto check = []<class Policy>(std::type_identity<Policy>) {
        CAPTURE(Policy::describe());
        const std::uint64_t serial = whole<Policy>();
        for (std::int64_t border = 128; border < flat_size(); border += 128) {
            CAPTURE(border);
            CHECK(in_pieces<Policy>({{border}, {}, 1}) == serial);
        }
    };
    same_bits::for_each_policy(narrow_catalogue{}, check);
}

TEST_CASE("a shard that starts elsewhere in its noise or its groups would be seen") {
    // The same pieces with another seed, or cut where groups and blocks are not whole.
    using policy_type = remainder8_fp8;
    const auto with_seed = [](std::uint64_t seed) {
        return same_bits::digest_of<policy_type>([&](const auto& tensors, const auto& params) {
            hyperparameters hyper = same_bits::hyper;
            hyper.seed = seed;
            return cut_adam<policy_type>(tensors, params, hyper, same_bits::scaler, {});
        });
    };
    CHECK(with_seed(same_bits::hyper.seed) == whole<policy_type>());
    CHECK(with_seed(1) != whole<policy_type>());
    CHECK(in_pieces<policy_type>({{}, {128 * 4 + 16}, 0}) != whole<policy_type>());
}
