// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! nccl::communicator with NCCL and CUDA emulated: what it asks of them, with memory of the host and of the
//! device.
#include <adamant/nccl/communicator.hpp>

#include <optimizer/sharded_run.hpp>
#include <same_bits/run.hpp>
#include <thrown.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

using namespace adamant;

namespace {

//! All ranks of the program, and a stream.
struct world {
    ncclComm comm{MPI_COMM_WORLD};
    cudaStream_t stream{};

    world() { REQUIRE(cudaStreamCreate(&stream) == cudaSuccess); }
    ~world() { static_cast<void>(cudaStreamDestroy(stream)); }
    nccl::communicator ranks() { return nccl::communicator(&comm, stream); }
};

}  // namespace

static_assert(communicator<nccl::communicator>);

TEST_CASE("memory of the host and of the device goes from rank to rank") {
    world w;
    nccl::communicator ranks = w.ranks();
    constexpr std::size_t count = 1000;
    for (const bool on_device : {false, true}) {
        CAPTURE(on_device);
        std::vector<std::vector<int>> sent, received;
        std::vector<outgoing> out;
        std::vector<incoming> in;
        std::vector<void*> blocks;
        const auto memory = [&](std::vector<int>& host) -> void* {
            if (!on_device) return host.data();
            void* block = nullptr;
            REQUIRE(cudaMalloc(&block, 4 * count) == cudaSuccess);
            REQUIRE(cudaMemcpy(block, host.data(), 4 * count, cudaMemcpyHostToDevice) == cudaSuccess);
            blocks.push_back(block);
            return block;
        };
        const auto peers = static_cast<std::size_t>(ranks.size());
        sent.resize(peers, std::vector<int>(count));
        received.resize(peers, std::vector<int>(count));
        for (int rank = 0; rank < ranks.size(); ++rank) {
            if (rank == ranks.rank()) continue;
            const auto r = static_cast<std::size_t>(rank);
            std::iota(sent[r].begin(), sent[r].end(), 1000 * ranks.rank() + rank);
            out.push_back({rank, memory(sent[r]), 4 * count});
            in.push_back({rank, memory(received[r]), 4 * count});
        }
        auto request = ranks.exchange(out, in);
        ranks.wait(request);
        CHECK(ranks.test(request));
        for (const incoming& i : in) {
            auto& got = received[static_cast<std::size_t>(i.rank)];
            if (on_device)
                REQUIRE(cudaMemcpy(got.data(), i.data, 4 * count, cudaMemcpyDeviceToHost) == cudaSuccess);
            std::vector<int> expected(count);
            std::iota(expected.begin(), expected.end(), 1000 * i.rank + ranks.rank());
            CHECK(got == expected);
        }
        for (void* block : blocks) CHECK(cudaFree(block) == cudaSuccess);
    }
}

TEST_CASE("a sharded run over it has the digest of the serial run") {
    using policy_type = presets::lean_bf16;
    const std::uint64_t serial = same_bits::digest_of<policy_type>([](const auto& tensors,
                                                                      const auto& params) {
        return adam<policy_type>(tensors, params, same_bits::hyper,
                                 unjudged({.executor = serial_executor{}, .loss_scaler = same_bits::scaler}));
    });
    world w;
    for (const std::int64_t bucket_size : {0, 600})
        CHECK(serial == same_bits::digest_of<policy_type>([&](const auto& tensors, const auto& params) {
                  return sharded_run<policy_type, nccl::communicator>(
                      tensors, params, same_bits::hyper, same_bits::scaler, w.ranks(), bucket_size);
              }));
}

TEST_CASE("what fails is said with its call") {
    world w;
    CHECK(thrown<communication_error>([&] { nccl::communicator(nullptr, w.stream); }).find("ncclComm_t") !=
          std::string::npos);
    CHECK_THROWS_AS(nccl::communicator(&w.comm, w.stream, {std::chrono::milliseconds(-1)}), config_error);
    nccl::communicator ranks = w.ranks();
    const char byte = 0;
    const std::vector<outgoing> out{{ranks.size(), &byte, 1}};
    CHECK(thrown<communication_error>([&] {
              ranks.exchange(out, {});
          }).find("ncclSend returned 4, invalid argument") != std::string::npos);
    nccl::communicator hasty(&w.comm, w.stream, {std::chrono::milliseconds(20)});
    w.comm.is_stuck = true;
    auto request = hasty.exchange({}, {});
    CHECK(thrown<communication_error>([&] { hasty.wait(request); }).find("waited 20 ms") !=
          std::string::npos);
    w.comm.is_stuck = false;
    w.comm.async_error = ncclRemoteError;
    CHECK(thrown<communication_error>([&] {
              ranks.wait(request);
          }).find("an exchange returned 6, remote process") != std::string::npos);
}
