// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! command_line: what the program can be told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fashion_mnist/command_line.hpp>

#include "candidates.hpp"

namespace convergence {

inline constexpr const char* usage =
    "usage: benchmarks/convergence/run [options]\n"
    "  Trains two models with each policy, and says how far the losses are from fp32's.\n"
    "  --policies A,B,...  these and fp32 (all)\n"
    "  --beta2 A,B,...     (0.95,0.99,0.999)\n"
    "  --seeds N           seeds 1 to N (3)\n"
    "  --steps N           of the n-gram model (4000)\n"
    "  --epochs N          of Fashion-MNIST, 0 leaves it out (6)\n"
    "  --stored-weights    the n-gram model computes with the weights as they are stored, not with the "
    "master\n"
    "  --quick             one seed, beta2 0.999, 500 steps, 1 epoch of 6,000 images: to see it run\n"
    "  --jobs N            runs at a time (one per core)\n"
    "  --data DIR          of Fashion-MNIST (the environment variable ADAMANT_FASHION_MNIST, else\n"
    "                      /usr/share/datasets/fashion-mnist)\n"
    "  --out DIR           where tables (.csv) and curves (.svg) go (build/convergence)\n"
    "  --help\n";

using fashion_mnist::usage_error;

struct command_line {
    std::vector<const candidate*> policies{};  //!< the reference first
    std::vector<double> beta2{0.95, 0.99, 0.999};
    int seeds = 3;
    int steps = 4000;
    int epochs = 6;
    std::int64_t images = 60000;  //!< of Fashion-MNIST, at most
    bool stored_weights = false;
    bool help = false;
    unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
    std::filesystem::path data = fashion_mnist::debian_folder;
    std::filesystem::path out = "build/convergence";
};

inline std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream in(list);
    for (std::string word; std::getline(in, word, ',');) words.push_back(word);
    return words;
}

inline std::vector<const candidate*> candidates_named(const std::string& list) {
    std::vector<const candidate*> found{&reference};
    for (const std::string& name : split(list)) {
        const candidate* known = find_candidate(name);
        if (known == nullptr) {
            std::string all;
            for (const candidate& c : candidates) all.append(" ").append(c.name);
            throw usage_error("--policies takes some of" + all + ": got '" + name + "'");
        }
        if (std::ranges::find(found, known) == found.end()) found.push_back(known);
    }
    return found;
}

inline std::vector<double> betas_of(const std::string& list) {
    std::vector<double> betas;
    for (const std::string& word : split(list)) {
        char* end = nullptr;
        betas.push_back(std::strtod(word.c_str(), &end));
        if (word.empty() || *end != '\0' || !(betas.back() > 0 && betas.back() < 1))
            throw usage_error("--beta2 takes numbers between 0 and 1: got '" + word + "'");
    }
    if (betas.empty()) throw usage_error("--beta2 takes numbers between 0 and 1: got none");
    return betas;
}

inline command_line parse(int argc, char** argv) {
    command_line line;
    for (const candidate& c : candidates) line.policies.push_back(&c);
    if (const char* folder = std::getenv("ADAMANT_FASHION_MNIST"); folder != nullptr && *folder != '\0')
        line.data = folder;

    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 == argc) throw usage_error(word + " needs a value");
            return argv[++i];
        };
        const auto number = [&](std::int64_t least, std::int64_t most) {
            return static_cast<int>(fashion_mnist::number_of(word, value(), least, most));
        };

        if (word == "--help" || word == "-h") line.help = true;
        else if (word == "--stored-weights") line.stored_weights = true;
        else if (word == "--quick")
            line.seeds = 1, line.beta2 = {0.999}, line.steps = 500, line.epochs = 1, line.images = 6000;
        else if (word == "--policies") line.policies = candidates_named(value());
        else if (word == "--beta2") line.beta2 = betas_of(value());
        else if (word == "--seeds") line.seeds = number(1, 1000);
        else if (word == "--steps") line.steps = number(1, 1000000);
        else if (word == "--epochs") line.epochs = number(0, 1000);
        else if (word == "--jobs") line.jobs = static_cast<unsigned>(number(1, 1024));
        else if (word == "--data") line.data = value();
        else if (word == "--out") line.out = value();
        else throw usage_error("unknown option " + word);
    }
    return line;
}

}  // namespace convergence
