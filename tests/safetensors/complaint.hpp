// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What a call says as it throws a checkpoint_error.
#pragma once

#include <string>

#include <adamant/base/error.hpp>

namespace checkpoints {

template <class F>
std::string complaint(F&& f) {
    try {
        f();
    } catch (const adamant::checkpoint_error& e) { return e.what(); }
    return "nothing was thrown";
}
inline bool has(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

}  // namespace checkpoints
