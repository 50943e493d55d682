// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Public bug reports, boiled down to numbers: reports/BNN.json.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace cases {

inline nlohmann::json report(const std::string& name) {
    std::ifstream file(ADAMANT_TEST_CASES "/reports/" + name + ".json");
    REQUIRE(file);
    return nlohmann::json::parse(file);
}

}  // namespace cases
