// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! complain: throws what is wrong with a file, naming the file and the tensor.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include <adamant/base/error.hpp>

namespace adamant::inline v0::safetensors {

//! Text of a file, fit for an error: printable, and not long.
inline std::string shown(std::string_view text) {
    constexpr std::size_t longest = 80;
    std::string result;
    for (const char c : text.substr(0, longest)) {
        const bool printable = static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
        result += printable ? c : '?';
    }
    return text.size() > longest ? result + "..." : result;
}

//! "[adamant] RULE: file 'F', tensor 'T': DETAIL."
[[noreturn]] inline void complain(std::string_view rule, std::string_view file, std::string_view tensor,
                                  std::string_view detail) {
    std::string text = "[adamant] " + std::string(rule) + ": file '" + std::string(file) + "'";
    if (!tensor.empty()) text += ", tensor '" + shown(tensor) + "'";
    throw checkpoint_error(text + ": " + std::string(detail) + ".");
}

//! The same of a call to the system that set errno.
[[noreturn]] inline void complain_of_system(std::string_view rule, std::string_view file,
                                            std::string_view what) {
    const int code = errno;
    complain(rule, file, "", std::string(what) + ": " + std::strerror(code));
}

}  // namespace adamant::inline v0::safetensors
