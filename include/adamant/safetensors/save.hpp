// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! save: an optimizer and its parameters in a safetensors file, whole or not at all; or in a file per rank,
//! with an index that makes them a checkpoint.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <adamant/optimizer/any_optimizer.hpp>
#include <adamant/safetensors/archive.hpp>
#include <adamant/safetensors/named_array.hpp>
#include <adamant/safetensors/record.hpp>

namespace adamant::inline v0::safetensors {

struct save_options {
    //! The schedule and its position, where the caller has them. An any_optimizer has its own.
    std::optional<std::int64_t> schedule_position{};  //!< none: the step count
    std::optional<schedule_settings> schedule{};
    text_map metadata{};  //!< texts of the caller's, under "user.KEY"
    progress_callback on_progress{};
};

//! Which part of a checkpoint a rank writes. The id is the same on all ranks, and new for every save.
struct rank_part {
    int rank = 0;
    int ranks = 1;
    std::string id{};
};

namespace detail {

//! Parameters as an optimizer was built for them; shape_error as a step would throw it.
template <tensor_list Params>
std::vector<param_view> take_params(const state_access& state, const Params& params) {
    std::vector<param_view> views(state.tensors().size());
    state.tensors().take_params(params, views);
    return views;
}

//! What is written: all of it, or what a rank holds.
inline std::vector<named_array> arrays_to_write(state_access& state, std::span<const param_view> params) {
    std::vector<named_array> arrays;
    for (std::size_t i = 0; i < params.size(); ++i) {
        named_array weights = weights_of(state, i, params[i]);
        weights.part = state.held(i);
        if (params[i].size > 0)
            weights.data = static_cast<char*>(weights.data) + weights.part.begin * weights.type.bytes;
        arrays.push_back(std::move(weights));
        for (const slot s : all_slots)
            for (named_array& array : slot_arrays(state, i, s, state.spec()))
                arrays.push_back(std::move(array));
    }
    std::erase_if(arrays,
                  [](const named_array& a) { return a.part.size() == 0 && elements_of(a.shape) != 0; });
    // Wide elements first: each then lies at a multiple of its size.
    std::ranges::stable_sort(arrays, std::ranges::greater{},
                             [](const named_array& a) { return a.type.bytes; });
    return arrays;
}

inline void check_names(const state_access& state, std::span<const named_array> arrays,
                        const std::string& file) {
    std::vector<std::string_view> names;
    for (const named_array& a : arrays) names.push_back(a.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end())
        complain("tensors have names of their own", file, *twice,
                 "two of the optimizer's " + std::to_string(state.tensors().size()) +
                     " tensors would have this name in the file");
}

//! Entries and notes on parts of some arrays.
inline void describe_arrays(std::span<const named_array> arrays, header& h) {
    part_notes notes;
    std::int64_t end = 0;
    for (const named_array& a : arrays) {
        entry e{a.name, a.type, a.shape, end, end + a.bytes()};
        if (a.part != element_range{0, elements_of(e.shape)}) {
            notes[a.name] = {a.part.begin, a.shape};
            e.shape = {a.part.size()};
        }
        end = e.end;
        h.entries.push_back(std::move(e));
    }
    if (!notes.empty()) h.metadata[std::string(parts_key)] = to_text(notes);
}

inline void write_file(const std::string& file, const header& h, const state_access& state,
                       std::span<const named_array> arrays, const progress_callback& on_progress) {
    const std::string head = to_bytes(h, file);
    const std::int64_t data = h.entries.empty() ? 0 : h.entries.back().end;
    output_file out(file, static_cast<std::int64_t>(head.size()) + data);
    out.write(head.data(), static_cast<std::int64_t>(head.size()));
    progress_meter meter(on_progress, data);
    std::vector<char> piece(state.is_on_host() ? 0 : static_cast<std::size_t>(progress_meter::piece));
    for (const named_array& a : arrays)
        meter.move(a.bytes(), [&](std::int64_t offset, std::int64_t bytes) {
            const char* from = static_cast<const char*>(a.data) + offset;
            if (!state.is_on_host()) {
                state.copy_to_host(piece.data(), from, bytes);
                from = piece.data();
            }
            out.write(from, bytes);
        });
    out.commit();
}

inline header header_of(const state_access& state, const save_options& options) {
    training_record record{state.spec(),
                           state.run(),
                           state.hyper().beta1,
                           state.hyper().beta2,
                           options.schedule_position.value_or(state.run().step),
                           options.schedule};
    if (record.schedule_position < 0)
        throw state_error("[adamant] a schedule's position is not negative: got " +
                          std::to_string(record.schedule_position) + ".");
    header h{to_texts(record), {}};
    for (const auto& [key, value] : options.metadata) h.metadata["user." + key] = value;
    return h;
}

inline save_options with_schedule_of(const any_optimizer& optimizer, save_options options) {
    if (!options.schedule_position) options.schedule_position = optimizer.schedule_position();
    if (!options.schedule && optimizer.schedule()) options.schedule = optimizer.schedule()->settings();
    return options;
}

//! Access for who only reads.
template <class Resolved, memory Memory>
std::unique_ptr<state_access> access_to_read(const basic_adam<Resolved, Memory>& optimizer) {
    return access_state(const_cast<basic_adam<Resolved, Memory>&>(optimizer));
}
inline std::unique_ptr<state_access> access_to_read(const any_optimizer& optimizer) {
    return access_state(const_cast<any_optimizer&>(optimizer));
}

}  // namespace detail

//! Writes a checkpoint to `file`, whose folder exists. When this returns it is on the disk; until then, and
//! whatever ends it, `file` is what it was. Errors: checkpoint_error (the disk, names), shape_error
//! (parameters).
template <tensor_list Params>
void save(const std::string& file, state_access& state, const Params& params,
          const save_options& options = {}) {
    const std::vector<param_view> views = detail::take_params(state, params);
    const std::vector<named_array> arrays = detail::arrays_to_write(state, views);
    detail::check_names(state, arrays, file);
    header h = detail::header_of(state, options);
    detail::describe_arrays(arrays, h);
    detail::write_file(file, h, state, arrays, options.on_progress);
}
template <class Resolved, memory Memory, tensor_list Params>
void save(const std::string& file, const basic_adam<Resolved, Memory>& optimizer, const Params& params,
          const save_options& options = {}) {
    save(file, *detail::access_to_read(optimizer), params, options);
}
template <tensor_list Params>
void save(const std::string& file, const any_optimizer& optimizer, const Params& params,
          const save_options& options = {}) {
    save(file, *detail::access_to_read(optimizer), params, detail::with_schedule_of(optimizer, options));
}

namespace detail {

inline void check_index_name(const std::string& index) {
    if (!index.ends_with(".json"))
        complain("the index of a checkpoint of ranks has a name that ends in .json", index, "",
                 "this one does not");
}

}  // namespace detail

//! The file of a rank: index "run/a.json" has "run/a.<id>.rank-2-of-8.safetensors" and its like.
inline std::string rank_file(const std::string& index, const rank_part& part) {
    return std::filesystem::path(index).replace_extension().string() + "." + part.id + ".rank-" +
           std::to_string(part.rank) + "-of-" + std::to_string(part.ranks) + ".safetensors";
}

namespace detail {

inline std::string folder_of(const std::string& file) {
    const std::string parent = std::filesystem::path(file).parent_path().string();
    return parent.empty() ? "." : parent;
}

//! Removes the rank files of an index but those named.
inline void remove_rank_files(const std::string& index, std::span<const std::string> kept) {
    const std::string prefix = std::filesystem::path(index).stem().string() + ".";
    std::vector<std::filesystem::path> gone;
    std::error_code error;
    std::filesystem::directory_iterator item(folder_of(index), error);
    for (; !error && item != std::filesystem::directory_iterator{}; item.increment(error)) {
        const std::string name = item->path().filename().string();
        // An id has no dot: those of the index "a.b" are not those of "a".
        const auto dot = name.find('.', prefix.size());
        if (name.starts_with(prefix) && dot != std::string::npos && name.compare(dot, 6, ".rank-") == 0 &&
            name.ends_with(".safetensors") && std::ranges::find(kept, name) == kept.end())
            gone.push_back(item->path());
    }
    for (const auto& file : gone) std::filesystem::remove(file, error);
}

}  // namespace detail

//! What a rank holds of a checkpoint, in a file beside the index. When all ranks are through, one of them
//! calls save_index: until then the checkpoint is the old one.
template <tensor_list Params>
void save_rank(const std::string& index, const rank_part& part, state_access& state, const Params& params,
               const save_options& options = {}) {
    detail::check_index_name(index);
    const std::string file = rank_file(index, part);
    if (part.rank < 0 || part.rank >= part.ranks || part.id.empty() ||
        part.id.find_first_of("/.") != std::string::npos)
        complain("a rank is one of `ranks`, and an id has letters and digits", file, "",
                 "got rank " + std::to_string(part.rank) + " of " + std::to_string(part.ranks) + ", id '" +
                     shown(part.id) + "'");
    const std::vector<param_view> views = detail::take_params(state, params);
    const std::vector<named_array> arrays = detail::arrays_to_write(state, views);
    detail::check_names(state, arrays, file);
    header h = detail::header_of(state, options);
    h.metadata.emplace(id_key, part.id);
    h.metadata.emplace(ranks_key, std::to_string(part.ranks));
    h.metadata.emplace(rank_key, std::to_string(part.rank));
    detail::describe_arrays(arrays, h);
    detail::write_file(file, h, state, arrays, options.on_progress);
}

//! Makes the files of all ranks the checkpoint, and removes those that the index had before.
inline void save_index(const std::string& index, int ranks, const std::string& id) {
    detail::check_index_name(index);
    nlohmann::json files = nlohmann::json::array();
    std::vector<std::string> names;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::string file = rank_file(index, {rank, ranks, id});
        (void)input_file(file);  // a rank that failed is noticed before the old checkpoint goes
        names.push_back(std::filesystem::path(file).filename().string());
        files.push_back(names.back());
    }
    const std::string text = nlohmann::json{{"checkpoint_id", id}, {"files", files}}.dump(1) + "\n";
    output_file out(index, static_cast<std::int64_t>(text.size()));
    out.write(text.data(), static_cast<std::int64_t>(text.size()));
    out.commit();

    detail::remove_rank_files(index, names);
    output_file::remove_leftovers(detail::folder_of(index),
                                  std::filesystem::path(index).stem().string() + ".");
}

}  // namespace adamant::inline v0::safetensors
