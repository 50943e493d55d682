// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! section: a map of a configuration, read strictly: every key is known, every value has its type.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <adamant/yaml/reference.hpp>
#include <adamant/yaml/scalar.hpp>

namespace adamant::inline v0::yaml {

//! What a section does with a key.
enum class key_use {
    read,
    ignored,         //!< belongs to something else, as a matter of course
    without_effect,  //!< would matter elsewhere: accepted, with a warning
    refused          //!< would change the training, and is not supported yet
};

struct known_key {
    std::string_view name;  //!< a trailing * stands for any end
    key_use use = key_use::read;

    bool matches(std::string_view key) const {
        return name.ends_with('*') ? key.starts_with(name.substr(0, name.size() - 1)) : key == name;
    }
};

//! Edits (insert, delete, replace) from one word to another.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, replaced});
        }
    }
    return row.back();
}

//! The candidate nearest to a misspelt word, empty where none is near.
inline std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
    std::string_view best;
    // A third of the letters may be wrong, of a short word fewer.
    std::size_t distance =
        (word.size() < 4 ? word.size() / 3 : std::max<std::size_t>(2, word.size() / 3)) + 1;
    if (word.size() > 64) return best;
    for (const std::string_view candidate : candidates)
        if (const std::size_t d = edit_distance(word, candidate); d < distance)
            best = candidate, distance = d;
    return best;
}

