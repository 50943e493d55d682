// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Every row of resolution.jsonl: what verl 0.10, Megatron-Core 0.20 and TransformerEngine 2.20 make of a
//! configuration, against what check_config says.
#include "directories.hpp"

#include <check_config/judge.hpp>

#include <doctest/doctest.h>

TEST_CASE("every row has the verdict, fields, bucket and warning of the reference implementations") {
    int rows = 0;
    for (const auto& directory : cases::directories()) {
        const auto file = directory / "resolution.jsonl";
        std::ifstream stream(file);
        int number = 0;
        for (std::string line; std::getline(stream, line);) {
            ++number;
            if (line.empty()) continue;
            ++rows;
            const cases::json row = cases::json::parse(line);
            const cases::json answer =
                cases::json::parse(check_config::judge_row(nlohmann::ordered_json::parse(line),
                                                           file.string() + ":" + std::to_string(number))
                                       .dump());
            CAPTURE(file.string());
            CAPTURE(number);
            CAPTURE(line);
            CHECK(answer["verdict"] == row["verdict"]);
            if (answer["verdict"] != row["verdict"]) continue;
            if (row["verdict"] == "reject") {
                CHECK(answer["why"].get<std::string>().starts_with("[adamant] "));
                continue;
            }
            for (const auto& item : row["resolved"].items()) {
                const std::string key = item.key();
                const cases::json& value = item.value();
                CAPTURE(key);
                CHECK(answer["resolved"][key] == value);
            }
            CHECK(answer["grad_bucket"] == row["grad_bucket"]);
            const bool warned = std::ranges::any_of(answer["warnings"], [](const cases::json& warning) {
                return warning.get<std::string>().find("the gradient bucket") != std::string::npos;
            });
            CHECK(warned == row.contains("warn"));
        }
    }
    CHECK(rows >= 1686);
}
