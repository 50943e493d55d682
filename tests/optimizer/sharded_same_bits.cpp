// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The run of same_bits on ranks that are threads: parameters and state are those of the serial run, whose
//! digest every compiler gives.
#include "sharded_run.hpp"

#include <same_bits/run.hpp>
#include <train/thread_ranks.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

template <class Policy>
std::uint64_t serial() {
    return same_bits::digest_of<Policy>([](const auto& tensors, const auto& params) {
        return adam<Policy>(tensors, params, same_bits::hyper,
                            unjudged({.executor = serial_executor{}, .loss_scaler = same_bits::scaler}));
    });
}

//! The digest that every rank finds.
template <class Policy>
std::vector<std::uint64_t> on_ranks(int count, std::int64_t bucket_size) {
    std::vector<std::uint64_t> digests(static_cast<std::size_t>(count));
    thread_ranks::run(count, [&](thread_ranks::communicator ranks) {
        const auto rank = static_cast<std::size_t>(ranks.rank());
        digests[rank] = same_bits::digest_of<Policy>([&](const auto& tensors, const auto& params) {
            return sharded_run<Policy, thread_ranks::communicator>(tensors, params, same_bits::hyper,
                                                                   same_bits::scaler, ranks, bucket_size);
        });
    });
    return digests;
}

template <class Policy>
void check(std::type_identity<Policy>) {
    CAPTURE(Policy::describe());
    const std::uint64_t expected = serial<Policy>();
    for (const int ranks : {1, 2, 3, 4, 8})
        for (const std::int64_t bucket_size : {0, 600}) {
            CAPTURE(ranks);
            CAPTURE(bucket_size);
            for (const std::uint64_t digest : on_ranks<Policy>(ranks, bucket_size)) CHECK(digest == expected);
        }
}

}  // namespace

TEST_CASE("any number of ranks with equal gradients gives the digest of the serial run") {
    check(std::type_identity<presets::megatron_bf16>{});
    check(std::type_identity<policy<mode<fp16>, precision_aware, main_params<fp16>,
                                    grad_reduce_in_fp32<false>, exp_avg<fp16>, exp_avg_sq<fp16>>>{});
}
