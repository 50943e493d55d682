// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! location: where in a configuration something is written, and the error that names it.
#pragma once

#include <string>
#include <utility>

#include <adamant/base/error.hpp>

namespace adamant::inline v0::yaml {

//! Line and column count from 1; line 0 is unknown (the file as a whole).
struct location {
    std::string file{};
    int line = 0;
    int column = 0;
};

//! "FILE:LINE:COLUMN"
inline std::string to_string(const location& where) {
    std::string text = where.file;
    if (where.line > 0) text += ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
    return text;
}

//! A value of a configuration: where it stands, the full path of its key ("actor.optim.lr"), its text.
struct place {
    place() = default;
    //! g++ 12 at -O3 takes parts of an aggregate that is made to be thrown for uninitialised.
    place(location w, std::string k, std::string v)
        : where(std::move(w)), key(std::move(k)), value(std::move(v)) {}

    location where{};
    std::string key{};
    std::string value{};
};

//! A value as an error shows it: on one line, and not much of it.
inline std::string shown(const std::string& value) {
    constexpr std::size_t longest = 80;
    std::string text;
    for (const char c : value.substr(0, longest)) {
        if (c == '\n') text += "\\n";
        else if (c == '\t') text += "\\t";
        else text += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
    return value.size() > longest ? text + "..." : text;
}

//! "FILE:LINE:COLUMN: KEY: VALUE: "
inline std::string to_string(const place& p) {
    return to_string(p.where) + ": " + (p.key.empty() ? "" : shown(p.key) + ": ") +
           (p.value.empty() ? "" : shown(p.value) + ": ");
}

//! A configuration that cannot be used. what() names file, line, column, key, value, and what is allowed.
class located_error : public config_error {
public:
    located_error(yaml::place at, std::string sentence)
        : config_error(to_string(at) + sentence), at_(std::move(at)), sentence_(std::move(sentence)) {}

    const yaml::place& at() const { return at_; }
    //! What holds and what to do, without the place.
    const std::string& sentence() const { return sentence_; }

private:
    yaml::place at_;
    std::string sentence_;
};

}  // namespace adamant::inline v0::yaml
