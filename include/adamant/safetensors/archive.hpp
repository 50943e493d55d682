// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! archive: the tensors of a file, or of the files that an index names, each whole or in parts; any range of
//! any tensor is gathered from where it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <adamant/optimizer/state_access.hpp>
#include <adamant/safetensors/file.hpp>
#include <adamant/safetensors/header.hpp>
#include <adamant/safetensors/progress.hpp>

namespace adamant::inline v0::safetensors {

//! Key of __metadata__ that says what a file holds of tensors that it holds in part: JSON,
//! {"exp_avg.layer.weight": {"begin": 128, "shape": [20, 15]}}. In the file such a tensor has one dimension.
inline constexpr std::string_view parts_key = "parts";
//! Keys of __metadata__ by which the files of a checkpoint know each other.
inline constexpr std::string_view id_key = "checkpoint_id", ranks_key = "ranks", rank_key = "rank";

struct part_note {
    std::int64_t begin = 0;
    std::vector<std::int64_t> shape;  //!< of the whole
};
using part_notes = std::map<std::string, part_note, std::less<>>;

inline std::string to_text(const part_notes& notes) {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [name, note] : notes) all[name] = {{"begin", note.begin}, {"shape", note.shape}};
    return all.dump();
}

class archive {
public:
    struct segment {
        std::size_t file = 0;
        element_range part;
        std::int64_t offset = 0;  //!< of its first byte in the file
    };
    struct tensor {
        element_type type{};
        std::vector<std::int64_t> shape;
        std::vector<segment> segments;  //!< in order, without overlap

        std::int64_t elements() const { return elements_of(shape); }
    };

    //! A .safetensors file, or an index (.json). Throws checkpoint_error.
    explicit archive(const std::string& path) : path_(path) {
        if (std::filesystem::path(path).extension() == ".json") read_index();
        else add_file(path, "");
        for (auto& [name, found] : tensors_) order_segments(name, found);
    }

    const std::string& path() const { return path_; }
    //! That of the first file; the others differ in rank and parts only.
    const header& first_header() const { return first_; }
    const std::map<std::string, tensor, std::less<>>& tensors() const { return tensors_; }
    const tensor* find(std::string_view name) const {
        const auto found = tensors_.find(name);
        return found == tensors_.end() ? nullptr : &found->second;
    }

    //! Throws unless a tensor is there with this type and shape, and a range of it in some file.
    const tensor& require(std::string_view name, element_type type, const std::vector<std::int64_t>& shape,
                          element_range range) const {
        const tensor* found = find(name);
        if (found == nullptr)
            complain("a checkpoint has every tensor of the optimizer", path_, name, "it is not there");
        if (found->type != type)
            complain("a tensor has the dtype of its slot", path_, name,
                     "expected " + std::string(type.name) + ", got " + std::string(found->type.name));
        if (found->shape != shape)
            complain(
                "a tensor has the shape that it has in the optimizer", path_, name,
                "expected " + nlohmann::json(shape).dump() + ", got " + nlohmann::json(found->shape).dump());
        std::int64_t here = range.begin;
        for (const segment& s : found->segments)
            if (s.part.begin <= here && here < s.part.end) here = s.part.end;
        if (here < range.end)
            complain("the files of a checkpoint hold all of a tensor", path_, name,
                     "no file has element " + std::to_string(here));
        return *found;
    }

    //! Reads a range, which require has seen, to `to`.
    void read(const tensor& from, element_range range, void* to, progress_meter& meter) const {
        for (const segment& s : from.segments) {
            const element_range both{std::max(s.part.begin, range.begin), std::min(s.part.end, range.end)};
            if (both.begin >= both.end) continue;
            const std::int64_t start = s.offset + (both.begin - s.part.begin) * from.type.bytes;
            char* place = static_cast<char*>(to) + (both.begin - range.begin) * from.type.bytes;
            meter.move(both.size() * from.type.bytes, [&](std::int64_t offset, std::int64_t bytes) {
                files_[s.file].read(start + offset, place + offset, bytes);
            });
        }
    }

private:
    static constexpr std::string_view index_rule = "an index names the files of a checkpoint";

