// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Prints the digest of the run for every policy. It does not depend on compiler, flags or machine;
//! expected.txt holds it.
#include "run.hpp"

#include <unjudged.hpp>

#include <cstdio>

int main() {
    same_bits::for_each_policy([]<class Policy>(std::type_identity<Policy>) {
        const std::uint64_t digest =
            same_bits::digest_of<Policy>([](const auto& tensors, const auto& params) {
                return adamant::adam<Policy>(tensors, params, same_bits::hyper,
                                             unjudged({.loss_scaler = same_bits::scaler}));
            });
        std::printf("%016llx %s\n", static_cast<unsigned long long>(digest), Policy::describe().c_str());
    });
    return 0;
}
