// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A test of the tests: where an instruction of the PTX that nvcc made is changed, results are others, or
//! there are none. Every instruction of some kernels is changed in turn.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <digest.hpp>

#include "device.hpp"
#include "kernels.hpp"

namespace {

using bits::array;
using bits::check;
using bits::launch;

//! What the kernels give, all of it.
std::uint64_t results() {
    adamant_test::digest all;
    const auto add = [&](const auto& values) { all.add(values.data(), values.size() * sizeof values[0]); };
    auto from = bits::some_floats(1024, 1);
    for (float& v : from) v = std::isfinite(v) && std::fabs(v) <= 1 ? v : 0.5f;
    std::fill_n(from.begin(), 128, 0.25f);
    from[0] = 0.9f, from[32] = -0.9f;       // a vote that one lane decides
    from[69] = 0.875f, from[73] = -0.875f;  // on the bounds
    from[100] = 0.0f;
    auto into = bits::some_floats(1024, 2);
    for (float& v : into) v *= 20;  // also beyond the bounds of one_element
    const array<float> floats(from), elements(into), sums(2), few_sums(4), largest(128), first(128);
    const array<std::uint32_t> votes(128);
    const auto table = std::make_unique<bits::table>();
    for (const std::uint32_t size : {767u, 3u, 4u}) {
        const std::size_t at = table->used == 0 ? 0 : 764 + 4 * table->used;
        table->from[table->used] = floats.data() + at;
        table->to[table->used] = elements.data() + at;
        table->size[table->used++] = size;
    }
    check(launch(bits::elements, 3, 2, nullptr, *table));
    check(launch(&bits::block_sums<float>, 2, 128, nullptr, floats.data(), 896u, sums.data()));
    check(launch(&bits::block_sums<float>, 4, 64, nullptr, floats.data(), 200u, few_sums.data()));
    check(launch(bits::exchanges, 2, 64, nullptr, floats.data(), largest.data(), first.data(), votes.data()));
    add(elements.values()), add(sums.values()), add(few_sums.values()), add(largest.values()),
        add(first.values()), add(votes.values());
    return all.value();
}

constexpr std::pair<const char*, const char*> changes[] = {{"add.", "sub."},
                                                           {"sub.", "add."},
                                                           {"min.", "max."},
                                                           {"max.", "min."},
                                                           {"mul.rn.", "add.rn."},
                                                           {"div.rn.", "mul.rn."},
                                                           {"fma.rn.f32", "fma.rn.f64"},
                                                           {"sqrt.rn.", "rcp.rn."},
                                                           {"setp.lt.", "setp.le."},
                                                           {"setp.gt.", "setp.ge."},
                                                           {"setp.ge.", "setp.gt."},
                                                           {"setp.eq.", "setp.ne."},
                                                           {"setp.ne.", "setp.eq."},
                                                           {"shl.b32", "shr.b32"},
                                                           {"shr.u32", "shl.b32"},
                                                           {"and.b32", "or.b32"},
                                                           {"or.b32", "and.b32"},
                                                           {"xor.b32", "or.b32"},
                                                           {"mul.wide.u32", "mad.wide.u32"},
                                                           {"abs.f32", "neg.f32"},
                                                           {"bfly", "up"},
                                                           {"shfl.sync.idx", "shfl.sync.bfly"},
                                                           {"shfl.sync.down", "shfl.sync.up"},
                                                           {"vote.sync.any", "vote.sync.all"},
                                                           {"vote.sync.all", "vote.sync.any"},
                                                           {"bar.sync", "// bar.sync"},
                                                           {"@%p", "@!%p"},
                                                           {"@!%p", "@%p"},
                                                           {"selp.", "slct."},
                                                           {"mad.lo.", "mad.hi."}};

//! The line with one instruction changed, if there is a change to it.
std::optional<std::string> changed(const std::string& line) {
    for (const auto& [from, to] : changes)
        if (const std::size_t at = line.find(from); at != line.npos && (at == 0 || line[at - 1] == '\t'))
            return std::string(line).replace(at, std::string(from).size(), to);
    const bool is_access = line.rfind("\tst.", 0) == 0 || line.rfind("\tld.", 0) == 0;
    if (const std::size_t end = line.find(']'); is_access && end != line.npos) {
        const std::size_t plus = line.find('+');  // one element further
        if (plus == line.npos) return std::string(line).insert(end, "+4");
        return line.substr(0, plus + 1) + std::to_string(std::stol(line.substr(plus + 1)) + 4) +
               line.substr(end);
    }
    return std::nullopt;
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

std::uint64_t results_with(const std::vector<std::string>& lines, std::size_t number,
                           const std::string& instead) {
    const std::string path =
        "mutated_" + std::to_string(std::hash<std::string>{}(std::getenv("ADAMANT_PTX"))) + ".ptx";
    std::ofstream file(path);
    for (std::size_t i = 0; i < lines.size(); ++i) file << (i == number ? instead : lines[i]) << '\n';
    file.close();
    try {
        emulated_cuda::use_ptx(path);
        const std::uint64_t given = results();
        std::remove(path.c_str());
        return given;
    } catch (const emulated_cuda::device_error&) {
        std::remove(path.c_str());
        return 0;
    }
}

bool is_tested(const std::string& line) {
    return line.find("4bits8elements") != line.npos || line.find("4bits10block_sumsIfE") != line.npos ||
           line.find("4bits9exchanges") != line.npos;
}

TEST_CASE("a change to any instruction is noticed") {
    REQUIRE(emulated_cuda::uses_ptx());
    emulated_cuda::set_longest_block(1'000'000);
    const std::vector<std::string> lines = lines_of(std::getenv("ADAMANT_PTX"));
    const std::uint64_t right = results();
    REQUIRE(results_with(lines, 0, lines[0]) == right);
    bool inside = false;
    int tried = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find(".entry") != lines[i].npos) inside = is_tested(lines[i]);
        const auto instead = inside ? changed(lines[i]) : std::nullopt;
        if (!instead) continue;
        CAPTURE(lines[i]);
        CAPTURE(*instead);
        CHECK(results_with(lines, i, *instead) != right);
        ++tried;
    }
    CHECK(tried > 100);
}

}  // namespace
