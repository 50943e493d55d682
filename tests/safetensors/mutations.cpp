// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A few of the mutated files that tests/fuzz has by the million.
#include "scratch.hpp"

#include <fuzz/checkpoint_mutations.hpp>

#include <doctest/doctest.h>

TEST_CASE("mutated files are refused with nothing changed, or loaded") {
    const checkpoints::scratch folder;
    fuzz::checkpoint_subject subject(folder.folder());
    const fuzz::taken_files taken = fuzz::read_mutations(3000, subject);
    CHECK(taken.is_some_of(3000));
}
