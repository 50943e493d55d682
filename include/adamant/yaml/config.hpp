// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! config: a section of a YAML file, found but not yet read; load finds it.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <adamant/numerics/dtype.hpp>
#include <adamant/yaml/section.hpp>

namespace adamant::inline v0::yaml {

//! Whose words a file is written in.
enum class dialect {
    verl,      //!< verl's McoreOptimizerConfig
    megatron,  //!< Megatron-Core's OptimizerConfig
    adamant    //!< our own: every storage kind, and strict (yaml/adamant.hpp)
};

//! What a file may leave open; what is given here wins over what stands beside the section.
struct load_options {
    yaml::dialect dialect{dialect::verl};
    std::optional<dtype> mode{};                         //!< of the model's weights: fp32, bf16 or fp16
    std::optional<std::int64_t> total_training_steps{};  //!< what trainers fill in at run time
    std::optional<bool> use_distributed_optimizer{};
    std::string override_ddp_config{};  //!< YAML text: "{grad_reduce_in_fp32: false}"
};

struct config {
    std::string file;
    std::string path;  //!< of the section, "" for the root
    node_ptr section;
    ancestry ancestors;  //!< from the root to the section's parent
    node_ptr root;
    load_options options;
};

namespace detail {

inline std::string read_file(const std::string& file) {
    const auto fail = [&](const char* why) {
        throw located_error({{file}, "", ""},
                            std::string("[adamant] a configuration is a readable file: ") + why + ".");
    };
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) fail("this one does not exist");
    if (std::filesystem::is_directory(status)) fail("this is a directory");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) fail("this one cannot be opened");
    std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (stream.bad()) fail("this one cannot be read");
    return text;
}

//! Takes a trailing #n off a path.
inline std::optional<std::size_t> take_document(std::string& path, const std::string& file) {
    const auto hash = path.rfind('#');
    if (hash == std::string::npos) return std::nullopt;
    const std::string_view digits = std::string_view(path).substr(hash + 1);
    std::size_t document = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), document);
    if (code != std::errc{} || end != digits.data() + digits.size())
        throw located_error({{file}, path, ""},
                            "[adamant] a document is chosen by its number from 0: write path#1.");
    path.resize(hash);
    return document;
}

inline node_ptr choose_document(const std::vector<node_ptr>& documents, std::optional<std::size_t> chosen,
                                const std::string& file) {
    if (chosen && *chosen < documents.size()) return documents[*chosen];
    if (chosen)
        throw located_error({{file}, "#" + std::to_string(*chosen), ""},
                            "[adamant] a document is chosen by its number from 0: this file has " +
                                std::to_string(documents.size()) + ".");
    if (documents.empty())
        throw located_error({{file}, "", ""},
                            "[adamant] a configuration has a document: this file is empty.");
    if (documents.size() > 1)
        throw located_error({documents[1]->where, "", ""},
                            "[adamant] a configuration has one document: a second begins here; choose one "
                            "with path#0, path#1, ...");
    return documents[0];
}

//! The section at a path; an error names the first part that is missing and what stands there instead.
inline void find_section(config& c) {
    c.ancestors = {};
    node_ptr here = c.root;
    std::string walked;
    std::string_view rest = c.path;
    const auto judge = [&](const node_ptr& n, const location& where) {
        if (!n->problem.empty()) throw located_error({n->problem_where, walked, ""}, n->problem);
        if (n->kind == node::type::null)
            throw located_error(
                {where, walked.empty() ? "the root" : walked, "null"},
                "[adamant] a section is a map: write keys and values, or {} for the defaults.");
    };
    judge(here, here->where);
    for (bool is_there_more = !rest.empty(); is_there_more;) {
        const auto dot = rest.find('.');
        const std::string_view key = rest.substr(0, dot);
        is_there_more = dot != std::string_view::npos;
        if (is_there_more) rest = rest.substr(dot + 1);
        const entry* found = here->kind == node::type::map ? here->find(key) : nullptr;
        if (found == nullptr) {
            std::vector<std::string_view> words;
            for (const entry& e : here->entries) words.push_back(e.key);
            const std::string_view near = nearest_word(key, words);
            throw located_error({here->where, c.path, ""},
                                "[adamant] a path leads from key to key: there is no '" + std::string(key) +
                                    "' in " + (walked.empty() ? "the root" : "'" + walked + "'") +
                                    (!near.empty()        ? "; do you mean '" + std::string(near) + "'?"
                                     : words.empty()      ? "."
                                     : words.size() <= 12 ? "; there is " + list_words(words) + "."
                                                          : "."));
        }
        c.ancestors.push_back(here);
        if (!walked.empty()) walked += '.';
        walked += key;
        const reference_resolver references(c.root);
        here = references.resolve(found->value, c.ancestors, {found->where, walked, ""});
        c.ancestors = references.home();
        judge(here, found->where);
    }
    c.section = here;
}

}  // namespace detail

//! A section of YAML text; `file` is the name that errors give it. Like load otherwise.
inline config load_text(const std::string& text, const std::string& file, std::string path = "",
                        load_options options = {}) {
    config c{file, "", nullptr, {}, nullptr, std::move(options)};
    const auto document = detail::take_document(path, file);
    c.root = detail::choose_document(parse_documents(text, file), document, file);
    c.path = std::move(path);
    detail::find_section(c);
    return c;
}

//! The section at a dotted path of a YAML file: "actor.optim"; "" is the root, a trailing #1 picks the second
//! document. Throws located_error (a config_error) for a file that cannot be read, broken YAML, a missing
//! path.
inline config load(const std::string& file, std::string path = "", load_options options = {}) {
    return load_text(detail::read_file(file), file, std::move(path), std::move(options));
}

}  // namespace adamant::inline v0::yaml
