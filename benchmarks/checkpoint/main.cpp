// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Saving and loading against a plain write and read of the same bytes on the same disk, in turns.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <adamant/adamant.hpp>
#include <adamant/safetensors/safetensors.hpp>

namespace {

using namespace adamant;
using lean = presets::lean_bf16;

constexpr std::size_t piece = std::size_t{8} << 20;

constexpr std::chrono::milliseconds rest{700};

template <class F>
double seconds(F&& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void require(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

//! A new file, as save has to write one: over blocks that a file had before some disks are faster.
void plain_write(const std::string& file, const std::vector<char>& bytes) {
    const safetensors::descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666));
    require(bool(out), "open");
    for (std::size_t at = 0; at < bytes.size();) {
        const auto put = ::write(out.number(), bytes.data() + at, std::min(piece, bytes.size() - at));
        require(put > 0, "write");
        at += static_cast<std::size_t>(put);
    }
    require(::fsync(out.number()) == 0, "fsync");
}

void plain_read(const std::string& file, std::vector<char>& bytes) {
    const safetensors::descriptor in(::open(file.c_str(), O_RDONLY));
    require(bool(in), "open");
    for (std::size_t at = 0; at < bytes.size();) {
        const auto got = ::read(in.number(), bytes.data() + at, std::min(piece, bytes.size() - at));
        require(got > 0, "read");
        at += static_cast<std::size_t>(got);
    }
}

//! Out of the page cache: what is read next comes from the disk.
void forget(const std::string& file) {
    const safetensors::descriptor in(::open(file.c_str(), O_RDONLY));
    require(bool(in) && ::posix_fadvise(in.number(), 0, 0, POSIX_FADV_DONTNEED) == 0, "posix_fadvise");
}

//! KiB, as /proc/self/status has them.
long status(const std::string& key) {
    std::ifstream lines("/proc/self/status");
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(key + ":")) return std::stol(line.substr(key.size() + 1));
    return 0;
}

struct timings {
    std::vector<double> ours, plain;
};

void report(const char* what, timings t, double megabytes) {
    std::ranges::sort(t.ours);
    std::ranges::sort(t.plain);
    const double ours = t.ours[t.ours.size() / 2], plain = t.plain[t.plain.size() / 2];
    std::printf("%-18s %8.0f MB/s   plain %8.0f MB/s   %4.0f %%   best against best %4.0f %%\n", what,
                megabytes / ours, megabytes / plain, 100 * plain / ours,
                100 * t.plain.front() / t.ours.front());
}

int measure(std::size_t parameters, int repetitions, const std::string& folder) {
    const std::string file = folder + "/benchmark.safetensors", other = folder + "/benchmark.plain";
    std::vector<bfloat16> weights(parameters, to_bfloat16(1.0f)), gradients(parameters, to_bfloat16(0.5f));
    const std::vector<std::span<bfloat16>> params{weights}, grads{gradients};
    adam<lean> optimizer(params, {.beta2 = 0.95});
    optimizer.step(params, grads);

    safetensors::save(file, optimizer, params);
    std::vector<char> bytes(std::filesystem::file_size(file), 'x');
    const double megabytes = static_cast<double>(bytes.size()) / 1e6;
    std::printf("%s, %.1f million parameters, %.0f MB; the median of %d\n", optimizer.describe().c_str(),
                static_cast<double>(parameters) / 1e6, megabytes, repetitions);
    timings saving, loading, warm;
    for (int i = 0; i < repetitions; ++i) {
        const auto both = [&](timings& t, auto&& ours, auto&& plain) {
            if (i % 2 == 0) t.ours.push_back(ours());
            t.plain.push_back(plain());
            if (i % 2 != 0) t.ours.push_back(ours());
        };
        const auto write = [&](const std::string& to, auto&& f) {
            // Blocks that were just freed take bytes much faster than others on some disks.
            std::filesystem::remove(to);
            ::sync();
            std::this_thread::sleep_for(rest);
            return seconds(f);
        };
        const auto load = [&] { return seconds([&] { safetensors::load(file, optimizer, params); }); };
        const auto read = [&] { return seconds([&] { plain_read(other, bytes); }); };
        both(
            saving, [&] { return write(file, [&] { safetensors::save(file, optimizer, params); }); },
            [&] { return write(other, [&] { plain_write(other, bytes); }); });
        forget(other);
        forget(file);
        both(loading, load, read);
        both(warm, load, read);
    }
    report("save, with fsync", saving, megabytes);
    report("load from disk", loading, megabytes);
    report("load from cache", warm, megabytes);

    std::ofstream("/proc/self/clear_refs") << 5 << std::flush;  // the peak starts anew
    const long before = status("VmRSS");
    safetensors::load(file, optimizer, params);
    std::printf("peak of memory while loading: %ld KiB above that before\n", status("VmHWM") - before);
    std::filesystem::remove(file);
    std::filesystem::remove(other);
    return 0;
}

}  // namespace

int main(int count, char** values) {
    double millions = 64;
    int repetitions = 10;
    std::string folder = ".";
    for (int i = 1; i < count; i += 2) {
        const std::string key = values[i];
        if (i + 1 == count || (key != "--parameters" && key != "--repetitions" && key != "--folder")) {
            std::fprintf(stderr,
                         "usage: checkpoint [--parameters MILLIONS] [--repetitions N] [--folder DIR]\n");
            return 2;
        }
        if (key == "--parameters") millions = std::atof(values[i + 1]);
        else if (key == "--repetitions") repetitions = std::max(1, std::atoi(values[i + 1]));
        else folder = values[i + 1];
    }
    try {
        return measure(static_cast<std::size_t>(millions * 1e6), repetitions, folder);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
