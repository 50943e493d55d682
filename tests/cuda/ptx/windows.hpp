// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Generic addresses: those of shared, local and parameter memory lie in windows that no program has; all
//! others are the host's own.
#pragma once

#include <cstdint>

#include "program.hpp"

namespace emulated_cuda::ptx {

constexpr std::uint64_t window_mask = std::uint64_t{0xFFFF} << 48;

constexpr std::uint64_t window_of(space where) {
    switch (where) {
        case space::shared: return std::uint64_t{0xF101} << 48;
        case space::local: return std::uint64_t{0xF102} << 48;
        case space::parameter: return std::uint64_t{0xF103} << 48;
        default: return 0;
    }
}

constexpr space space_of(std::uint64_t generic) {
    for (const space where : {space::shared, space::local, space::parameter})
        if ((generic & window_mask) == window_of(where)) return where;
    return space::global;
}

}  // namespace emulated_cuda::ptx
