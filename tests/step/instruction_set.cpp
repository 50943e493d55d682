// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include <adamant/step/simd/instruction_set.hpp>

#include <doctest/doctest.h>

using namespace adamant;

TEST_CASE("without a wish the best instruction set is chosen, else the one that is named") {
    using enum instruction_set;
    CHECK(chosen_instruction_set(nullptr, avx2) == avx2);
    CHECK(chosen_instruction_set("", avx512) == avx512);
    CHECK(chosen_instruction_set("generic", avx512) == generic);
    CHECK(chosen_instruction_set("avx2", avx512) == avx2);
    CHECK(chosen_instruction_set("avx512", avx512) == avx512);
}

TEST_CASE("a word that is none of the machine's is refused with those that are") {
    CHECK_THROWS_WITH_AS(chosen_instruction_set("avx512", instruction_set::avx2),
                         "[adamant] ADAMANT_SIMD is one that this machine has (generic, avx2): got 'avx512'.",
                         config_error);
    CHECK_THROWS_WITH_AS(chosen_instruction_set("AVX2", instruction_set::generic),
                         "[adamant] ADAMANT_SIMD is one that this machine has (generic): got 'AVX2'.",
                         config_error);
}

TEST_CASE("the best one is among those in use on this machine") {
    CHECK(active_instruction_set() <= best_instruction_set());
}
