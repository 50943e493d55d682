// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! All ranks of the program, with NCCL and CUDA emulated, and a stream.
#pragma once

#include <adamant/nccl/communicator.hpp>

#include <doctest/doctest.h>

struct emulated_world {
    ncclComm comm{MPI_COMM_WORLD};
    cudaStream_t stream{};

    emulated_world() { REQUIRE(cudaStreamCreate(&stream) == cudaSuccess); }
    emulated_world(const emulated_world&) = delete;
    ~emulated_world() { static_cast<void>(cudaStreamDestroy(stream)); }
    template <class Ranks = adamant::nccl::communicator>
    Ranks ranks() {
        return Ranks(&comm, stream);
    }
};
