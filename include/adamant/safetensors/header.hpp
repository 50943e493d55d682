// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! header: what a safetensors file says of its tensors, read with distrust and written.
//!
//! A file is the length of the header (8 bytes, little endian), the header (JSON, padded with blanks) and the
//! tensors' bytes without gaps (https://github.com/huggingface/safetensors, "Format").
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <adamant/safetensors/complaint.hpp>
#include <adamant/safetensors/element_type.hpp>
#include <nlohmann/json.hpp>

namespace adamant::inline v0::safetensors {

//! A tensor of a file. Offsets are bytes from the first one after the header.
struct entry {
    std::string name{};
    element_type type{};
    std::vector<std::int64_t> shape{};
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

inline std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{});
}

using text_map = std::map<std::string, std::string, std::less<>>;

struct header {
    //! As the format's own readers have it.
    static constexpr std::int64_t longest = 100'000'000;

    text_map metadata;
    std::vector<entry> entries;  //!< in the order of their bytes

    const std::string* text(std::string_view key) const {
        const auto found = metadata.find(key);
        return found == metadata.end() ? nullptr : &found->second;
    }
};

namespace detail {

//! Takes the header's JSON as it is parsed: a tree of it would be ten times its length, and would not know of
//! duplicates. Functions are those that nlohmann::json::sax_parse calls; false ends the parse.
class header_reader {
public:
    header_reader(header& result, std::string_view file) : result_(result), file_(file) {}

    bool null() { return refuse("null"); }
    bool boolean(bool) { return refuse("a boolean"); }
    bool number_integer(std::int64_t) { return refuse("a negative number"); }
    bool number_float(double, const std::string& text) { return refuse("the number " + text); }
    bool binary(nlohmann::json::binary_t&) { return refuse("binary data"); }

    bool number_unsigned(std::uint64_t value) {
        if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
            return refuse("a number above 2^63 - 1");
        const auto number = static_cast<std::int64_t>(value);
        if (place_ == place::shape) {
            current_.shape.push_back(number);
            return true;
        }
        if (place_ == place::offsets && offsets_ < 2) {
            (offsets_++ == 0 ? current_.begin : current_.end) = number;
            return true;
        }
        return refuse("a number");
    }
    bool string(std::string& text) {
        if (place_ == place::metadata) {
            if (!result_.metadata.emplace(key_, text).second)
                say("__metadata__ has '" + shown(key_) + "' twice");
            return true;
        }
        if (place_ != place::tensor || key_ != "dtype") return refuse("a string");
        const element_type* type = element_type_named(text);
        if (type == nullptr) say("its dtype '" + shown(text) + "' is not known");
        current_.type = *type;
        return true;
    }

    bool start_object(std::size_t) {
        if (place_ == place::outside && !ended_) place_ = place::file;
        else if (place_ == place::file && key_ == "__metadata__") {
            if (std::exchange(has_metadata_, true)) say("__metadata__ stands there twice");
            place_ = place::metadata;
        } else if (place_ == place::file) {
            current_ = {.name = key_};
            seen_ = {};
            place_ = place::tensor;
        } else return refuse("an object");
        return true;
    }
    bool key(std::string& name) {
        key_ = name;
        if (place_ != place::tensor) return true;
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (name == fields[i]) {
                if (std::exchange(seen_[i], true)) say("it has '" + name + "' twice");
                return true;
            }
        say("'" + shown(name) + "' is not dtype, shape or data_offsets");
    }
    bool end_object() {
        if (place_ == place::file) {
            place_ = place::outside;
            ended_ = true;
            return true;
        }
        if (place_ == place::tensor) {
            for (std::size_t i = 0; i < fields.size(); ++i)
                if (!seen_[i]) say("it has no " + std::string(fields[i]));
            result_.entries.push_back(std::move(current_));
            current_ = {};
        }
        place_ = place::file;
        return true;
    }
    bool start_array(std::size_t) {
        if (place_ != place::tensor || key_ == "dtype") return refuse("a list");
        place_ = key_ == "shape" ? place::shape : place::offsets;
        offsets_ = 0;
        return true;
    }
    bool end_array() {
        if (place_ == place::offsets && offsets_ != 2) say("data_offsets are two numbers");
        place_ = place::tensor;
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
        say("it is not JSON from byte " + std::to_string(8 + position) + " on");
    }

private:
    enum class place { outside, file, metadata, tensor, shape, offsets };
    static constexpr std::array<std::string_view, 3> fields{"dtype", "shape", "data_offsets"};

