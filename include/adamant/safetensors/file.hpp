// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Files: one that is read, and one that appears under its name only when all of it is on the disk.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <adamant/safetensors/complaint.hpp>

namespace adamant::inline v0::safetensors {

//! An open file, closed when it goes.
class descriptor {
public:
    explicit descriptor(int number = -1) : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_;
};

//! A call that a signal interrupted is made again.
template <class F>
auto uninterrupted(F&& f) {
    auto result = f();
    while (result < 0 && errno == EINTR) result = f();
    return result;
}

class input_file {
public:
    static constexpr std::string_view rule = "a checkpoint is a readable file";

    explicit input_file(std::string name) : name_(std::move(name)) {
        // O_NONBLOCK: a FIFO is refused, not waited for.
        file_ = descriptor(
            uninterrupted([&] { return ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
        if (!file_) complain_of_system(rule, name_, "it cannot be opened");
        struct stat about {};
        if (::fstat(file_.number(), &about) != 0) complain_of_system(rule, name_, "it cannot be looked at");
        if (!S_ISREG(about.st_mode)) complain(rule, name_, "", "this is no file, but a folder or a device");
        size_ = about.st_size;
    }

    const std::string& name() const { return name_; }
    std::int64_t size() const { return size_; }

    void read(std::int64_t offset, void* to, std::int64_t bytes) const {
        auto* place = static_cast<char*>(to);
        while (bytes > 0) {
            const auto got = uninterrupted(
                [&] { return ::pread(file_.number(), place, static_cast<std::size_t>(bytes), offset); });
            if (got < 0) complain_of_system(rule, name_, "it cannot be read");
            if (got == 0)
                complain("a checkpoint is whole", name_, "",
                         "it ends at byte " + std::to_string(offset) + ", " + std::to_string(bytes) +
                             " bytes are missing");
            place += got;
            offset += got;
            bytes -= got;
        }
    }

private:
    std::string name_;
    descriptor file_;
    std::int64_t size_ = 0;
};

//! Written beside its name as NAME.<random>.tmp, and renamed when all of it is on the disk: under NAME there
//! is the old file or the new one, never a part. What writers that were killed left is removed.
class output_file {
public:
    static constexpr std::string_view rule = "a checkpoint is written whole or not at all";

    output_file(const std::string& name, std::int64_t bytes) : output_file(name) { reserve(bytes); }
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    ~output_file() {
        if (!temporary_.empty()) ::unlink(temporary_.c_str());
    }

    void write(const void* from, std::int64_t bytes) {
        const auto* place = static_cast<const char*>(from);
        while (bytes > 0) {
            const auto put = uninterrupted(
                [&] { return ::write(file_.number(), place, static_cast<std::size_t>(bytes)); });
            if (put < 0) fail("it cannot be written");
            place += put;
            bytes -= put;
            written_ += put;
        }
        start_writing_back();
    }

    //! The file is there when this returns, and stays after a loss of power.
    void commit() {
        if (uninterrupted([&] { return ::fsync(file_.number()); }) != 0) fail("it does not reach the disk");
        if (::rename(temporary_.c_str(), name_.c_str()) != 0) fail("it cannot be renamed");
        temporary_.clear();
        file_ = descriptor{};
        sync_folder(folder(), name_);
    }

    //! Makes what was renamed or removed in a folder last.
    static void sync_folder(const std::string& folder, const std::string& name) {
        const descriptor opened(
            uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
        // Some file systems cannot do it for folders, and say EINVAL.
        if (!opened || (uninterrupted([&] { return ::fsync(opened.number()); }) != 0 && errno != EINVAL))
            complain_of_system("a checkpoint is there when save returns", name,
                               "its folder does not reach the disk");
    }

    //! Removes the temporary files PREFIX*.tmp of a folder that no writer holds.
    static void remove_leftovers(const std::string& folder, const std::string& prefix) {
        std::error_code error;
        std::filesystem::directory_iterator item(folder, error);
        for (; !error && item != std::filesystem::directory_iterator{}; item.increment(error)) {
            std::string_view name = item->path().native();
            name.remove_prefix(name.rfind('/') + 1);
            if (!name.starts_with(prefix) || !name.ends_with(".tmp")) continue;
            name.remove_suffix(4);
            const auto dot = name.rfind('.');
            if (dot == std::string_view::npos || dot + 1 == name.size() ||
                name.find_first_not_of("0123456789", dot + 1) != std::string_view::npos)
                continue;
            const descriptor opened(::open(item->path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
            if (opened && ::flock(opened.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(item->path().c_str());
        }
    }

private:
    explicit output_file(const std::string& name) : name_(name) {
        remove_leftovers(folder(), std::filesystem::path(name_).filename().string() + ".");
        open_temporary();
    }

    [[noreturn]] void fail(std::string_view what) const {
        complain_of_system(rule, name_, std::string(what) + ", and what was there before stays");
    }
    std::string folder() const {
        const std::string parent = std::filesystem::path(name_).parent_path().string();
        return parent.empty() ? "." : parent;
    }

    //! A lock tells a temporary file that is being written from one that was left.
    void open_temporary() {
        std::random_device random;
        for (;;) {
            const std::string candidate = name_ + "." + std::to_string(random()) + ".tmp";
            file_ = descriptor(uninterrupted(
                [&] { return ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
            if (!file_ && errno == EEXIST) continue;
            if (!file_) fail("it cannot be created");
            temporary_ = candidate;
            (void)uninterrupted([&] { return ::flock(file_.number(), LOCK_EX); });
            struct stat about {};
            // Another writer may have taken it for a leftover before it was locked.
            if (::fstat(file_.number(), &about) == 0 && about.st_nlink > 0) return;
        }
    }

    //! A full disk is noticed before an hour of writing, where the file system can tell.
    void reserve(std::int64_t bytes) {
#ifdef __linux__
        if (bytes <= 0) return;
        if (uninterrupted([&] { return ::fallocate(file_.number(), 0, 0, bytes); }) != 0 &&
            (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
            fail("there is no room for its " + std::to_string(bytes) + " bytes");
#else
        (void)bytes;
#endif
    }

    //! The disk works while we copy, instead of when fsync asks for it.
    void start_writing_back() {
#ifdef __linux__
        constexpr std::int64_t piece = std::int64_t{8} << 20;
        if (written_ - started_ < piece) return;
        (void)::sync_file_range(file_.number(), started_, written_ - started_, SYNC_FILE_RANGE_WRITE);
        started_ = written_;
#endif
    }

    std::string name_;
    std::string temporary_;
    descriptor file_;
    std::int64_t written_ = 0;
    std::int64_t started_ = 0;  // bytes that are on their way to the disk
};

}  // namespace adamant::inline v0::safetensors
