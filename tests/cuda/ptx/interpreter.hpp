// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Reads PTX that nvcc made and runs its kernels. What the interpreter does not know for certain (an opcode,
//! a modifier, a call, an approximation, a product that ptxas may fuse with the sum after it) is a
//! device_error that names file and line, when the file is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <runtime_types.h>

#include "program.hpp"

namespace emulated_cuda::ptx {

std::shared_ptr<const module> read(const std::string& path);
//! The kernel of a mangled name, as g++ and clang write it, or nullptr.
const entry* find(const module& all, std::string_view name);
void run(const entry& kernel, const std::byte* parameters, const dim3& grid, const dim3& block);
//! Interpreted so far.
std::uint64_t instructions();
void set_longest_block(std::uint64_t instructions);

}  // namespace emulated_cuda::ptx
