// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! corpus: the text that the byte model learns: licences that every Debian has, else text made up here.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fashion_mnist/random.hpp>

namespace convergence {

struct corpus {
    std::string name;
    std::string text;
};

//! The licences of the Debian package base-files, one after another; empty where one is missing.
inline std::string licences(const std::filesystem::path& folder) {
    constexpr std::array files{"Apache-2.0", "Artistic", "BSD",    "GFDL-1.3", "GPL-1",  "GPL-2",
                               "GPL-3",      "LGPL-2.1", "LGPL-3", "MPL-1.1",  "MPL-2.0"};
    std::string text;
    for (const char* file : files) {
        std::ifstream in(folder / file, std::ios::binary);
        if (!in) return {};
        text.append(std::istreambuf_iterator<char>(in), {});
    }
    return text;
}

//! `count` words of a language of 2,000, frequent ones first (Zipf's law). Each is followed by one of eight
//! three times in four, by any in the fourth.
inline std::string made_up_text(std::size_t count) {
    using fashion_mnist::random_word;
    constexpr std::uint64_t vocabulary = 2000, seed = 2026;
    constexpr std::array consonants{"b", "d", "f", "g", "k", "l", "m", "n", "pr", "r", "s", "st", "t", "v"};
    constexpr std::array vowels{"a", "e", "i", "o", "u", "ai"};
    std::vector<std::string> words(vocabulary);
    for (std::uint64_t w = 0; w < vocabulary; ++w)
        for (std::uint64_t s = 0; s <= random_word(seed, 1, w) % 3; ++s)
            words[w]
                .append(consonants[random_word(seed, 2, 4 * w + s) % consonants.size()])
                .append(vowels[random_word(seed, 3, 4 * w + s) % vowels.size()]);

    const auto by_frequency = [](std::uint32_t word) {
        return static_cast<std::uint64_t>(std::pow(double{vocabulary}, word * 0x1p-32)) - 1;
    };
    std::string text;
    for (std::uint64_t i = 0, w = 0; i < count; ++i) {
        const std::uint32_t choice = random_word(seed, 4, i), any = random_word(seed, 5, i);
        w = by_frequency(choice % 4 == 0 ? any : random_word(seed, 6, 8 * w + any % 8));
        text += words[w] + (choice / 4 % 12 == 0 ? ".\n" : " ");
    }
    return text;
}

inline corpus find_corpus(const std::filesystem::path& folder = "/usr/share/common-licenses") {
    if (std::string text = licences(folder); !text.empty()) return {folder.string(), std::move(text)};
    return {"text made up by the program (no " + folder.string() + ")", made_up_text(40000)};
}

}  // namespace convergence
