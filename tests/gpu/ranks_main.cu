// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! doctest's main for ranks of MPI with a device each; skipped, 77, where there are fewer devices than ranks.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cuda_runtime.h>
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    int provided = 0, rank = 0, ranks = 1, devices = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int result = 77;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < ranks) {
        std::printf("%d CUDA devices for %d ranks: skipped\n", devices, ranks);
    } else {
        static_cast<void>(cudaSetDevice(rank));
        result = doctest::Context(argc, argv).run();
    }
    MPI_Finalize();
    return result;
}
