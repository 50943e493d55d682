// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The digests of expected.txt by policy.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

namespace same_bits {

inline std::map<std::string, std::uint64_t> expected() {
    std::ifstream in(ADAMANT_EXPECTED);
    std::map<std::string, std::uint64_t> result;
    std::string digest, policy;
    while (in >> digest && std::getline(in >> std::ws, policy))
        result[policy] = std::stoull(digest, nullptr, 16);
    return result;
}

}  // namespace same_bits
