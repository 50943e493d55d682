// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The libFuzzer target of the YAML adapter.
#include "read_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    fuzz::read_all(std::string(reinterpret_cast<const char*>(data), size));
    return 0;
}
