// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Philox4x32-10 against the known answers of Random123 and of the reference of the group codecs.
#include <cstdint>

#include <doctest/doctest.h>

#include <adamant/numerics/philox.hpp>

namespace {

using adamant::philox;
using words = adamant::philox_words;

constexpr std::uint64_t ones = 0xFFFFFFFFFFFFFFFF;

TEST_CASE("philox gives Random123's known answers, from a counter and key whose low word comes first") {
    static_assert(philox(0, 0, 0) == words{{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}});
    static_assert(philox(ones, ones, ones) == words{{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}});
    // Counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0: digits of pi, all words different.
    static_assert(philox(0x299F31D0A4093822, 0x85A308D3243F6A88, 0x0370734413198A2E) ==
                  words{{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}});
}

TEST_CASE("philox gives the words of seed 42, group 7, step 1") {
    static_assert(philox(42, 7, 1) == words{{0x4C78C45F, 0x5281C34E, 0x1A41A83B, 0xAED20EF5}});
}

TEST_CASE("philox at run time gives what it gives in constant expressions") {
    const volatile std::uint64_t seed = 42, group = 7, step = 1;
    CHECK(philox(seed, group, step) == words{{0x4C78C45F, 0x5281C34E, 0x1A41A83B, 0xAED20EF5}});
}

}  // namespace
