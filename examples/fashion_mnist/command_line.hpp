// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! command_line: what the program can be told.
#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "dataset.hpp"
#include "trainer.hpp"

namespace fashion_mnist {

inline constexpr const char* usage =
    "usage: examples/run [CONFIG.yaml] [options]\n"
    "  Trains a small network on Fashion-MNIST with the policy of a configuration file.\n"
    "  CONFIG.yaml     section actor.optim, verl's keys, or section adamant, our own; without it\n"
    "                  examples/configs/bf16_precision_aware.yaml\n"
    "  --compare       every file of examples/configs, and a table of all at the end\n"
    "  --epochs N      passes over the training images (8)\n"
    "  --batch N       images per step (128)\n"
    "  --limit N       only the first N images of the training and of the test set\n"
    "  --seed N        of initial weights and order of images (1)\n"
    "  --data DIR      folder of the four .gz files (the environment variable ADAMANT_FASHION_MNIST,\n"
    "                  else /usr/share/datasets/fashion-mnist)\n"
    "  --out DIR       where curves (.csv) and plots (.svg) go (build/fashion_mnist)\n"
    "  --help\n";

//! A command line that cannot be used.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct command_line {
    std::optional<std::filesystem::path> config;
    bool compare = false;
    bool help = false;
    training_options training;
    std::int64_t limit = std::numeric_limits<std::int64_t>::max();
    std::filesystem::path data = debian_folder;
    std::filesystem::path out = "build/fashion_mnist";
};

inline constexpr std::int64_t largest_seed = std::numeric_limits<std::int64_t>::max();

inline std::int64_t number_of(const std::string& option, const std::string& text, std::int64_t least,
                              std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        throw usage_error(option + " takes a number from " + std::to_string(least) + " to " +
                          std::to_string(most) + ": got '" + text + "'");
    return value;
}

inline command_line parse(int argc, char** argv) {
    command_line line;
    if (const char* folder = std::getenv("ADAMANT_FASHION_MNIST"); folder != nullptr && *folder != '\0')
        line.data = folder;

    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::size_t equals = word.find('=');  // --epochs=3 is --epochs 3
        const std::string name = word.substr(0, equals);
        const auto value = [&]() -> std::string {
            if (equals != std::string::npos) return word.substr(equals + 1);
            if (i + 1 == argc) throw usage_error(name + " needs a value");
            return argv[++i];
        };
        const auto number = [&](std::int64_t most) { return number_of(name, value(), 1, most); };

        if (word == "--help" || word == "-h") line.help = true;
        else if (word == "--compare") line.compare = true;
        else if (name == "--epochs") line.training.epochs = static_cast<int>(number(1000));
        else if (name == "--batch") line.training.batch = static_cast<int>(number(60000));
        else if (name == "--limit") line.limit = number(60000);
        else if (name == "--seed") line.training.seed = static_cast<std::uint64_t>(number(largest_seed));
        else if (name == "--data") line.data = value();
        else if (name == "--out") line.out = value();
        else if (word.starts_with("-")) throw usage_error("unknown option " + word);
        else if (line.config) throw usage_error("one configuration at a time: got also " + word);
        else line.config = word;
    }
    if (line.compare && line.config)
        throw usage_error("--compare takes every file of examples/configs, and no other");
    return line;
}

//! What a main returns: that of start(line); 0 after --help; 1 where a file, the data set or the
//! configuration cannot be used, 2 where the command line cannot, and says why.
template <class F>
int run_program(int argc, char** argv, F start) {
    try {
        const command_line line = parse(argc, argv);
        if (!line.help) return start(line);
        std::fputs(usage, stdout);
        return 0;
    } catch (const usage_error& e) {
        std::fprintf(stderr, "%s\n%s", e.what(), usage);
        return 2;
    } catch (const std::exception& e) {
        std::fflush(stdout);
        std::fprintf(stderr, "error: %s\n", e.what());
        return 1;
    }
}

}  // namespace fashion_mnist
