// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! mpi_train with NCCL between the GPUs of the ranks; MPI only tells them of each other:
//!
//!     mpirun -n 2 nccl_train [CONFIG.yaml] [the options of examples/run]
//!
//! Network, gradients and state are on the host here, as in mpi_train: what is shown is how an NCCL
//! communicator is made and handed over. Not yet run on GPUs.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include <adamant/nccl/communicator.hpp>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "../mpi_train/train_on_ranks.hpp"

namespace {

namespace nccl = adamant::nccl;

//! The GPU of this rank, with a stream and a communicator of all ranks.
class gpu {
public:
    gpu(int rank, int ranks, int devices) {
        nccl::check(cudaSetDevice(rank % devices), "cudaSetDevice");
        nccl::check(cudaStreamCreate(&stream_), "cudaStreamCreate");
        ncclUniqueId id{};
        if (rank == 0) nccl::check(ncclGetUniqueId(&id), "ncclGetUniqueId");
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
        nccl::check(ncclCommInitRank(&comm_, ranks, id, rank), "ncclCommInitRank");
    }
    gpu(const gpu&) = delete;
    gpu& operator=(const gpu&) = delete;
    ~gpu() {
        if (std::uncaught_exceptions() > 0) ncclCommAbort(comm_);
        else ncclCommDestroy(comm_);
        cudaStreamDestroy(stream_);
    }

    nccl::communicator ranks() const { return nccl::communicator(comm_, stream_, {std::chrono::minutes(1)}); }

private:
    cudaStream_t stream_ = nullptr;
    ncclComm_t comm_ = nullptr;
};

}  // namespace

//! 0: done. 1: a rank, a file or the configuration is not as it should be. 2: the command line. 77: there is
//! no GPU.
int main(int argc, char** argv) {
    int rank = 0, ranks = 1, devices = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int result = fashion_mnist::run_program(argc, argv, [&](const fashion_mnist::command_line& line) {
        const cudaError_t found = cudaGetDeviceCount(&devices);
        if (found != cudaSuccess || devices == 0) {
            std::fprintf(stderr, "no GPU: %s\n", cudaGetErrorString(found));
            return 77;
        }
        const gpu device(rank, ranks, devices);
        fashion_mnist::train_on_ranks<adamant::catalogue<fashion_mnist::precision_aware>>(
            line, "nccl", [&] { return device.ranks(); });
        return 0;
    });
    if (result == 1 || result == 2) MPI_Abort(MPI_COMM_WORLD, result);  // the other ranks do not wait
    MPI_Finalize();
    return result;
}
