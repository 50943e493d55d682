// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! chunk_plan: every element is in exactly one chunk, a tensor without elements too, and tasks are of similar
//! size.
#include <adamant/step/chunk_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace adamant;

namespace {

constexpr bool many = false;  // threads

std::int64_t padded(std::int64_t size) { return (size + 127) / 128 * 128; }

//! One task up to 8192 elements, then 256 tasks of at least 8192 and at most 32768.
std::int64_t task_size(const std::vector<std::int64_t>& sizes) {
    std::int64_t total = 0;
    for (const std::int64_t size : sizes) total += padded(size);
    if (total <= 8192) return 8192;
    return std::min<std::int64_t>(32768, std::max<std::int64_t>(8192, padded(total / 256)));
}

//! Chunks come in list order without gap or overlap; borders and task sizes are as promised.
void check_plan(const std::vector<std::int64_t>& sizes) {
    const chunk_plan plan(sizes, many);
    const std::int64_t room = task_size(sizes);
    std::size_t tensor = 0;
    std::int64_t next = 0;
    std::int64_t total = 0;
    for (std::int64_t number = 0; number < plan.tasks(); ++number) {
        std::int64_t in_task = 0;
        REQUIRE(!plan.task(number).empty());
        for (const chunk& c : plan.task(number)) {
            REQUIRE(tensor < sizes.size());
            REQUIRE(c.tensor == tensor);
            REQUIRE(c.begin == next);
            REQUIRE((c.begin < c.end || sizes[tensor] == 0));
            REQUIRE(c.end <= sizes[tensor]);
            REQUIRE(c.begin % 128 == 0);
            REQUIRE((c.end % 128 == 0 || c.end == sizes[tensor]));
            in_task += padded(c.end - c.begin);
            next = c.end;
            if (next == sizes[tensor]) ++tensor, next = 0;
        }
        REQUIRE(in_task <= room);
        if (number + 1 < plan.tasks()) REQUIRE(in_task == room);  // a task is full before the next one opens
        total += in_task;
    }
    CHECK(tensor == sizes.size());
    std::int64_t expected = 0;
    for (const std::int64_t size : sizes) expected += padded(size);
    CHECK(total == expected);
}

}  // namespace

TEST_CASE("every element is covered once, by tasks of one size") {
    check_plan({});
    check_plan({0});
    check_plan({0, 0, 5, 0});
    check_plan({1});
    check_plan({32768});
    check_plan({32767, 1});
    check_plan({32769});
    check_plan({100, 40000, 1, 0, 70000, 129, 127, 128, 32768, 3});
    check_plan(std::vector<std::int64_t>(1000, 1));
    check_plan({1'000'000});
    check_plan({8'388'608, 1});
    check_plan({20'000'000, 77, 20'000'000});
    for (const std::int64_t around : {8192, 32768})
        for (std::int64_t size = around - 130; size <= around + 130; ++size) check_plan({300, size, 7});
}

TEST_CASE("no tensors are no tasks") {
    CHECK(chunk_plan().tasks() <= 0);
    CHECK(chunk_plan(std::vector<std::int64_t>{}, many).tasks() == 0);
}

TEST_CASE("tensors without elements have a chunk each") {
    const chunk_plan plan(std::vector<std::int64_t>{0, 0}, many);
    REQUIRE(plan.tasks() == 1);
    REQUIRE(plan.task(0).size() == 2);
    CHECK(plan.task(0)[1].tensor == 1);
    CHECK(chunk_plan(std::vector<std::int64_t>{8192, 0, 0}, many).tasks() == 1);
}

TEST_CASE("small tensors share a task") {
    const chunk_plan plan(std::vector<std::int64_t>(160, 100), many);
    REQUIRE(plan.tasks() == 3);
    for (std::int64_t number = 0; number < 2; ++number) CHECK(plan.task(number).size() == 64);
}

TEST_CASE("a small model is one task, a larger one several, a large one many") {
    const auto tasks_of = [](std::int64_t size) {
        return chunk_plan(std::vector<std::int64_t>{size}, many).tasks();
    };
    CHECK(tasks_of(8192) == 1);
    CHECK(tasks_of(8193) == 2);
    CHECK(tasks_of(1'000'000) == 123);
    CHECK(tasks_of(100'000'000) == 3052);
}

TEST_CASE("for one thread any model of up to 2^37 elements is one task, in the order of the list") {
    const chunk_plan plan(std::vector<std::int64_t>{100'000'000, 0, 77, 5'000'000'000}, true);
    REQUIRE(plan.tasks() == 1);
    const std::span<const chunk> chunks = plan.task(0);
    REQUIRE(chunks.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(chunks[i].tensor == i);
        CHECK(chunks[i].begin == 0);
    }
    CHECK(chunks[2].end == 77);
    CHECK(chunks[3].end == 5'000'000'000);
    const chunk_plan huge(std::vector<std::int64_t>{(std::int64_t{1} << 37) + 128, 128}, true);
    REQUIRE(huge.tasks() == 2);
    CHECK(huge.task(0)[0].end == std::int64_t{1} << 37);
    CHECK(huge.task(1).size() == 2);
}

TEST_CASE("a tensor of more than 2^32 elements is cut in 64 bits") {
    const std::int64_t size = (std::int64_t{1} << 32) + 5;
    const chunk_plan plan(std::vector<std::int64_t>{size}, many);
    REQUIRE(plan.tasks() == 131073);
    CHECK(plan.task(131071)[0].begin == 4294934528);
    CHECK(plan.task(131071)[0].end == 4294967296);
    CHECK(plan.task(131072)[0].begin == 4294967296);
    CHECK(plan.task(131072)[0].end == size);
}
