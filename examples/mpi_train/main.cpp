// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! fashion_mnist on several processes, each with a part of the optimizer's state:
//!
//!     mpirun -n 2 mpi_train [CONFIG.yaml] [the options of examples/run]
//!
//! With the two micro-batches of the single process on two ranks, the training curve is the same to the byte.
#include <chrono>
#include <cstdio>
#include <exception>

#include <adamant/mpi/communicator.hpp>

#include "train_on_ranks.hpp"

namespace {

//! The files of examples/configs that this program can be given: bf16.yaml and bf16_precision_aware.yaml.
using policies =
    adamant::catalogue<adamant::policy<adamant::mode<adamant::bf16>>, fashion_mnist::precision_aware>;

}  // namespace

//! 0: done. 1: a rank, a file or the configuration is not as it should be. 2: the command line.
int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    const int result = fashion_mnist::run_program(argc, argv, [](const fashion_mnist::command_line& line) {
        fashion_mnist::train_on_ranks<policies>(line, "mpi", [] {
            return adamant::mpi::communicator(MPI_COMM_WORLD, {.patience = std::chrono::minutes(1)});
        });
        return 0;
    });
    if (result != 0) MPI_Abort(MPI_COMM_WORLD, result);  // the other ranks do not wait
    MPI_Finalize();
    return 0;
}
