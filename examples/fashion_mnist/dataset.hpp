// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! dataset: Fashion-MNIST as its four gzipped IDX files hold it, in memory.
#pragma once

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <zlib.h>

namespace fashion_mnist {

inline constexpr int image_pixels = 28 * 28;
inline constexpr int classes = 10;
inline constexpr const char* debian_folder = "/usr/share/datasets/fashion-mnist";

//! A file of the data set that is missing or damaged; what() names it and what to do.
class dataset_error : public std::runtime_error {
public:
    dataset_error(const std::filesystem::path& file, const std::string& what)
        : std::runtime_error(
              file.string() + ": " + what +
              ": install the Debian package dataset-fashion-mnist, or name a folder with its four .gz files "
              "(--data DIR, or the environment variable ADAMANT_FASHION_MNIST).") {}
};

//! Images as rows of image_pixels bytes, labels from 0 to 9.
struct labelled_images {
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint8_t> labels;

    std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
    const std::uint8_t* image(std::int64_t i) const { return pixels.data() + i * image_pixels; }

    //! The first `count` only.
    void keep(std::int64_t count) {
        if (count >= size()) return;
        labels.resize(static_cast<std::size_t>(count));
        pixels.resize(static_cast<std::size_t>(count * image_pixels));
    }
};

struct dataset {
    labelled_images train;
    labelled_images test;
};

//! Reads one gzipped IDX file of bytes.
class idx_reader {
public:
    explicit idx_reader(std::filesystem::path path)
        : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb"), gzclose_r) {
        if (!file_) throw dataset_error(path_, std::strerror(errno != 0 ? errno : ENOMEM));
        gzbuffer(file_.get(), 128 * 1024);
    }

    //! The header: `dimensions` extents after a magic number that says bytes and how many dimensions.
    template <std::size_t Dimensions>
    std::array<std::uint32_t, Dimensions> extents() {
        if (word() != 0x0800 + Dimensions) throw dataset_error(path_, "not the IDX file it should be");
        std::array<std::uint32_t, Dimensions> result{};
        for (std::uint32_t& extent : result) extent = word();
        return result;
    }

    //! What is left of the file, which must be `count` bytes: the checksum is behind them.
    std::vector<std::uint8_t> rest(std::size_t count) {
        std::vector<std::uint8_t> bytes(count);
        read(bytes.data(), count);
        std::uint8_t more = 0;
        if (gzread(file_.get(), &more, 1) != 0)
            throw dataset_error(path_, "damaged or longer than its header says");
        return bytes;
    }

private:
    std::uint32_t word() {
        std::uint8_t b[4];
        read(b, sizeof b);
        return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
    }
    void read(void* to, std::size_t count) {
        const int got = gzread(file_.get(), to, static_cast<unsigned>(count));
        if (got < 0 || static_cast<std::size_t>(got) != count)
            throw dataset_error(path_, "damaged or cut short");
    }

    std::filesystem::path path_;
    std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

inline labelled_images read_labelled_images(const std::filesystem::path& folder, const std::string& prefix) {
    const std::filesystem::path image_path = folder / (prefix + "-images-idx3-ubyte.gz");
    const std::filesystem::path label_path = folder / (prefix + "-labels-idx1-ubyte.gz");
    labelled_images result;

    idx_reader images(image_path);
    const auto [count, height, width] = images.extents<3>();
    // The bound keeps a damaged header from asking for gigabytes.
    if (count == 0 || count > 60000 || height != 28 || width != 28)
        throw dataset_error(image_path, "not images of 28 x 28");
    result.pixels = images.rest(std::size_t{count} * image_pixels);

    idx_reader labels(label_path);
    if (labels.extents<1>()[0] != count)
        throw dataset_error(label_path, "not as many labels as there are images");
    result.labels = labels.rest(count);
    for (const std::uint8_t label : result.labels)
        if (label >= classes) throw dataset_error(label_path, "a label is not from 0 to 9");
    return result;
}

inline dataset read_dataset(const std::filesystem::path& folder) {
    return {read_labelled_images(folder, "train"), read_labelled_images(folder, "t10k")};
}

}  // namespace fashion_mnist
