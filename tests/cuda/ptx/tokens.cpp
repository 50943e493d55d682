// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "tokens.hpp"

#include <algorithm>
#include <cctype>

#include <emulation.hpp>

namespace emulated_cuda::ptx {
namespace {

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool continues_word(char c) { return is_alphanumeric(c) || c == '_' || c == '$' || c == '%' || c == '.'; }

class scanner {
public:
    explicit scanner(std::string_view text) : rest_(text) {}

    std::vector<token> run() {
        std::vector<token> tokens;
        while (skip_blanks()) tokens.push_back(next());
        tokens.push_back({token_kind::end, "end of file", line_});
        return tokens;
    }

private:
    // Whether something is left.
    bool skip_blanks() {
        while (!rest_.empty()) {
            if (rest_.front() == '\n') ++line_;
            if (std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
            else if (rest_.substr(0, 2) == "//")
                rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
            else if (rest_.substr(0, 2) == "/*") skip_comment();
            else return true;
        }
        return false;
    }

    void skip_comment() {
        const std::size_t end = rest_.find("*/");
        if (end == rest_.npos)
            throw device_error("line " + std::to_string(line_) + ": a comment without end");
        line_ += static_cast<int>(
            std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        rest_.remove_prefix(end + 2);
    }

    token next() {
        const char c = rest_.front();
        if (std::isdigit(static_cast<unsigned char>(c))) return take(token_kind::number, word_length());
        if (continues_word(c)) return take(token_kind::word, word_length());
        if (c == '"') return take(token_kind::text, std::min(rest_.find('"', 1), rest_.size() - 1) + 1);
        if (std::string_view(",;{}[]()@!|+-<>=:").find(c) != std::string_view::npos)
            return take(token_kind::sign, 1);
        throw device_error("line " + std::to_string(line_) + ": unknown character '" + c + "'");
    }

    // Modifiers like L1::no_allocate are part of their opcode.
    std::size_t word_length() const {
        std::size_t n = 0;
        while (n < rest_.size() && (continues_word(rest_[n]) || rest_.substr(n, 2) == "::"))
            n += rest_[n] == ':' ? 2 : 1;
        return n;
    }

    token take(token_kind kind, std::size_t length) {
        const token taken{kind, rest_.substr(0, length), line_};
        rest_.remove_prefix(length);
        return taken;
    }

    std::string_view rest_;
    int line_ = 1;
};

}  // namespace

std::vector<token> split(std::string_view text) { return scanner(text).run(); }

}  // namespace emulated_cuda::ptx
