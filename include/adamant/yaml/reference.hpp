// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! reference: OmegaConf's ${...} in a value: ${a.b} from the root, ${.x} in the same map, ${..x} one up,
//! ${oc.select:path,default}, ${oc.env:NAME,default}, ${oc.decode:text}, nested. Only values that are read
//! are resolved.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <adamant/yaml/node.hpp>

namespace adamant::inline v0::yaml {

//! The maps from the root down to the one that holds a value.
using ancestry = std::vector<node_ptr>;

//! Finds a dotted path below ancestors.back(); ends with the ancestry of what was found.
inline node_ptr find_path(std::string_view path, ancestry& ancestors) {
    node_ptr here = ancestors.back();
    while (!path.empty()) {
        const auto dot = path.find('.');
        const std::string_view key = path.substr(0, dot);
        path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
        if (here->kind != node::type::map) return nullptr;
        if (!here->problem.empty()) return here;
        const entry* found = here->find(key);
        if (found == nullptr) return nullptr;
        if (here != ancestors.back()) ancestors.push_back(here);
        here = found->value;
    }
    return here;
}

//! Resolves the references in values of one document.
class reference_resolver {
public:
    explicit reference_resolver(node_ptr root) : root_(std::move(root)) {}

    //! The value itself where it holds no reference, else what the reference stands for. `at` is named in
    //! errors.
    node_ptr resolve(const node_ptr& value, const ancestry& ancestors, const place& at) const {
        references_ = 0;
        return resolve(value, ancestors, at, 0);
    }
    //! The maps above what resolve() found last: references in it lead on from there.
    const ancestry& home() const { return home_; }

private:
    static constexpr int deepest = 64;
    static constexpr int most = 1000;
    static constexpr std::size_t longest = 1 << 16;

    node_ptr resolve(const node_ptr& value, const ancestry& ancestors, const place& at, int depth) const {
        if (value->kind != node::type::scalar || value->text.find("${") == std::string::npos) {
            home_ = ancestors;
            return value;
        }
        if (depth > deepest)
            throw located_error(at, "[adamant] references end somewhere: this one leads back to itself.");
        return expand(value->text, ancestors, at, depth);
    }

    //! Text with references: one reference alone may be any node, several are joined as text.
    node_ptr expand(std::string_view text, const ancestry& ancestors, const place& at, int depth) const {
        if (text.starts_with("${") && end_of(text, 0, at) == text.size())
            return refer(text.substr(2, text.size() - 3), ancestors, at, depth);
        std::string joined;
        for (std::size_t i = 0; i < text.size();) {
            if (text.substr(i).starts_with("${")) {
                const std::size_t end = end_of(text, i, at);
                const node_ptr part = refer(text.substr(i + 2, end - i - 3), ancestors, at, depth);
                if (part->kind == node::type::sequence || part->kind == node::type::map)
                    throw located_error(at,
                                        "[adamant] a reference inside a text stands for a text or a number: "
                                        "this one is a list or a map.");
                joined += part->kind == node::type::null ? "null" : part->text;
                i = end;
            } else {
                joined += text[i++];
            }
            if (joined.size() > longest)
                throw located_error(at,
                                    "[adamant] a value has at most 65536 characters: this one is longer.");
        }
        return text_node(joined, at);
    }

    //! The place after the brace that closes the reference at `start`.
    static std::size_t end_of(std::string_view text, std::size_t start, const place& at) {
        int open = 0;
        for (std::size_t i = start; i < text.size(); ++i) {
            if (text.substr(i).starts_with("${")) ++open, ++i;
            else if (text[i] == '}' && --open == 0) return i + 1;
        }
        throw located_error(at, "[adamant] a reference ends with a brace: write ${path}.");
    }

