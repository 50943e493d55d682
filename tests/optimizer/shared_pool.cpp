// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Optimizers that step at the same time on one pool. ThreadSanitizer runs this too.
#include "model.hpp"

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

#include <thread>

using namespace adamant;

namespace {

using policy_type = presets::lean_bf16;

std::uint64_t digest_with(const executor& runner) {
    model<policy_type> m({.clip_grad = 0.01}, {.executor = runner}, 20000);
    for (std::uint64_t i = 0; i < 10; ++i) m.step_with_new_grads(i % 3);
    return m.digest();
}

}  // namespace

TEST_CASE("two optimizers may share a pool, at the same time") {
    const std::uint64_t serial = digest_with(serial_executor{});
    for (const executor& pool : {executor(thread_pool(3)), executor()}) {
        std::uint64_t other = 0;
        std::thread beside([&] { other = digest_with(pool); });
        CHECK(digest_with(pool) == serial);
        beside.join();
        CHECK(other == serial);
    }
}
