// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! How the text of a scalar becomes a number or a boolean, as people write them: 1e-3 is a number (YAML 1.1
//! parsers see a string), quotes do not matter, 010 is refused because it is 8 for some readers and 10 for
//! others.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace adamant::inline v0::yaml {

namespace detail {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

//! Digits with single underscores between them, without the underscores; nothing where it is something else.
inline std::optional<std::string> digits_of(std::string_view text) {
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_digit(text[i])) digits += text[i];
        else if (text[i] != '_' || i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) ||
                 !is_digit(text[i + 1]))
            return std::nullopt;
    }
    if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
    return digits;
}

inline bool take_sign(std::string_view& text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    return negative;
}

//! Of a number without sign that no double holds: whether it is too small for one, not too large.
inline bool is_too_small(std::string_view number) {
    const auto e = std::min(number.find_first_of("eE"), number.size());
    const auto point = std::min(number.find('.'), e);
    const auto digit = number.find_first_of("123456789");
    std::int32_t exponent = 0;
    if (e < number.size()) {
        const std::string_view text = number.substr(e + (number[e + 1] == '+' ? 2 : 1));
        const auto code = std::from_chars(text.data(), text.data() + text.size(), exponent).ec;
        if (code != std::errc{}) return text.starts_with('-');
    }
    return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(digit) + exponent < 0;
}

}  // namespace detail

//! An integer: optional sign, decimal digits with _ between digits, or 0x. Nothing where the text is
//! something else or does not fit 64 bits.
inline std::optional<std::int64_t> parse_integer(std::string_view text) {
    const bool negative = detail::take_sign(text);
    std::string digits;
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        digits = text.substr(2);
        base = 16;
        if (digits.empty() || digits[0] == '-' || digits[0] == '+') return std::nullopt;
    } else if (const auto decimal = detail::digits_of(text)) {
        digits = *decimal;
    } else {
        return std::nullopt;
    }
    if (negative) digits.insert(digits.begin(), '-');
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (code != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

//! A number: an integer, or decimal digits with a point or an exponent (.1, 0., +1, 1E-6), .inf or .nan.
//! Nothing where the text is something else or is too large for a double.
inline std::optional<double> parse_number(std::string_view text) {
    if (const auto integer = parse_integer(text)) return static_cast<double>(*integer);
    std::string_view rest = text;
    const bool negative = detail::take_sign(rest);
    if (rest == ".inf" || rest == ".Inf" || rest == ".INF")
        return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    if (rest == text && (rest == ".nan" || rest == ".NaN" || rest == ".NAN"))
        return std::numeric_limits<double>::quiet_NaN();

    // The grammar first: from_chars alone would take "inf", and leave trailing text to us.
    std::size_t i = 0, whole = 0, fraction = 0;
    while (i < rest.size() && detail::is_digit(rest[i])) ++i, ++whole;
    if (whole > 1 && rest[0] == '0') return std::nullopt;
    if (i < rest.size() && rest[i] == '.') {
        ++i;
        while (i < rest.size() && detail::is_digit(rest[i])) ++i, ++fraction;
    }
    if (whole + fraction == 0) return std::nullopt;
    if (i < rest.size() && (rest[i] == 'e' || rest[i] == 'E')) {
        ++i;
        if (i < rest.size() && (rest[i] == '-' || rest[i] == '+')) ++i;
        if (i == rest.size() || !detail::is_digit(rest[i])) return std::nullopt;
        while (i < rest.size() && detail::is_digit(rest[i])) ++i;
    }
    if (i != rest.size()) return std::nullopt;
    double value = 0;
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (code == std::errc::result_out_of_range) {
        // Too small is zero, too large is an error; from_chars says the same of both.
        if (!detail::is_too_small(rest)) return std::nullopt;
        value = 0;
    } else if (code != std::errc{} || end != rest.data() + rest.size()) {
        return std::nullopt;
    }
    return negative ? -value : value;
}

//! true, yes, on, false, no, off in lower case, Capitalised or UPPER case; not y, n or 1.
inline std::optional<bool> parse_boolean(std::string_view text) {
    static constexpr std::string_view truths[] = {"true", "True", "TRUE", "yes", "Yes",
                                                  "YES",  "on",   "On",   "ON"};
    static constexpr std::string_view lies[] = {"false", "False", "FALSE", "no", "No",
                                                "NO",    "off",   "Off",   "OFF"};
    for (const auto word : truths)
        if (text == word) return true;
    for (const auto word : lies)
        if (text == word) return false;
    return std::nullopt;
}

}  // namespace adamant::inline v0::yaml
