// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! checkpoint_mutations COUNT FOLDER: reads COUNT random mutations of good checkpoints by way of files in
//! FOLDER; leaves the good ones there as seeds of libFuzzer.
#include "checkpoint_mutations.hpp"

int main(int count, char** values) {
    if (count != 3) return 2;
    const std::uint64_t mutations = std::strtoull(values[1], nullptr, 10);
    std::filesystem::remove_all(values[2]);
    std::filesystem::create_directories(values[2]);
    fuzz::checkpoint_subject subject(values[2]);
    const fuzz::taken_files taken = fuzz::read_mutations(mutations, subject);
    std::printf("%llu mutations; loaded: %llu checkpoints, %llu fp32 files, %llu indices\n",
                static_cast<unsigned long long>(mutations), static_cast<unsigned long long>(taken.of[0]),
                static_cast<unsigned long long>(taken.of[1]), static_cast<unsigned long long>(taken.of[2]));
    for (const auto& [how, bytes] : subject.good_files())
        std::ofstream(std::string(values[2]) + "/seed-" + std::to_string(static_cast<int>(how)),
                      std::ios::binary)
            << static_cast<char>(how) << bytes;
    return mutations == 0 || taken.is_some_of(mutations) ? 0 : 1;
}
