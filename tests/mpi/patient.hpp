// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! All ranks of the program, with time for a machine that does other things.
#pragma once

#include <adamant/mpi/communicator.hpp>

inline adamant::mpi::communicator all_ranks(adamant::mpi::communicator_options options = {}) {
    options.patience = std::chrono::seconds(120);
    return adamant::mpi::communicator(MPI_COMM_WORLD, options);
}
