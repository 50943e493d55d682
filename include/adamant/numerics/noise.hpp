// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! noise: the random words of stochastic rounding, 16 bits per element and field.
#pragma once

#include <cstdint>

#include <adamant/base/config.hpp>
#include <adamant/numerics/philox.hpp>

namespace adamant::inline v0 {

//! One Philox call serves a group of 32 elements. A word depends on seed, step, group and element alone: not
//! on thread, device, rank or memory order. Any two of a group are independent.
class group_noise {
public:
    ADAMANT_HOST_DEVICE constexpr group_noise(std::uint64_t seed, std::uint64_t group, std::uint64_t step)
        : k_(philox(seed, group, step)) {}

    // Element e of the group, 0 to 31; arithmetic modulo 2^32.
    ADAMANT_HOST_DEVICE constexpr std::uint32_t weight(std::uint32_t e) const {
        return (k_[0] + e * k_[1]) >> 16;
    }
    ADAMANT_HOST_DEVICE constexpr std::uint32_t exp_avg_sq(std::uint32_t e) const {
        return (k_[2] + e * k_[3]) >> 16;
    }
    ADAMANT_HOST_DEVICE constexpr std::uint32_t exp_avg(std::uint32_t e) const {
        return (k_[2] + e * k_[3]) & 0xFFFFu;
    }

private:
    philox_words k_;
};

//! For codecs that ask for no words.
struct no_noise {
    ADAMANT_HOST_DEVICE constexpr std::uint32_t operator()(int) const { return 0; }
};

}  // namespace adamant::inline v0
