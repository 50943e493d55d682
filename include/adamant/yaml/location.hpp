// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! location: where in a configuration something is written, and the error that names it.
#pragma once

#include <string>
#include <utility>

#include <adamant/base/error.hpp>

namespace adamant::inline v0::yaml {

//! Line and column count from 1; line 0 is unknown (a value that came as an argument).
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

//! A configuration that cannot be used. what() is "FILE:LINE:COLUMN: KEY: SENTENCE".
class located_error : public config_error {
public:
    located_error(yaml::location where, std::string key, std::string sentence)
        : config_error(to_string(where) + ": " + (key.empty() ? "" : key + ": ") + sentence),
          where_(std::move(where)), key_(std::move(key)), sentence_(std::move(sentence)) {}

    const yaml::location& where() const { return where_; }
    //! The full path of the key, "actor.optim.lr"; empty where no key is to blame.
    const std::string& key() const { return key_; }
    //! What is wrong and what is allowed.
    const std::string& sentence() const { return sentence_; }

private:
    yaml::location where_;
    std::string key_;
    std::string sentence_;
};

}  // namespace adamant::inline v0::yaml
