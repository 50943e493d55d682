// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Random numbers of one mutation, the same everywhere.
#pragma once

#include <cstdint>

#include <adamant/numerics/philox.hpp>

namespace fuzz {

class dice {
public:
    explicit dice(std::uint64_t number) : number_(number) {}
    std::size_t below(std::size_t limit) {
        if (next_ == 4) words_ = adamant::philox(1, number_, ++draws_), next_ = 0;
        return limit == 0 ? 0 : words_[next_++] % limit;
    }

private:
    std::uint64_t number_, draws_ = 0;
    adamant::philox_words words_{};
    std::size_t next_ = 4;
};

}  // namespace fuzz
