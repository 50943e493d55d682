// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Reads a policy's text at run time: a way to policy_words that shares nothing with policy<...>.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <adamant/policy/policy_words.hpp>

namespace from_text {

using adamant::dtype;
using adamant::policy_words;
using adamant::rounding;

template <class Enum, class List>
std::optional<Enum> find(std::string_view text, const List& list) {
    for (const Enum value : list)
        if (to_string(value) == text) return value;
    return std::nullopt;
}
inline std::optional<dtype> kind(std::string_view text) { return find<dtype>(text, adamant::all_dtypes); }
inline std::optional<rounding> how(std::string_view text) {
    return find<rounding>(text, adamant::all_roundings);
}

//! Adds one word: "precision_aware", "exp_avg<bf16, stochastic>". Anything else is unknown.
inline void add(policy_words& words, std::string_view word) {
    const auto open = word.find('<');
    const std::string_view name = word.substr(0, open);
    std::string_view first, second;
    if (open != std::string_view::npos) {
        first = word.substr(open + 1, word.size() - open - 2);
        if (const auto comma = first.find(", "); comma != std::string_view::npos) {
            second = first.substr(comma + 2);
            first = first.substr(0, comma);
        }
    }
    const auto once = [&](auto& place, auto value, bool& repeated) {
        if (place) repeated = true;
        place = value;
    };
    const auto field = [&](adamant::written_field& written) {
        once(written.kind, kind(first), words.option_repeated);
        if (!second.empty()) written.how = how(second);
        if (!kind(first) || (!second.empty() && !how(second))) words.unknown_option = true;
    };
    const auto plain = [&](std::optional<dtype>& place, bool& repeated) {
        once(place, kind(first), repeated);
        if (!kind(first) || !second.empty()) words.unknown_option = true;
    };
    if (name == "mode") plain(words.mode, words.mode_repeated);
    else if (name == "main_grads") plain(words.main_grads, words.option_repeated);
    else if (name == "bucket") plain(words.bucket, words.option_repeated);
    else if (name == "main_params") field(words.main_params);
    else if (name == "exp_avg") field(words.exp_avg);
    else if (name == "exp_avg_sq") field(words.exp_avg_sq);
    else if (word == "precision_aware") {
        if (words.precision_aware) words.option_repeated = true;
        words.precision_aware = true;
    } else if (word == "grad_reduce_in_fp32<true>" || word == "grad_reduce_in_fp32<false>") {
        once(words.grad_reduce_in_fp32, first == "true", words.option_repeated);
    } else {
        words.unknown_option = true;
    }
}

//! The words between "policy<" and ">".
inline policy_words words_of(std::string_view text) {
    constexpr std::string_view begin = "policy<";
    policy_words words;
    if (!text.starts_with(begin) || !text.ends_with(">")) {
        words.unknown_option = true;
        return words;
    }
    text = text.substr(begin.size(), text.size() - begin.size() - 1);
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            if (i > start) add(words, text.substr(start, i - start));
            start = i + 2;  // a comma and a blank
        } else if (text[i] == '<') {
            ++depth;
        } else if (text[i] == '>') {
            --depth;
        }
    }
    return words;
}

}  // namespace from_text
