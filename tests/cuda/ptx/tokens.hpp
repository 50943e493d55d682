// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The words of a PTX text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emulated_cuda::ptx {

enum class token_kind { word, number, text, sign, end };

struct token {
    token_kind kind;
    std::string_view text;  //!< an opcode with its modifiers and a directive with its dot are one word
    int line;

    bool is(std::string_view expected) const { return text == expected && kind != token_kind::text; }
};

//! Ends with a token of kind end. Throws device_error at a character that PTX does not have.
std::vector<token> split(std::string_view text);

}  // namespace emulated_cuda::ptx