//! "a, b or c"
inline std::string list_words(std::span<const std::string_view> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text.append(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ").append(words[i]);
    return text;
}

class section {
public:
    //! `map` stands at `path` below `ancestors`. Throws a located_error that lists every key not in `keys`,
    //! each with its line and the nearest known key, and refuses those that are not supported; keys without
    //! effect are named in `warnings`.
    section(node_ptr map, ancestry ancestors, std::string path, std::span<const known_key> keys,
            const reference_resolver& references, std::vector<std::string>& warnings)
        : map_(std::move(map)),
          ancestors_(std::move(ancestors)),
          path_(std::move(path)),
          references_(references) {
        require(map_->kind == node::type::map, {map_->where, path_, text_of(*map_)},
                "[adamant] a section is a map: write keys and values.");
        require(map_->problem.empty(), {map_->problem_where, path_, ""}, map_->problem);
        ancestors_.push_back(map_);
        judge_keys(keys, warnings);
    }

    const std::string& path() const { return path_; }
    const location& where() const { return map_->where; }

    bool has(std::string_view key) const { return map_->find(key) != nullptr; }

    //! Where a key's value stands, or the section where the key is missing.
    place at(std::string_view key) const {
        const entry* found = map_->find(key);
        if (found == nullptr) return {map_->where, full(key), ""};
        return {found->where, full(key), text_of(*found->value)};
    }

    //! The value of a key, references resolved; nullptr where the key is missing.
    node_ptr value(std::string_view key) const {
        const entry* found = map_->find(key);
        if (found == nullptr) return nullptr;
        node_ptr resolved = references_.resolve(found->value, ancestors_, at(key));
        if (!resolved->problem.empty())
            throw located_error({resolved->problem_where, full(key), ""}, resolved->problem);
        if (resolved->kind == node::type::scalar && resolved->text == "???")
            throw located_error(at(key), "[adamant] ??? stands for a value that must be given: write it.");
        return resolved;
    }

    //! The value, or nullptr where the key is missing or null.
    node_ptr value_or_null(std::string_view key) const {
        node_ptr found = value(key);
        return found == nullptr || found->kind == node::type::null ? nullptr : found;
    }

    // Each of these returns nothing where the key is missing or null, and throws a located_error where the
    // value is something else than asked for.

    std::optional<std::string> text(std::string_view key) const {
        const node_ptr found = value_or_null(key);
        if (found == nullptr) return std::nullopt;
        require(found->kind == node::type::scalar, at(key),
                "[adamant] this is a word: write one value, not a list or a map.");
        return found->text;
    }

    std::optional<bool> boolean(std::string_view key) const {
        const node_ptr found = value_or_null(key);
        if (found == nullptr) return std::nullopt;
        const auto parsed = found->kind == node::type::scalar ? parse_boolean(found->text) : std::nullopt;
        require(parsed.has_value(), at(key), "[adamant] this is a switch: write true or false.");
        return parsed;
    }

    //! A finite number.
    std::optional<double> number(std::string_view key) const {
        const auto parsed = number_or_infinity(key);
        require(!parsed || std::isfinite(*parsed), at(key),
                "[adamant] this number is finite: write one like 0.1 or 1e-3.");
        return parsed;
    }

    std::optional<double> number_or_infinity(std::string_view key) const {
        const node_ptr found = value_or_null(key);
        return found == nullptr ? std::nullopt : std::optional(as_number(*found, at(key)));
    }

    std::optional<std::int64_t> integer(std::string_view key) const {
        const node_ptr found = value_or_null(key);
        if (found == nullptr) return std::nullopt;
        std::optional<std::int64_t> parsed;
        if (found->kind == node::type::scalar) {
            parsed = parse_integer(found->text);
            const auto number = parsed ? std::nullopt : parse_number(found->text);
            // A float without a fraction is an integer: 5.0, 1e3. 2^63 is the first that does not fit.
            if (number && *number == std::trunc(*number) && *number >= -0x1p63 && *number < 0x1p63 &&
                found->text.find_first_of(".eE") != std::string::npos)
                parsed = static_cast<std::int64_t>(*number);
        }
        require(parsed.has_value(), at(key),
                "[adamant] this is a whole number that fits 64 bits: write digits without fraction or "
                "leading zero, like 1000 or 1_000.");
        return parsed;
    }

    //! A list of exactly two finite numbers.
    std::optional<std::array<double, 2>> pair(std::string_view key) const {
        const node_ptr found = value_or_null(key);
        if (found == nullptr) return std::nullopt;
        require(found->kind == node::type::sequence && found->items.size() == 2, at(key),
                "[adamant] this is a list of two numbers: write one like [0.9, 0.999].");
        std::array<double, 2> result{};
        for (std::size_t i = 0; i < 2; ++i) {
            const node_ptr item = item_of(found, i, key);
            result[i] = as_number(*item, at(key));
            require(std::isfinite(result[i]), at(key),
                    "[adamant] this number is finite: write one like 0.9.");
        }
        return result;
    }

    //! A list of words, or one word; empty where the key is missing or null.
    std::vector<std::string> words(std::string_view key) const {
        std::vector<std::string> result;
        const node_ptr found = value_or_null(key);
        if (found == nullptr) return result;
        const std::vector<node_ptr> items =
            found->kind == node::type::sequence ? found->items : std::vector{found};
        for (const node_ptr& item : items) {
            const node_ptr resolved = references_.resolve(item, ancestors_, at(key));
            require(resolved->problem.empty(), {resolved->problem_where, full(key), ""}, resolved->problem);
            require(resolved->kind == node::type::scalar, at(key),
                    "[adamant] this is a list of words: write one like [a, b].");
            result.push_back(resolved->text);
        }
        return result;
    }

private:
    static void require(bool holds, const place& at, const std::string& sentence) {
        if (!holds) throw located_error(at, sentence);
    }

    //! An item of a list, references resolved: the list is a level of its own.
    node_ptr item_of(const node_ptr& list, std::size_t i, std::string_view key) const {
        ancestry within = ancestors_;
        within.push_back(list);
        node_ptr item = references_.resolve(list->items[i], within, at(key));
        require(item->problem.empty(), {item->problem_where, full(key), ""}, item->problem);
        return item;
    }

    static std::string text_of(const node& value) {
        switch (value.kind) {
            case node::type::null: return value.text.empty() ? "null" : value.text;
            case node::type::scalar: return value.quoted && value.text.empty() ? "''" : value.text;
            case node::type::map: return "a map";
            case node::type::sequence: break;
        }
        if (value.items.size() > 4) return "a list";
        std::string list;
        for (const node_ptr& item : value.items) {
            if (item->kind != node::type::scalar) return "a list";
            list += (list.empty() ? "" : ", ") + item->text;
        }
        return "[" + list + "]";
    }

    double as_number(const node& value, const place& at) const {
        const auto parsed = value.kind == node::type::scalar ? parse_number(value.text) : std::nullopt;
        require(parsed.has_value(), at,
                "[adamant] this is a number: write one like 0.1, 1e-3 or 10, without leading zero.");
        return *parsed;
    }

    std::string full(std::string_view key) const {
        return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    }

    void judge_keys(std::span<const known_key> keys, std::vector<std::string>& warnings) const {
        std::vector<const entry*> unknown;
        for (const entry& e : map_->entries) {
            const auto known =
                std::ranges::find_if(keys, [&](const known_key& k) { return k.matches(e.key); });
            if (known == keys.end()) {
                unknown.push_back(&e);
            } else if (known->use == key_use::without_effect) {
                warnings.push_back(yaml::to_string(at(e.key)) + "has no effect in adamant.");
            }
        }
        if (!unknown.empty()) throw unknown_keys(unknown, keys);
        std::string refused;
        const entry* first = nullptr;
        for (const entry& e : map_->entries) {
            const auto known =
                std::ranges::find_if(keys, [&](const known_key& k) { return k.matches(e.key); });
            if (known->use != key_use::refused) continue;
            if (first == nullptr) first = &e;
            refused += (refused.empty() ? "" : ", ") + e.key + " (line " + std::to_string(e.where.line) + ")";
        }
        if (first != nullptr)
            throw located_error({first->where, full(first->key), ""},
                                "[adamant] scheduler and bucket sections, and counts of iterations or "
                                "samples, are not read in this dialect: "
                                "remove " +
                                    refused + ", and pass the learning rate with each step.");
    }

    located_error unknown_keys(std::span<const entry* const> unknown, std::span<const known_key> keys) const {
        std::vector<std::string_view> words;
        for (const known_key& k : keys)
            if (k.use == key_use::read) words.push_back(k.name);
        std::string list;
        bool all_near = true;
        for (const entry* e : unknown) {
            list += (list.empty() ? "" : ", ") + shown(e->key) + " (line " + std::to_string(e->where.line);
            const std::string_view near = nearest_word(e->key, words);
            list += near.empty() ? ")" : "; do you mean " + std::string(near) + "?)";
            all_near = all_near && !near.empty();
        }
        return {{unknown[0]->where, full(unknown[0]->key), text_of(*unknown[0]->value)},
                "[adamant] every key of a section is known: remove or correct " + list + "." +
                    (all_near ? "" : " Known are " + list_words(words) + ".") + elsewhere()};
    }

    //! Where the section may be, if it was looked for too high: the first map below that has a learning rate.
    std::string elsewhere() const {
        const std::string found = path_to_lr(*map_, "", 0);
        return found.empty() ? "" : " If the section is further down, give its path, '" + full(found) + "'.";
    }
    static std::string path_to_lr(const node& map, const std::string& path, int depth) {
        if (depth > 0 && map.find("lr") != nullptr) return path;
        if (depth == 4) return "";
        for (const entry& e : map.entries) {
            std::string found = path_to_lr(*e.value, (path.empty() ? "" : path + ".") + e.key, depth + 1);
            if (!found.empty()) return found;
        }
        return "";
    }

    node_ptr map_;
    ancestry ancestors_;
    std::string path_;
    const reference_resolver& references_;
};

}  // namespace adamant::inline v0::yaml
