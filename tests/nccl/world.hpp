// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! All ranks of the program, with a stream each that waits for no other. NCCL and CUDA are emulated, or real
//! with ADAMANT_REAL_NCCL, where every rank has a GPU of its own.
#pragma once

#include <adamant/nccl/communicator.hpp>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <doctest/doctest.h>

#if defined(ADAMANT_REAL_NCCL)
inline ncclComm_t make_comm() {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ncclUniqueId id{};
    if (rank == 0) adamant::nccl::check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclComm_t comm = nullptr;
    adamant::nccl::check(ncclCommInitRank(&comm, ranks, id, rank), "ncclCommInitRank");
    return comm;
}
#else
inline ncclComm_t make_comm() { return new ncclComm{MPI_COMM_WORLD}; }
inline void ncclCommDestroy(ncclComm_t comm) { delete comm; }
#endif

class all_ranks {
public:
    all_ranks() { REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess); }
    all_ranks(const all_ranks&) = delete;
    ~all_ranks() {
        ncclCommDestroy(comm_);
        static_cast<void>(cudaStreamDestroy(stream_));
    }

    ncclComm_t comm() const { return comm_; }
    cudaStream_t stream() const { return stream_; }
    template <class Ranks = adamant::nccl::communicator>
    Ranks ranks() const {
        return Ranks(comm_, stream_);
    }

private:
    ncclComm_t comm_ = make_comm();
    cudaStream_t stream_{};
};
