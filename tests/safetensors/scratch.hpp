// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A folder that goes when the test ends, and whole files as text.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace checkpoints {

class scratch {
public:
    scratch() {
        char name[] = "scratch-XXXXXX";
        if (::mkdtemp(name) == nullptr) throw std::runtime_error("cannot make a folder here");
        folder_ = std::filesystem::absolute(name);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    std::string folder() const { return folder_.string(); }
    std::string operator/(const std::string& file) const { return (folder_ / file).string(); }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& item : std::filesystem::directory_iterator(folder_))
            names.push_back(item.path().filename().string());
        return names;
    }

private:
    std::filesystem::path folder_;
};

inline std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + file);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}
inline void write_bytes(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace checkpoints
