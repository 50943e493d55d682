// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! dtype_words: the words for a dtype in each place of a configuration, case-sensitive.
#pragma once

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <adamant/numerics/dtype.hpp>
#include <adamant/yaml/section.hpp>

namespace adamant::inline v0::yaml::detail {

struct dtype_word {
    std::string_view text;
    dtype kind;
};

inline constexpr dtype_word verl_words[] = {{"fp32", dtype::fp32},
                                            {"float32", dtype::fp32},
                                            {"32", dtype::fp32},
                                            {"bf16", dtype::bf16},
                                            {"bfloat16", dtype::bf16}};
inline constexpr dtype_word megatron_words[] = {
    {"fp32", dtype::fp32},     {"float32", dtype::fp32}, {"32", dtype::fp32}, {"bf16", dtype::bf16},
    {"bfloat16", dtype::bf16}, {"fp16", dtype::fp16},    {"fp8", dtype::fp8}};
//! Of the model's weights.
inline constexpr dtype_word mode_words[] = {{"fp32", dtype::fp32}, {"float32", dtype::fp32},
                                            {"bf16", dtype::bf16}, {"bfloat16", dtype::bf16},
                                            {"fp16", dtype::fp16}, {"float16", dtype::fp16}};
//! After "torch."; Megatron-Core keeps fp8 state in uint8.
inline constexpr dtype_word torch_words[] = {
    {"float32", dtype::fp32}, {"bfloat16", dtype::bf16}, {"float16", dtype::fp16}, {"uint8", dtype::fp8}};

//! The words of one place.
struct dtype_vocabulary {
    std::span<const dtype_word> words;
    bool torch = false;  //!< also torch.float32, or {_target_: torch.float32, _call_: false}
};

inline std::optional<dtype> find_word(std::span<const dtype_word> words, std::string_view text) {
    const auto found = std::ranges::find(words, text, &dtype_word::text);
    return found == words.end() ? std::nullopt : std::optional(found->kind);
}

//! The dtype of a key, nothing where the key is missing. null is an error: it is not clear what it would
//! mean.
inline std::optional<dtype> read_dtype(const section& from, std::string_view key,
                                       dtype_vocabulary vocabulary) {
    constexpr std::string_view prefix = "torch.";
    const node_ptr value = from.value(key);
    if (value == nullptr) return std::nullopt;
    std::string text = value->kind == node::type::scalar ? value->text : "";
    if (vocabulary.torch) {
        const entry* target = value->kind == node::type::map ? value->find("_target_") : nullptr;
        if (target != nullptr) text = target->value->text;
        if (text.starts_with(prefix)) {
            if (const auto kind = find_word(torch_words, text.substr(prefix.size()))) return kind;
        } else if (target != nullptr) {
            text.clear();
        }
    }
    if (const auto kind = find_word(vocabulary.words, text)) return kind;

    std::vector<std::string_view> allowed;
    for (const dtype_word& word : vocabulary.words) allowed.push_back(word.text);
    std::string sentence = "[adamant] this dtype is " + list_words(allowed) +
                           (vocabulary.torch ? ", or torch.float32, ..." : "") +
                           ": write one of these, case matters.";
    // Only a word that means the same is proposed: bfloat16 for float16 would train something else.
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (find_word(vocabulary.words, text)) sentence += " Do you mean " + text + "?";
    else if (vocabulary.words.data() == verl_words && find_word(megatron_words, text))
        sentence += " fp16 and fp8 are written in override_optimizer_config.";
    throw located_error(from.at(key), sentence);
}

}  // namespace adamant::inline v0::yaml::detail
