// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Options for optimizers of tests in which numbers are beside the point: every soundness rule may be broken.
#pragma once

#include <utility>

#include <adamant/optimizer/optimizer_options.hpp>
#include <adamant/step/soundness.hpp>

inline adamant::optimizer_options unjudged(adamant::optimizer_options options = {}) {
    for (const std::string_view rule : adamant::all_soundness_rules::names) options.accept.emplace_back(rule);
    return options;
}
