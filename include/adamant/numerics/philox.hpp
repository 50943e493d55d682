// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Philox4x32-10, the counter-based generator of Salmon et al., "Parallel Random Numbers: As Easy as
//! 1, 2, 3" (SC11): 128 random bits from a counter and a key, with no state.
#pragma once

#include <cstddef>
#include <cstdint>

#include <adamant/base/config.hpp>

namespace adamant::inline v0 {

//! Four random words.
struct philox_words {
    std::uint32_t word[4];

    ADAMANT_HOST_DEVICE constexpr std::uint32_t operator[](std::size_t i) const { return word[i]; }
    friend constexpr bool operator==(const philox_words&, const philox_words&) = default;
};

//! Philox4x32-10's numbers: of its multiplications, of its key's growth, of rounds.
struct philox_numbers {
    static constexpr std::uint32_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
    static constexpr std::uint32_t key_growth0 = 0x9E3779B9, key_growth1 = 0xBB67AE85;
    static constexpr int rounds = 10;
};

//! Counter: (index, step), key: seed, each 64 bits, low word first.
ADAMANT_HOST_DEVICE constexpr philox_words philox(std::uint64_t seed, std::uint64_t index,
                                                  std::uint64_t step) {
    using n = philox_numbers;
    philox_words c{{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                    static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)}};
    std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < n::rounds; ++round) {
        const std::uint64_t a = std::uint64_t{n::multiplier0} * c[0];
        const std::uint64_t b = std::uint64_t{n::multiplier1} * c[2];
        c = {{static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
              static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)}};
        k0 += n::key_growth0;
        k1 += n::key_growth1;
    }
    return c;
}

}  // namespace adamant::inline v0
