// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Grids: the order of their blocks and threads, and functions run as kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <launch.h>
#include <runtime_types.h>

namespace emulated_cuda {

inline std::uint64_t volume(const dim3& d) { return std::uint64_t{d.x} * d.y * d.z; }
inline uint3 place_in(const dim3& d, std::uint32_t i) { return {i % d.x, i / d.x % d.y, i / d.x / d.y}; }

//! 0 to count - 1 as set_order() has it; another shuffle each time.
std::vector<std::uint32_t> in_order(std::uint64_t count);

//! Runs a function as a kernel, threads as fibers.
void run_function(const kernel_function& kernel, const std::byte* parameters, const dim3& grid,
                  const dim3& block);

}  // namespace emulated_cuda
