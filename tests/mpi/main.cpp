// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <adamant/mpi/communicator.hpp>

#include <doctest/doctest.h>

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    const int result = doctest::Context(argc, argv).run();
    MPI_Finalize();
    return result;
}