    [[noreturn]] void say(const std::string& what) const {
        complain("a safetensors header maps names to dtype, shape and data_offsets", file_, current_.name,
                 what);
    }
    bool refuse(const std::string& what) const {
        say(what + " has no place " + (key_.empty() ? "there" : "at '" + shown(key_) + "'"));
    }

    header& result_;
    std::string_view file_;
    place place_ = place::outside;
    bool ended_ = false;
    bool has_metadata_ = false;
    std::string key_;
    entry current_;
    std::array<bool, 3> seen_{};
    int offsets_ = 0;
};

//! Bytes that a tensor's dtype and shape ask for.
inline std::int64_t bytes_of(const entry& e, std::string_view file) {
    std::int64_t bytes = e.type.bytes;
    for (const std::int64_t extent : e.shape)
        if (__builtin_mul_overflow(bytes, extent, &bytes))
            complain("a tensor has less than 2^63 bytes", file, e.name, "its shape has more");
    return bytes;
}

//! Tensors have the bytes that their shapes ask for, and lie one after the other to the end of the file.
inline void check_extents(header& h, std::string_view file, std::int64_t data_bytes) {
    std::ranges::sort(h.entries, [](const entry& a, const entry& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::int64_t end = 0;
    for (const entry& e : h.entries) {
        const std::string offsets =
            "its data_offsets are " + std::to_string(e.begin) + " and " + std::to_string(e.end);
        if (e.end < e.begin || e.end > data_bytes)
            complain("data_offsets lie in the file, the smaller first", file, e.name,
                     offsets + ", and " + std::to_string(data_bytes) + " bytes follow the header");
        if (e.begin != end)
            complain("tensors lie one after the other", file, e.name,
                     offsets + ", and the tensor before it ends at " + std::to_string(end));
        const std::int64_t bytes = bytes_of(e, file);
        if (e.end - e.begin != bytes)
            complain("a tensor has the bytes that its dtype and shape ask for", file, e.name,
                     offsets + ", expected " + std::to_string(bytes) + " bytes");
        end = e.end;
    }
    if (end != data_bytes)
        complain(
            "a file ends with its last tensor", file, h.entries.empty() ? "" : h.entries.back().name,
            "expected " + std::to_string(end) + " bytes after the header, got " + std::to_string(data_bytes));
}

inline void check_names(const header& h, std::string_view file) {
    std::vector<std::string_view> names;
    for (const entry& e : h.entries) names.push_back(e.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) complain("a file has a tensor once", file, *twice, "it is there twice");
}

}  // namespace detail

//! A header from its text; `data_bytes` follow it in the file. Throws checkpoint_error.
inline header parse_header(std::string_view text, std::string_view file, std::int64_t data_bytes) {
    header result;
    detail::header_reader reader(result, file);
    nlohmann::json::sax_parse(text, &reader);
    detail::check_names(result, file);
    detail::check_extents(result, file, data_bytes);
    return result;
}

//! Length, JSON and blanks; the data begin at a multiple of 64 bytes. Throws checkpoint_error where a name or
//! a text is not UTF-8.
inline std::string to_bytes(const header& h, std::string_view file) {
    std::string text = "{";
    const auto quoted = [&](std::string_view words) {
        try {
            return nlohmann::json(words).dump();
        } catch (const nlohmann::json::exception&) {
            complain("names and texts are UTF-8", file, words, "this one is not");
        }
    };
    const auto add = [&](std::string_view name) {
        text += (text.size() > 1 ? "," : "") + quoted(name) + ":";
    };
    if (!h.metadata.empty()) {
        std::string inner;
        for (const auto& [key, value] : h.metadata)
            inner += (inner.empty() ? "" : ",") + quoted(key) + ":" + quoted(value);
        add("__metadata__");
        text += "{" + inner + "}";
    }
    for (const entry& e : h.entries) {
        add(e.name);
        text += "{\"dtype\":" + quoted(e.type.name) + ",\"shape\":" + nlohmann::json(e.shape).dump() +
                ",\"data_offsets\":[" + std::to_string(e.begin) + "," + std::to_string(e.end) + "]}";
    }
    text += "}";
    constexpr std::size_t alignment = 64;
    text.resize((8 + text.size() + alignment - 1) / alignment * alignment - 8, ' ');
    if (text.size() > std::size_t{header::longest})
        complain("a header has at most 100,000,000 bytes", file, "",
                 "this one has " + std::to_string(text.size()));
    std::string result;
    for (int i = 0; i < 8; ++i) result += static_cast<char>(text.size() >> (8 * i) & 0xFF);
    return result + text;
}

}  // namespace adamant::inline v0::safetensors
