// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What nvcc and ptxas make of the kernels: registers, spills and the width of accesses, printed and held to
//! bounds. ADAMANT_PTX has the file, ADAMANT_PTXAS the program, ADAMANT_ARCHITECTURE is 80, 90 or 100.
#include "policies.hpp"

#include <adamant/cuda/adam.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <emulation/symbols.hpp>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>

namespace {

using namespace device_tests;

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    REQUIRE(in.good());
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

//! What ptxas says, all of it.
std::string ptxas_report(const std::string& ptx, const std::string& architecture) {
    const std::string command =
        std::string(ADAMANT_PTXAS) + " -v -arch=sm_" + architecture + " -o /dev/null " + ptx + " 2>&1";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    REQUIRE(pipe != nullptr);
    std::string text;
    char line[4096];
    while (std::fgets(line, sizeof line, pipe.get()) != nullptr) text += line;
    return text;
}

int number_after(const std::string& text, std::size_t from, const std::string& pattern) {
    std::smatch match;
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(from);
    REQUIRE(std::regex_search(begin, text.end(), match, std::regex(pattern)));
    return std::stoi(match[1]);
}

int count(const std::string& text, const std::string& word) {
    int found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
}

//! Accesses of a thread to streams whose elements have so many bytes together. Two threads share an access
//! to a single stream of one-byte elements.
constexpr int wide_accesses(std::size_t elements) {
    return (static_cast<int>(elements) * cuda::lane_size + 15) / 16;
}

template <class Policy, slot S>
constexpr std::size_t code_bytes() {
    using resolved = typename Policy::resolved;
    return has_slot<resolved, S> ? sizeof(slot_code_t<resolved, S>) : 0;
}

TEST_CASE(
    "every update kernel has at most 64 registers, no spills, and accesses of 16 bytes to each stream") {
    const char* ptx = std::getenv("ADAMANT_PTX");
    const char* architecture = std::getenv("ADAMANT_ARCHITECTURE");
    REQUIRE(ptx != nullptr);
    REQUIRE(architecture != nullptr);
    const std::string code = text_of(ptx), report = ptxas_report(ptx, architecture);
    std::printf("sm_%s\nregisters  spilled bytes  16-byte loads  and stores\n", architecture);
    for_each_policy([&]<class Policy>(std::type_identity<Policy>) {
        CAPTURE(Policy::describe());
        using resolved = typename Policy::resolved;
        using weight = slot_codec_t<resolved, slot::main_params>;
        using grad_t = typename resolved::grad_t;
        const auto kernel = &cuda::update_kernel<element_t<typename resolved::main_grads>, weight, grad_t,
                                                 slot_codec_t<resolved, slot::exp_avg>,
                                                 slot_codec_t<resolved, slot::exp_avg_sq>>;
        const std::string name = emulated_cuda::symbols_of(reinterpret_cast<void (*)()>(kernel)).name;

        const std::size_t said = report.find("Compiling entry function '" + name + "'");
        REQUIRE(said != std::string::npos);
        const int registers = number_after(report, said, "Used ([0-9]+) registers");
        const int spilled = number_after(report, said, "([0-9]+) bytes spill stores");

        const std::size_t begin = code.find(".entry " + name + "(");
        REQUIRE(begin != std::string::npos);
        const std::string body = code.substr(begin, code.find("\n}", begin) - begin);
        const int loads = count(body, "ld.global.v4."), stores = count(body, "st.global.v4.");
        std::printf("%9d  %13d  %13d  %10d  %s\n", registers, spilled, loads, stores,
                    Policy::describe().c_str());

        // Two one-byte moments are accessed together.
        const int state =
            wide_accesses(code_bytes<Policy, slot::main_params>()) +
            wide_accesses(code_bytes<Policy, slot::exp_avg>() + code_bytes<Policy, slot::exp_avg_sq>());
        const int weights = wide_accesses(sizeof(typename weight::weight));
        // A full master says all: the weights beside it are written, not read.
        constexpr bool reads_weights = !std::is_same_v<typename weight::stored, float> && !weight::has_scales;
        CHECK(loads >= state + wide_accesses(sizeof(grad_t)) + (reads_weights ? weights : 0));
        CHECK(stores >= state + weights);
        CHECK(count(body, "st.global.v2.") == 0);
        CHECK(registers <= 64);
        CHECK(spilled == 0);
    });
}

}  // namespace
