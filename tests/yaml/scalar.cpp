// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Numbers, integers and booleans as people write them.
#include <adamant/yaml/scalar.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace adamant;

TEST_CASE("numbers are what a reader takes them for") {
    const std::pair<const char*, double> numbers[] = {
        {"1e-3", 1e-3},    {"1E-6", 1e-6}, {".1", 0.1},      {"0.", 0.0},     {"+1", 1.0}, {"-2.5", -2.5},
        {"1_000", 1000.0}, {"0x10", 16.0}, {"5.0e-6", 5e-6}, {"3e+2", 300.0}, {"0", 0.0},  {"1e-400", 0.0}};
    for (const auto& entry : numbers) {
        const auto [text, value] = entry;
        INFO(entry.first);
        CHECK(yaml::parse_number(text) == value);
    }
    CHECK(std::isinf(*yaml::parse_number(".inf")));
    CHECK(*yaml::parse_number("-.INF") < 0);
    CHECK(std::isnan(*yaml::parse_number(".nan")));
    for (const char* text :
         {"",         "abc", "1e", "1e+", ".",  "e5",  "1.2.3", "010", "00.5",  "inf",  "nan",
          "Infinity", "1 ",  " 1", "1f",  "0x", "--1", "1__0",  "_1",  "1e999", "-.nan"}) {
        CAPTURE(text);
        CHECK_FALSE(yaml::parse_number(text).has_value());
    }
}

TEST_CASE("what no double holds is zero where it is too small, and an error where it is too large") {
    const std::string zeros(400, '0');
    const auto too_small = {"1e-400", "1e-99999999999999999999", "1e-2147483649"};
    for (const std::string text : too_small) CHECK_MESSAGE(yaml::parse_number(text) == 0.0, text);
    CHECK(yaml::parse_number("0." + zeros + "1") == 0.0);
    CHECK(yaml::parse_number("0." + zeros + "1e2") == 0.0);
    CHECK(yaml::parse_number("." + zeros + "1e+2") == 0.0);
    CHECK(std::signbit(*yaml::parse_number("-1e-400")));
    for (const std::string text : {"1e400", "1e+400", "1E99999999999999999999", ".001e403"})
        CHECK_MESSAGE(!yaml::parse_number(text), text);
    CHECK(!yaml::parse_number("1" + zeros + ".0"));
    CHECK(!yaml::parse_number("1" + zeros + "e-5"));
    CHECK(yaml::parse_number("1" + zeros + "e-400") == 1.0);
    CHECK(yaml::parse_number("." + zeros + "1e401") == 1.0);
}

TEST_CASE("integers fit 64 bits and do not start with a zero") {
    const std::pair<const char*, std::int64_t> integers[] = {{"0", 0},
                                                             {"-1", -1},
                                                             {"+7", 7},
                                                             {"1_000_000", 1000000},
                                                             {"0x7D0", 2000},
                                                             {"-0x1", -1},
                                                             {"9223372036854775807", INT64_MAX},
                                                             {"-9223372036854775808", INT64_MIN}};
    for (const auto& entry : integers) {
        const auto [text, value] = entry;
        INFO(entry.first);
        CHECK(yaml::parse_integer(text) == value);
    }
    for (const char* text : {"", "-", "010", "1.0", "1e3", "9223372036854775808", "99999999999999999999",
                             "0x", "0x-1", "1_", "_1", "1__0", "12a"}) {
        CAPTURE(text);
        CHECK_FALSE(yaml::parse_integer(text).has_value());
    }
}

TEST_CASE("booleans are true, yes, on and false, no, off in three spellings each") {
    for (const char* text : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})
        CHECK(yaml::parse_boolean(text) == true);
    for (const char* text : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})
        CHECK(yaml::parse_boolean(text) == false);
    for (const char* text : {"y", "n", "1", "0", "auto", "tRUE", "", "null"})
        CHECK_FALSE(yaml::parse_boolean(text).has_value());
}
