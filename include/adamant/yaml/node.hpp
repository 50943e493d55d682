// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! node: a YAML document as a tree with every line known and YAML's traps looked after: merge keys are
//! applied, duplicate keys and foreign tags are found. Built from yaml-cpp's events, since its own nodes keep
//! duplicates silently, do not merge, and forget where keys stand.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <adamant/yaml/location.hpp>
#include <adamant/yaml/utf8.hpp>

namespace adamant::inline v0::yaml {

struct node;
using node_ptr = std::shared_ptr<const node>;

struct entry {
    std::string key;
    location where;  //!< of the key
    node_ptr value;
};

struct node {
    enum class type { null, scalar, sequence, map };

    type kind = type::null;
    location where{};
    std::string text{};             //!< of a scalar
    bool quoted = false;            //!< a scalar that is text, whatever it looks like
    std::vector<entry> entries{};   //!< of a map, in file order, merged keys last
    std::vector<node_ptr> items{};  //!< of a sequence
    //! What is wrong with it, empty if nothing: only what is read may fail, so that a file's other sections
    //! can be what they like.
    std::string problem{};
    location problem_where{};
    int depth = 1;

    const entry* find(std::string_view key) const {
        const auto found = std::ranges::find(entries, key, &entry::key);
        return found == entries.end() ? nullptr : &*found;
    }
};

inline bool is_null_word(std::string_view text) {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

namespace detail {

//! Collects the documents of a stream.
class tree_builder : public YAML::EventHandler {
public:
    tree_builder(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

    std::vector<node_ptr> documents;

    void OnDocumentStart(const YAML::Mark& mark) override {
        // yaml-cpp 0.7 does not get past a stray comma: it would find a document there for ever.
        if (mark.pos == document_start_)
            throw located_error(
                {at(mark), "", ""},
                "[adamant] a configuration is valid YAML: a comma stands in a list or map with brackets.");
        document_start_ = mark.pos;
        open_.clear();
        anchors_.clear();
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        require_colon(mark);
        place(scalar(mark, "", false), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto known = anchors_.find(anchor);
        if (known != anchors_.end() && known->second != nullptr) {
            place(known->second, 0);
            return;
        }
        auto self = std::make_shared<node>();
        self->where = at(mark);
        fail(*self, self->where,
             "[adamant] an alias stands outside of what it names: this one is inside its own anchor.");
        place(self, 0);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        require_closing_quote(mark);
        last_scalar_ = mark.pos;
        auto made = scalar(mark, text, tag == "!" || tag == "tag:yaml.org,2002:str");
        if (tag == "tag:yaml.org,2002:null") made->kind = node::type::null;
        static constexpr std::string_view plain_tags[] = {"",
                                                          "?",
                                                          "!",
                                                          "tag:yaml.org,2002:str",
                                                          "tag:yaml.org,2002:int",
                                                          "tag:yaml.org,2002:float",
                                                          "tag:yaml.org,2002:bool",
                                                          "tag:yaml.org,2002:null"};
        if (std::ranges::find(plain_tags, tag) == std::end(plain_tags)) foreign_tag(*made, tag);
        place(made, anchor);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, node::type::sequence);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        open(mark, tag, anchor, node::type::map);
        open_.back().in_braces = style == YAML::EmitterStyle::Flow;
    }
    void OnMapEnd() override { close(); }

private:
    static constexpr int deepest = 500;

    struct open_node {
        std::shared_ptr<node> made;
        YAML::anchor_t anchor;
        bool in_braces = false;                        // of a map
        node_ptr key{};                                // of a map: the key that waits for its value
        std::unordered_map<std::string, int> lines{};  // of the keys of a map
        std::vector<entry> merged{};                   // what << brings, in order of precedence
    };

    location at(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

    //! yaml-cpp 0.7 takes the end of the file for a closing quote where a line break precedes it.
    void require_closing_quote(const YAML::Mark& mark) const {
        auto start = static_cast<std::size_t>(mark.pos);
        // The mark is at the anchor or tag before the text, if there is one.
        while (start < text_.size() && (text_[start] == '&' || text_[start] == '!'))
            start = text_.find_first_not_of(" \t", std::min(text_.find_first_of(" \t", start), text_.size()));
        if (start >= text_.size() || (text_[start] != '"' && text_[start] != '\'')) return;
        const char quote = text_[start];
        for (std::size_t i = start + 1; i < text_.size(); ++i) {
            const bool doubled = quote == '\'' && text_.substr(i, 2) == "''";
            if (doubled || (quote == '"' && text_[i] == '\\')) ++i;
            else if (text_[i] == quote) return;
        }
        throw located_error({at(mark), "", ""},
                            "[adamant] a quoted text ends with its quote: the file ends before.");
    }

    //! yaml-cpp 0.7 takes a word on the last line, where a file was cut off, for a key without a value, which
    //! it gives the place of the key.
    void require_colon(const YAML::Mark& value) {
        if (value.pos != last_scalar_ || open_.empty()) return;
        const open_node& map = open_.back();
        if (map.key != nullptr && !map.in_braces)
            fail(*map.made, map.key->where,
                 "[adamant] a key has a colon behind it: '" + map.key->text + "' has none.");
    }

    static void fail(node& where, const location& place, std::string problem) {
        if (!where.problem.empty()) return;
        where.problem = std::move(problem);
        where.problem_where = place;
    }
    static void foreign_tag(node& made, const std::string& tag) {
        fail(made, made.where,
             "[adamant] a tag is !!str, !!int, !!float, !!bool or !!null: remove '" + tag + "'.");
    }

    std::shared_ptr<node> scalar(const YAML::Mark& mark, const std::string& text, bool quoted) const {
        auto made = std::make_shared<node>();
        made->kind = !quoted && is_null_word(text) ? node::type::null : node::type::scalar;
        made->where = at(mark);
        made->text = text;
        made->quoted = quoted;
        return made;
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, node::type kind) {
        auto made = std::make_shared<node>();
        made->kind = kind;
        made->where = at(mark);
        if (!tag.empty() && tag != "?" && tag != "!" && tag != "tag:yaml.org,2002:map" &&
            tag != "tag:yaml.org,2002:seq")
            foreign_tag(*made, tag);
        if (anchor != 0) anchors_[anchor] = nullptr;  // not finished: an alias in here would hold itself
        open_.push_back({made, anchor});
    }

    void close() {
        open_node done = std::move(open_.back());
        open_.pop_back();
        for (entry& e : done.merged)
            if (!done.lines.contains(e.key)) done.made->entries.push_back(std::move(e));
        place(done.made, done.anchor);
    }

    //! Puts a finished node where it belongs.
    void place(const node_ptr& finished, YAML::anchor_t anchor) {
        if (anchor != 0) anchors_[anchor] = finished;
        if (open_.empty()) {
            documents.push_back(finished);
            return;
        }
        open_node& parent = open_.back();
        if (finished->depth >= deepest) {
            fail(*parent.made, finished->where,
                 "[adamant] a configuration is at most 500 levels deep: this one is deeper.");
            parent.key = nullptr;
            return;
        }
        parent.made->depth = std::max(parent.made->depth, finished->depth + 1);
        if (parent.made->kind == node::type::sequence) {
            parent.made->items.push_back(finished);
        } else if (parent.key == nullptr) {
            parent.key = finished;
        } else {
            add(parent, *std::exchange(parent.key, nullptr), finished);
        }
    }

    static void add(open_node& parent, const node& key, const node_ptr& value) {
        node& map = *parent.made;
        if (!key.problem.empty()) {
            fail(map, key.problem_where, key.problem);
        } else if (key.kind == node::type::sequence || key.kind == node::type::map) {
            fail(map, key.where, "[adamant] a key is a word: this one is a list or a map.");
        } else if (key.text == "<<" && !key.quoted) {
            merge(parent, key, value);
        } else if (const auto [known, added] = parent.lines.try_emplace(key.text, key.where.line); !added) {
            fail(map, key.where,
                 "[adamant] a key stands once in a map: '" + key.text + "' stands on line " +
                     std::to_string(known->second) + " already.");
        } else {
            map.entries.push_back({key.text, key.where, value});
        }
    }

    static void merge(open_node& parent, const node& key, const node_ptr& value) {
        const auto take = [&](const node& source) {
            if (source.kind != node::type::map)
                return fail(*parent.made, key.where,
                            "[adamant] << merges a map or a list of maps: give it an alias of a map.");
            if (!source.problem.empty()) fail(*parent.made, source.problem_where, source.problem);
            for (const entry& e : source.entries)
                if (std::ranges::find(parent.merged, e.key, &entry::key) == parent.merged.end())
                    parent.merged.push_back(e);
        };
        if (value->kind == node::type::sequence)
            for (const node_ptr& item : value->items) take(*item);
        else take(*value);
    }

    std::string file_;
    std::string_view text_;
    int document_start_ = -1, last_scalar_ = -1;
    std::vector<open_node> open_;
    std::map<YAML::anchor_t, node_ptr> anchors_;
};

}  // namespace detail

//! The documents of a YAML text. `file` is the name that errors give it.
inline std::vector<node_ptr> parse_documents(std::string text, const std::string& file) {
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    if (const std::size_t broken = detail::first_broken_byte(text); broken < text.size()) {
        const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(broken), '\n');
        throw located_error({{file, 1 + static_cast<int>(line), 1}, "", ""},
                            std::string("[adamant] a YAML file is UTF-8 text: this line has a ") +
                                (text[broken] == '\0' ? "zero byte." : "byte that is not."));
    }
    std::istringstream stream(text);
    detail::tree_builder builder(file, text);
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {}
    } catch (const YAML::Exception& e) {
        throw located_error({{file, e.mark.line + 1, e.mark.column + 1}, "", ""},
                            "[adamant] a configuration is valid YAML: " + e.msg + ".");
    }
    return builder.documents;
}

}  // namespace adamant::inline v0::yaml
