// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! first_broken_byte: whether a file is text.
#pragma once

#include <cstddef>
#include <string_view>

namespace adamant::inline v0::yaml::detail {

//! Where UTF-8 (RFC 3629) is broken, or has a zero; the size where it is neither.
inline std::size_t first_broken_byte(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t k) {
            return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u;
        };
        const unsigned first = byte(0);
        const std::size_t length = first == 0     ? 0
                                   : first < 0x80 ? 1
                                   : first < 0xC2 ? 0
                                   : first < 0xE0 ? 2
                                   : first < 0xF0 ? 3
                                   : first < 0xF5 ? 4
                                                  : 0;
        // No character is longer than it must be, a surrogate or above U+10FFFF.
        const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (length == 0 || (length > 1 && (byte(1) < lowest || byte(1) > highest))) return i;
        for (std::size_t k = 2; k < length; ++k)
            if ((byte(k) & 0xC0) != 0x80) return i;
        i += length;
    }
    return text.size();
}

}  // namespace adamant::inline v0::yaml::detail
