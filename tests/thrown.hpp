// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What a call says as it throws.
#pragma once

#include <exception>
#include <string>

//! The text of an Error; another exception passes through, and none says so.
template <class Error = std::exception, class F>
std::string thrown(F&& f) {
    try {
        f();
    } catch (const Error& error) { return error.what(); }
    return "nothing was thrown";
}