    void read_index() {
        const input_file file(path_);
        if (file.size() > header::longest)
            complain(index_rule, path_, "", "it has more than 100,000,000 bytes");
        std::string text(static_cast<std::size_t>(file.size()), '\0');
        file.read(0, text.data(), file.size());
        const nlohmann::json index = nlohmann::json::parse(text, nullptr, false);
        const auto member = [&](const char* key) -> const nlohmann::json& {
            if (!index.is_object() || !index.contains(key))
                complain(index_rule, path_, "", std::string("it is no JSON object with '") + key + "'");
            return index[key];
        };
        const nlohmann::json &files = member("files"), &id = member(id_key.data());
        if (!files.is_array() || files.empty() || !id.is_string())
            complain(index_rule, path_, "", "'files' is a list of names, 'checkpoint_id' a text");
        for (const nlohmann::json& name : files) {
            // Beside the index, wherever the folder was moved.
            if (!name.is_string() || name.get<std::string>().find('/') != std::string::npos)
                complain(index_rule, path_, "", "'files' is a list of names without folders");
            add_file((std::filesystem::path(path_).parent_path() / name.get<std::string>()).string(),
                     id.get<std::string>());
        }
        const std::string* ranks = first_.text(ranks_key);
        if (ranks == nullptr || *ranks != std::to_string(files.size()))
            complain(index_rule, path_, "",
                     "expected " + (ranks == nullptr ? "one" : shown(*ranks)) +
                         " files, as the first one says, got " + std::to_string(files.size()));
    }

    //! `id`: that of the index, or empty for a file alone.
    void add_file(const std::string& name, const std::string& id) {
        files_.emplace_back(name);
        const input_file& file = files_.back();
        header h = read_header(file);
        const std::string* own_id = h.text(id_key);
        if (own_id != nullptr && id.empty())
            complain("a part of a checkpoint is loaded by its index", name, "",
                     "this is rank " + shown(h.text(rank_key) != nullptr ? *h.text(rank_key) : "?") +
                         "'s; load the .json file beside it");
        if (!id.empty() && (own_id == nullptr || *own_id != id))
            complain("the files of an index were written together", name, "",
                     "expected checkpoint_id '" + shown(id) + "', got " +
                         (own_id == nullptr ? "none" : "'" + shown(*own_id) + "'"));
        add_tensors(h, name, 8 + file_header_bytes_);
        h.entries.clear();
        if (files_.size() == 1) first_ = std::move(h);
        else require_same_texts(h, name);
    }

    header read_header(const input_file& file) {
        constexpr std::string_view rule = "a safetensors file begins with the length of its header";
        unsigned char bytes[8];
        if (file.size() < 8)
            complain(rule, file.name(), "", "it has " + std::to_string(file.size()) + " bytes in all");
        file.read(0, bytes, 8);
        std::uint64_t length = 0, swapped = 0;
        for (int i = 7; i >= 0; --i) length = length << 8 | bytes[i];
        for (int i = 0; i < 8; ++i) swapped = swapped << 8 | bytes[i];
        const auto rest = static_cast<std::uint64_t>(file.size() - 8);
        const auto fits = [&](std::uint64_t n) { return n <= rest && n <= std::uint64_t{header::longest}; };
        if (!fits(length))
            complain(rule, file.name(), "",
                     "it says " + std::to_string(length) + ", at most 100,000,000 and the " +
                         std::to_string(rest) + " bytes that follow are possible" +
                         (fits(swapped) && swapped > 0 ? "; written big-endian?" : ""));
        std::string text(static_cast<std::size_t>(length), '\0');
        file.read(8, text.data(), static_cast<std::int64_t>(length));
        if (!text.starts_with('{')) complain(rule, file.name(), "", "the header does not begin with '{'");
        file_header_bytes_ = static_cast<std::int64_t>(length);
        return parse_header(text, file.name(), static_cast<std::int64_t>(rest - length));
    }

