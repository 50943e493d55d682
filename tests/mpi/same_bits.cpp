// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The run of same_bits on MPI's ranks: every one finds the digest of the serial run.
#include "patient.hpp"

#include <optimizer/sharded_run.hpp>
#include <same_bits/run.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

template <class Policy>
void check(std::type_identity<Policy>) {
    CAPTURE(Policy::describe());
    const std::uint64_t serial = same_bits::digest_of<Policy>([](const auto& tensors, const auto& params) {
        return adam<Policy>(tensors, params, same_bits::hyper,
                            unjudged({.executor = serial_executor{}, .loss_scaler = same_bits::scaler}));
    });
    for (const std::int64_t bucket_size : {0, 600}) {
        CAPTURE(bucket_size);
        CHECK(serial == same_bits::digest_of<Policy>([&](const auto& tensors, const auto& params) {
                  return sharded_run<Policy, mpi::communicator>(tensors, params, same_bits::hyper,
                                                                same_bits::scaler, all_ranks(), bucket_size);
              }));
    }
}

}  // namespace

#if defined(ADAMANT_EVERY_POLICY)
TEST_CASE("every policy has the digest of the serial run") {
    same_bits::for_each_policy([](auto policy) { check(policy); });
}
#else
TEST_CASE("a policy with a bf16 bucket and one with an fp32 bucket have the digest of the serial run") {
    check(std::type_identity<remainder8_fp8>{});
    check(std::type_identity<remainder16_fp8>{});
}
#endif
