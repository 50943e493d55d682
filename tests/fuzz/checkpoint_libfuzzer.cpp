// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The libFuzzer target of the reader of checkpoints. The first byte of an input chooses the reader; from 128
//! on the length before the header is put right.
#include "read_checkpoint.hpp"

#include <algorithm>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    static const std::string folder = [] {
        char name[] = "fuzz-XXXXXX";
        return std::string(::mkdtemp(name));
    }();
    static fuzz::checkpoint_subject subject = [] {
        fuzz::checkpoint_subject made(folder);
        (void)made.good_files();
        return made;
    }();
    if (size == 0) return 0;
    std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] >= 128 && bytes.size() >= 8) {
        const auto end = bytes.find(']', bytes.rfind("data_offsets"));
        const std::size_t header = std::min(end == std::string::npos ? bytes.size() : end + 3, bytes.size());
        bytes = fuzz::with_header(bytes.substr(8, header - 8), bytes.substr(header));
    }
    subject.read(static_cast<fuzz::reader>(data[0] % 3), bytes);
    return 0;
}
