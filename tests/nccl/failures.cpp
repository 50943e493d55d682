// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Calls to NCCL that fail, as the emulated one is told to.
#include "world.hpp"

#include <thrown.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace adamant;

TEST_CASE("what fails is said with its call") {
    all_ranks w;
    CHECK(thrown<communication_error>([&] { nccl::communicator(nullptr, w.stream()); }).find("ncclComm_t") !=
          std::string::npos);
    CHECK_THROWS_AS(nccl::communicator(w.comm(), w.stream(), {std::chrono::milliseconds(-1)}), config_error);
    nccl::communicator ranks = w.ranks();
    const char byte = 0;
    const std::vector<outgoing> out{{ranks.size(), &byte, 1}};
    CHECK(thrown<communication_error>([&] {
              ranks.exchange(out, {});
          }).find("ncclSend returned 4, invalid argument") != std::string::npos);
    nccl::communicator hasty(w.comm(), w.stream(), {std::chrono::milliseconds(20)});
    w.comm()->is_stuck = true;
    auto request = hasty.exchange({}, {});
    CHECK(thrown<communication_error>([&] { hasty.wait(request); }).find("waited 20 ms") !=
          std::string::npos);
    w.comm()->is_stuck = false;
    w.comm()->async_error = ncclRemoteError;
    CHECK(thrown<communication_error>([&] {
              ranks.wait(request);
          }).find("an exchange returned 6, remote process") != std::string::npos);
}
