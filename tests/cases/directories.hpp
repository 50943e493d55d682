// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Where cases come from: this folder, and the directories named in ADAMANT_CASES (dir:dir).
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace cases {

namespace fs = std::filesystem;
using json = nlohmann::json;

inline std::vector<fs::path> directories() {
    std::vector<fs::path> result{ADAMANT_TEST_CASES};
    if (const char* more = std::getenv("ADAMANT_CASES")) {
        std::stringstream list(more);
        for (std::string directory; std::getline(list, directory, ':');) {
            if (directory.empty()) continue;
            if (!fs::is_directory(directory))
                throw std::runtime_error("ADAMANT_CASES names no directory: " + directory);
            result.emplace_back(directory);
        }
    }
    return result;
}

//! The files in a sub-folder of each directory whose names begin and end so, in order.
inline std::vector<fs::path> files(const std::string& folder, const std::string& begin,
                                   const std::string& end) {
    std::vector<fs::path> result;
    for (const fs::path& directory : directories()) {
        if (!fs::is_directory(directory / folder)) continue;
        std::vector<fs::path> here;
        for (const auto& entry : fs::directory_iterator(directory / folder)) {
            const std::string name = entry.path().filename();
            if (name.starts_with(begin) && name.ends_with(end)) here.push_back(entry.path());
        }
        std::ranges::sort(here);
        result.insert(result.end(), here.begin(), here.end());
    }
    return result;
}

inline json read_json(const fs::path& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error("cannot open " + file.string());
    return json::parse(stream);
}

}  // namespace cases
