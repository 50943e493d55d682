// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! mutations COUNT FOLDER: reads COUNT random mutations of the configuration files in FOLDER, the same ones
//! each time.
#include "dice.hpp"
#include "read_config.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

using fuzz::dice;

constexpr std::array tokens{"optim:",
                            "\n  lr: 1e-3",
                            "null",
                            "~",
                            "???",
                            "${.lr}",
                            "${optim.lr}",
                            "${oc.select:a.b,",
                            "<<: *a",
                            "&a ",
                            "*a",
                            "!!str ",
                            "!!python/x ",
                            "---\n",
                            "...\n",
                            "'",
                            "\"",
                            "{",
                            "}",
                            "[",
                            "]",
                            ", ",
                            ": ",
                            "- ",
                            "\t",
                            "\r\n",
                            "\xEF\xBB\xBF",
                            ".inf",
                            ".nan",
                            "010",
                            "1_000",
                            "0x10",
                            "99999999999999999999",
                            "-1",
                            "fp8",
                            "bf16",
                            "true",
                            "override_optimizer_config: {",
                            "megatron: {dtype: float16}",
                            "use_precision_aware_optimizer: true",
                            "betas: [0.9, 0.99]",
                            "exp_avg_dtype: bf16",
                            "total_training_steps: 10",
                            "# ",
                            "%YAML 1.2\n",
                            "|\n",
                            ">\n",
                            "? ",
                            "\xFF",
                            "e9",
                            "muon_x: 1"};

std::string mutated(const std::vector<std::string>& texts, std::uint64_t number) {
    dice roll(number);
    std::string text = texts[roll.below(texts.size())];
    for (std::size_t change = 1 + roll.below(6); change > 0; --change) {
        const std::size_t at = roll.below(text.size() + 1);
        const std::size_t length = std::min(text.size() - at, roll.below(20));
        switch (roll.below(7)) {
            case 0: text.erase(at, length); break;
            case 1: text.insert(at, tokens[roll.below(tokens.size())]); break;
            case 2: text.insert(at, text.substr(at, length)); break;
            case 3:
                if (at < text.size()) text[at] = static_cast<char>(roll.below(256));
                break;
            case 4: text.resize(at); break;
            case 5: text.replace(at, length, tokens[roll.below(tokens.size())]); break;
            default: {
                const std::string& other = texts[roll.below(texts.size())];
                const std::size_t from = roll.below(other.size());
                text.insert(at, other.substr(from, roll.below(80)));
            }
        }
    }
    return text;
}

}  // namespace

int main(int count, char** values) {
    if (count != 3) return 2;
    const std::uint64_t mutations = std::strtoull(values[1], nullptr, 10);
    std::vector<std::string> texts;
    std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(values[2]),
                                             std::filesystem::directory_iterator{});
    std::ranges::sort(files);
    for (const auto& file : files) {
        if (file.extension() != ".yaml" && file.extension() != ".toml") continue;
        std::ifstream stream(file, std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    if (texts.empty()) return 3;
    for (std::uint64_t number = 0; number < mutations; ++number) fuzz::read_all(mutated(texts, number));
    std::printf("%llu mutations of %zu files\n", static_cast<unsigned long long>(mutations), texts.size());
    return 0;
}
