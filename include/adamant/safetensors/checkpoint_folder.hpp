// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! checkpoint_folder: the checkpoints of a run, a file per saved step, the oldest removed.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <adamant/safetensors/load.hpp>

namespace adamant::inline v0::safetensors {

//! FOLDER/step-1000.safetensors, or step-1000.json with a file per rank. Who goes back to an earlier step
//! removes the later ones: the newest is that of the highest step.
class checkpoint_folder {
public:
    struct checkpoint {
        std::int64_t step = 0;
        std::string path{};
    };

    //! Creates the folder where it is missing. `keep`: complete checkpoints that stay after a save, the new
    //! one included; 0: all.
    explicit checkpoint_folder(std::string folder, std::size_t keep = 0)
        : folder_(std::move(folder)), keep_(keep) {
        std::error_code error;
        std::filesystem::create_directories(folder_, error);
        if (error || !std::filesystem::is_directory(folder_, error))
            complain("checkpoints have a folder", folder_, "",
                     "it cannot be created: " + (error ? error.message() : std::string("it is a file")));
    }

    std::string path_of(std::int64_t step) const {
        return (std::filesystem::path(folder_) / ("step-" + std::to_string(step) + ".safetensors")).string();
    }

    //! Complete checkpoints, by step.
    std::vector<checkpoint> list() const {
        std::vector<checkpoint> found;
        std::error_code error;
        std::filesystem::directory_iterator item(folder_, error);
        for (; !error && item != std::filesystem::directory_iterator{}; item.increment(error))
            if (const auto step = step_of(item->path())) found.push_back({*step, item->path().string()});
        if (error) complain("checkpoints have a readable folder", folder_, "", error.message());
        std::ranges::sort(found, {}, &checkpoint::step);
        return found;
    }
    std::optional<checkpoint> newest() const {
        const auto all = list();
        return all.empty() ? std::nullopt : std::optional(all.back());
    }

    //! Saves under the optimizer's step count; yields the file.
    template <class Optimizer, tensor_list Params>
    std::string save(const Optimizer& optimizer, const Params& params,
                     const save_options& options = {}) const {
        output_file::remove_leftovers(folder_, "step-");
        const std::int64_t step = optimizer.step_count();
        std::string file = path_of(step);
        safetensors::save(file, optimizer, params, options);
        remove_before(step);
        return file;
    }
    //! Loads the newest; nothing where there is none.
    template <class Optimizer, parameter_list Params>
    std::optional<load_result> load_newest(Optimizer& optimizer, const Params& params,
                                           const load_options& options = {}) const {
        const auto last = newest();
        if (!last) return std::nullopt;
        return safetensors::load(last->path, optimizer, params, options);
    }

    //! Removes all but the newest `keep` up to a step; later ones stay.
    void remove_before(std::int64_t step) const {
        if (keep_ == 0) return;
        auto old = list();
        std::erase_if(old, [&](const checkpoint& c) { return c.step > step; });
        for (std::size_t i = 0; i + keep_ < old.size(); ++i) remove(old[i].path);
    }

private:
    static std::optional<std::int64_t> step_of(const std::filesystem::path& file) {
        const std::string name = file.filename().string();
        std::string_view digits = name;
        if (!digits.starts_with("step-")) return std::nullopt;
        digits.remove_prefix(5);
        for (const std::string_view end : {".safetensors", ".json"})
            if (digits.ends_with(end)) {
                digits.remove_suffix(end.size());
                std::int64_t step = 0;
                const auto [last, code] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
                if (code == std::errc{} && step >= 0 && std::to_string(step) == digits) return step;
            }
        return std::nullopt;
    }

    //! An index goes before the files that it names.
    static void remove(const std::string& path) {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
        if (path.ends_with(".json")) detail::remove_rank_files(path, {});
    }

    std::string folder_;
    std::size_t keep_;
};

}  // namespace adamant::inline v0::safetensors
