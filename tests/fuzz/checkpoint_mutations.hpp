// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Random mutations of good checkpoints, the same ones each time, and what becomes of them.
#pragma once

#include "dice.hpp"
#include "read_checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace fuzz {

inline constexpr std::array checkpoint_tokens{"{",
                                              "}",
                                              "[",
                                              "]",
                                              ",",
                                              ":",
                                              "\"",
                                              "\\",
                                              "null",
                                              "true",
                                              "-1",
                                              "0",
                                              "1",
                                              "1e3",
                                              "0.5",
                                              "\"params.w\"",
                                              "\"exp_avg.w\"",
                                              "\"exp_avg.scale.w\"",
                                              "\"main_params.w\"",
                                              "\"w\"",
                                              "\"dtype\"",
                                              "\"shape\"",
                                              "\"data_offsets\"",
                                              "\"__metadata__\"",
                                              "\"F32\"",
                                              "\"U8\"",
                                              "\"BF16\"",
                                              "\"parts\"",
                                              "{\\\"begin\\\":0,\\\"shape\\\":[70]}",
                                              "\"step\"",
                                              "\"files\"",
                                              "9223372036854775807",
                                              "9223372036854775808",
                                              "18446744073709551615",
                                              "4611686018427387904",
                                              "99999999999999999999999",
                                              "\"-1\"",
                                              "\"nan\"",
                                              "\"inf\"",
                                              "fp8_fine",
                                              "remainder16",
                                              "\xFF",
                                              "\\u0000",
                                              "\\ud800",
                                              "[[[[[[[["};

inline void mutate(std::string& text, dice& roll) {
    const std::size_t at = roll.below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, roll.below(24));
    switch (roll.below(8)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, checkpoint_tokens[roll.below(checkpoint_tokens.size())]); break;
        case 2: text.insert(at, text.substr(at, length)); break;
        case 3:
            if (at < text.size()) text[at] = static_cast<char>(roll.below(256));
            break;
        case 4: text.replace(at, length, checkpoint_tokens[roll.below(checkpoint_tokens.size())]); break;
        case 5: text.insert(at, text.substr(roll.below(text.size() + 1), 90)); break;
        case 6:
            if (roll.below(8) == 0) text.resize(at);
            break;
        default: {  // a digit of a number
            const auto digit = text.find_first_of("0123456789", at);
            if (digit != std::string::npos) text[digit] = static_cast<char>('0' + roll.below(10));
        }
    }
}

//! Of the header with its length kept right, of the bytes behind it, or of anything.
inline std::string mutated(reader how, const std::string& good, std::uint64_t number) {
    dice roll(number);
    const std::size_t way = how == reader::index ? 0 : roll.below(8);
    if (way == 0) {
        std::string bytes = good;
        for (std::size_t change = 1 + roll.below(4); change > 0; --change) mutate(bytes, roll);
        return bytes;
    }
    std::uint64_t length = 0;
    std::memcpy(&length, good.data(), 8);
    std::string header = good.substr(8, length), rest = good.substr(8 + length);
    if (way < 6)
        for (std::size_t change = 1 + roll.below(4); change > 0; --change) mutate(header, roll);
    else
        for (std::size_t change = 1 + roll.below(8); change > 0; --change)
            rest[roll.below(rest.size())] = static_cast<char>(roll.below(256));
    return with_header(header, rest);
}

struct taken_files {
    std::array<std::uint64_t, 3> of{};  //!< checkpoints, fp32 files, indices

    //! A reader that refuses all, or takes all, was not tested.
    bool is_some_of(std::uint64_t mutations) const {
        return std::ranges::all_of(of,
                                   [&](std::uint64_t n) { return n > mutations / 200 && n < mutations / 4; });
    }
};

//! Reads them by way of files in a folder, which exists.
inline taken_files read_mutations(std::uint64_t mutations, checkpoint_subject& subject) {
    const auto good = subject.good_files();
    taken_files taken;
    for (std::uint64_t number = 0; number < mutations; ++number) {
        const auto& [how, bytes] = good[number % good.size()];
        taken.of[number % good.size()] += subject.read(how, mutated(how, bytes, number));
    }
    return taken;
}

}  // namespace fuzz