    void add_tensors(const header& h, const std::string& file, std::int64_t data) {
        part_notes notes = read_notes(h, file);
        for (const entry& e : h.entries) {
            const auto note = notes.find(e.name);
            const std::int64_t begin = note == notes.end() ? 0 : note->second.begin;
            const std::vector<std::int64_t>& shape = note == notes.end() ? e.shape : note->second.shape;
            const auto [found, is_new] = tensors_.try_emplace(e.name, tensor{e.type, shape, {}});
            tensor& whole = found->second;
            if (!is_new && (whole.type != e.type || whole.shape != shape))
                complain("parts of a tensor have one dtype and shape", file, e.name,
                         "another file has another");
            const element_range part{begin, begin + elements_of(e.shape)};
            if (part.end > whole.elements())
                complain("parts of a tensor lie in it", file, e.name,
                         "elements " + std::to_string(part.begin) + " to " + std::to_string(part.end) +
                             " of " + std::to_string(whole.elements()));
            whole.segments.push_back({files_.size() - 1, part, data + e.begin});
        }
        for (const entry& e : h.entries) notes.erase(e.name);
        if (!notes.empty())
            complain("'parts' speaks of tensors of the file", file, notes.begin()->first, "it is not there");
    }

    static part_notes read_notes(const header& h, const std::string& file) {
        part_notes notes;
        const std::string* text = h.text(parts_key);
        if (text == nullptr) return notes;
        constexpr std::string_view rule = "'parts' is a JSON object of objects with begin and shape";
        const nlohmann::json all = nlohmann::json::parse(*text, nullptr, false);
        if (!all.is_object()) complain(rule, file, "", "it is something else");
        constexpr std::int64_t most = std::int64_t{1} << 62;
        const auto is_count = [](const nlohmann::json& n) {
            return n.is_number_unsigned() && n.get<std::uint64_t>() <= std::uint64_t{most};
        };
        for (const auto& [name, value] : all.items()) {
            if (!value.is_object() || !value.contains("begin") || !value.contains("shape") ||
                !is_count(value["begin"]) || !value["shape"].is_array() ||
                !std::ranges::all_of(value["shape"], is_count))
                complain(rule, file, name, "it is something else");
            part_note note{value["begin"].get<std::int64_t>(),
                           value["shape"].get<std::vector<std::int64_t>>()};
            (void)detail::bytes_of({.name = name, .type = {"", 8}, .shape = note.shape}, file);
            notes.emplace(name, std::move(note));
        }
        return notes;
    }

    void require_same_texts(const header& h, const std::string& file) const {
        const auto common = [](const header& of) {
            text_map texts = of.metadata;
            for (const std::string_view own : {parts_key, rank_key})
                if (const auto found = texts.find(own); found != texts.end()) texts.erase(found);
            return texts;
        };
        if (common(h) != common(first_))
            complain("the files of an index were written together", file, "",
                     "its __metadata__ is not that of the first one");
    }

    void order_segments(const std::string& name, tensor& found) const {
        std::erase_if(found.segments, [](const segment& s) { return s.part.size() == 0; });
        std::ranges::sort(found.segments, {}, [](const segment& s) { return s.part.begin; });
        for (std::size_t i = 1; i < found.segments.size(); ++i)
            if (found.segments[i].part.begin < found.segments[i - 1].part.end)
                complain("an element is in one file", files_[found.segments[i].file].name(), name,
                         "element " + std::to_string(found.segments[i].part.begin) + " is in '" +
                             files_[found.segments[i - 1].file].name() + "' too");
    }

    std::string path_;
    std::vector<input_file> files_;
    std::int64_t file_header_bytes_ = 0;  // of the file that is being added
    header first_;
    std::map<std::string, tensor, std::less<>> tensors_;
};

}  // namespace adamant::inline v0::safetensors
