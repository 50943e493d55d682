// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The 32 bits of a float, both ways.
#pragma once

#include <cstdint>

#include <adamant/base/config.hpp>

namespace adamant::inline v0 {

ADAMANT_HOST_DEVICE constexpr std::uint32_t to_bits(float value) {
    return __builtin_bit_cast(std::uint32_t, value);
}
ADAMANT_HOST_DEVICE constexpr float from_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

}  // namespace adamant::inline v0