    //! What is between the braces.
    node_ptr refer(std::string_view inner, const ancestry& ancestors, const place& at, int depth) const {
        if (++references_ > most)
            throw located_error(at, "[adamant] a value takes at most 1000 references: this one takes more.");
        const auto colon = inner.find(':');
        const auto nested = inner.find("${");
        if (colon == std::string_view::npos || nested < colon) {
            if (nested != std::string_view::npos) {
                const node_ptr path = expand(inner, ancestors, at, depth + 1);
                return look_up(path->text, ancestors, at, depth, true);
            }
            return look_up(inner, ancestors, at, depth, true);
        }
        const std::string_view name = inner.substr(0, colon);
        const std::vector<std::string_view> arguments = split(inner.substr(colon + 1));
        const auto argument = [&](std::size_t i) {
            return expand_argument(arguments[i], ancestors, at, depth + 1);
        };
        if (name == "oc.select" && (arguments.size() == 1 || arguments.size() == 2)) {
            node_ptr found = look_up(argument(0)->text, ancestors, at, depth, false);
            if (found != nullptr) return found;
            return arguments.size() == 2 ? argument(1) : null_node(at);
        }
        if (name == "oc.env" && (arguments.size() == 1 || arguments.size() == 2)) {
            const std::string variable = argument(0)->text;
            if (const char* value = std::getenv(variable.c_str())) return text_node(value, at);
            if (arguments.size() == 2) return argument(1);
            throw located_error(at, "[adamant] ${oc.env:NAME} names a variable of the environment: set " +
                                        variable + " or give a default.");
        }
        if (name == "oc.decode" && arguments.size() == 1) {
            const node_ptr text = argument(0);
            return text->kind == node::type::scalar && is_null_word(text->text) ? null_node(at) : text;
        }
        throw located_error(
            at,
            "[adamant] a resolver is oc.select:path[,default], oc.env:NAME[,default] or oc.decode:text: '" +
                std::string(name) + "' is unknown here or has other arguments.");
    }

    node_ptr look_up(std::string_view path, const ancestry& ancestors, const place& at, int depth,
                     bool required) const {
        ancestry base{root_};
        std::string_view rest = path;
        std::size_t dots = 0;
        while (rest.starts_with('.')) rest.remove_prefix(1), ++dots;
        node_ptr found;
        if (dots > 0 && dots <= ancestors.size())
            base.assign(ancestors.begin(), ancestors.end() - static_cast<std::ptrdiff_t>(dots - 1));
        if (dots <= ancestors.size()) found = walk(rest, base, at, depth);
        if (found == nullptr || (found->kind == node::type::scalar && found->text == "???")) {
            if (!required) return nullptr;
            throw located_error(at, "[adamant] a reference names a value that is there: there is no '" +
                                        std::string(path) + "'.");
        }
        if (!found->problem.empty())
            throw located_error({found->problem_where, std::string(path), ""}, found->problem);
        return resolve(found, base, at, depth + 1);
    }

    //! find_path, with the references on the way resolved.
    node_ptr walk(std::string_view path, ancestry& base, const place& at, int depth) const {
        node_ptr here = base.back();
        while (!path.empty()) {
            const auto dot = path.find('.');
            here = find_path(path.substr(0, dot), base);
            path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
            if (here == nullptr || path.empty()) return here;
            here = resolve(here, base, at, depth + 1);
            base = home_;
            base.push_back(here);
        }
        return here;
    }

    node_ptr expand_argument(std::string_view text, const ancestry& ancestors, const place& at,
                             int depth) const {
        while (text.starts_with(' ')) text.remove_prefix(1);
        while (text.ends_with(' ')) text.remove_suffix(1);
        const bool quoted = text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0];
        if (quoted) return text_node(std::string(text.substr(1, text.size() - 2)), at);
        if (text == "null") return null_node(at);
        return expand(text, ancestors, at, depth);
    }

    //! Arguments at the commas outside of nested braces and quotes.
    static std::vector<std::string_view> split(std::string_view text) {
        std::vector<std::string_view> parts;
        int open = 0;
        char quote = 0;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char c = text[i];
            if (quote != 0) quote = c == quote ? '\0' : quote;
            else if (c == '\'' || c == '"') quote = c;
            else if (c == '{') ++open;
            else if (c == '}') --open;
            else if (c == ',' && open == 0) parts.push_back(text.substr(begin, i - begin)), begin = i + 1;
        }
        parts.push_back(text.substr(begin));
        return parts;
    }

    static node_ptr text_node(std::string text, const place& at) {
        auto made = std::make_shared<node>();
        made->kind = node::type::scalar;
        made->where = at.where;
        made->text = std::move(text);
        made->quoted = true;
        return made;
    }
    static node_ptr null_node(const place& at) {
        auto made = std::make_shared<node>();
        made->where = at.where;
        return made;
    }

    node_ptr root_;
    mutable ancestry home_{};
    mutable int references_ = 0;  // so far for one value: doubling ones would never end
};

}  // namespace adamant::inline v0::yaml
