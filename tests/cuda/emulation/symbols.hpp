// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What the program's own symbol table says about a kernel: its name, by which its PTX is found, and where
//! its
//! __shared__ variables are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace emulated_cuda {

struct kernel_symbols {
    std::string name;                          //!< mangled
    std::vector<std::span<std::byte>> shared;  //!< its static variables that can be written
};

//! Throws device_error where the program has no symbol for a function: it was stripped.
const kernel_symbols& symbols_of(void (*function)());

}  // namespace emulated_cuda
