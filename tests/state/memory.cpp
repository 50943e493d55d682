// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! buffer and optimizer_state: what they ask of a memory, what they give back, and what they do when it
//! throws.
#include "counting_memory.hpp"

#include <adamant/policy/presets.hpp>
#include <adamant/state/optimizer_state.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

using namespace adamant;

namespace {

template <class T>
using counted = buffer<T, counting_memory>;
using state = optimizer_state<presets::megatron_bf16::resolved, counting_memory>;

const std::vector<std::int64_t> sizes{300, 0, 5};
const std::vector<bool> masters{true, true, true};

//! Codes and scale bytes in each slot: six allocations.
using scaled_state = optimizer_state<
    policy<mode<bf16>, precision_aware, main_params<fp16>, exp_avg<fp8>, exp_avg_sq<fp8_fine>>::resolved,
    counting_memory>;

#if defined(__linux__)
//! Whether the mapping that holds this address has the flag that madvise(MADV_HUGEPAGE) sets.
bool is_advised_huge(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/smaps");
    bool inside = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t first = 0, end = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2)
            inside = first <= at && at < end;
        if (inside && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
    }
    return false;
}
//! Not on every kernel, nor in an emulator.
bool advice_shows() {
    constexpr std::size_t size = 4 << 20;
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool shows = madvise(memory, size, MADV_HUGEPAGE) == 0 && is_advised_huge(memory);
    munmap(memory, size);
    return shows;
}
#endif

}  // namespace

TEST_CASE("a buffer is zeros on a cache line of its own") {
    ledger book;
    const counted<float> values(1000, {&book});
    CHECK(book.live_bytes == 4000);
    CHECK(book.smallest_alignment >= 64);
    CHECK(reinterpret_cast<std::uintptr_t>(values.data()) % 64 == 0);
    CHECK(std::all_of(values.data(), values.data() + 1000, [](float x) { return to_bits(x) == 0; }));
    CHECK(values.bytes() == 4000);
}

#if defined(__linux__)
TEST_CASE("host_memory asks for huge pages for what fills them, and works without") {
    constexpr std::size_t huge_page = 2 << 20;
    const buffer<float, host_memory> large(huge_page, {});
    CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % huge_page == 0);
    CHECK(std::all_of(large.data(), large.data() + huge_page, [](float x) { return to_bits(x) == 0; }));
    if (advice_shows()) CHECK(is_advised_huge(large.data()));
}
#endif

TEST_CASE("host_memory refuses what no array can be") {
    for (const std::size_t missing : {0u, 64u, 4096u, 1u << 21, 1u << 30})
        CHECK_THROWS_AS(host_memory{}.allocate(std::numeric_limits<std::size_t>::max() - missing, 64),
                        std::bad_alloc);
}

TEST_CASE("a buffer of nothing allocates nothing") {
    ledger book;
    const counted<float> values(0, {&book});
    CHECK(values.data() == nullptr);
    CHECK(values.bytes() == 0);
    CHECK(book.calls == 0);
}

TEST_CASE("a buffer that does not fit the address space is a shape_error") {
    ledger book;
    CHECK_THROWS_AS(counted<float>(std::numeric_limits<std::size_t>::max() / 4 + 1, {&book}), shape_error);
    CHECK(book.calls == 0);
}

TEST_CASE("moving a buffer moves its memory, which is given back once") {
    ledger book;
    {
        counted<float> first(10, {&book});
        float* const place = first.data();
        counted<float> second(std::move(first));
        CHECK(second.data() == place);
        CHECK(book.live_bytes == 40);
        counted<float> third(20, {&book});
        third = std::move(second);
        CHECK(third.data() == place);
        CHECK(third.bytes() == 40);
    }
    CHECK(book.live_bytes == 0);
    CHECK(book.calls == book.returns);
}

TEST_CASE("scales are an array of their own, a byte for 32 elements") {
    ledger book;
    scaled_state whole(sizes, masters, {&book});
    const auto check_slot = [&]<slot S>(std::integral_constant<slot, S>) {
        CHECK(whole.at<S>(2).codes - whole.at<S>(0).codes == 384);
        CHECK(whole.at<S>(2).scales - whole.at<S>(0).scales == 384 / 32);
        CHECK(reinterpret_cast<std::uintptr_t>(whole.at<S>(0).scales) % 64 == 0);
        CHECK(std::all_of(whole.at<S>(0).scales, whole.at<S>(0).scales + 16,
                          [](std::uint8_t byte) { return byte == 0; }));
        CHECK(std::as_const(whole).template at<S>(2).codes == whole.at<S>(2).codes);
        CHECK(std::as_const(whole).template at<S>(2).scales == whole.at<S>(2).scales);
    };
    for_each_slot(check_slot);
    CHECK(book.calls == 6);
    CHECK(whole.bytes() == (2 + 1 + 1) * 512 + 3 * 16);
    CHECK(scaled_state::bytes(sizes) == whole.bytes());
    CHECK(book.live_bytes == whole.bytes());
}

TEST_CASE("a slot without scales has none to point to") {
    ledger book;
    state whole(sizes, masters, {&book});
    CHECK(whole.at<slot::main_params>(0).scales == nullptr);
    CHECK(whole.at<slot::exp_avg>(2).scales == nullptr);
}

TEST_CASE("a tensor without master takes no scales among the masters") {
    ledger book;
    const scaled_state whole(sizes, {false, true, true}, {&book});
    CHECK(whole.at<slot::main_params>(2).scales == whole.at<slot::main_params>(0).scales);
    CHECK(whole.bytes() == 2 * 128 + 4 + (1 + 1) * 512 + 2 * 16);
    CHECK(book.live_bytes == whole.bytes());
}

TEST_CASE("a state with scales gives back all that it took, whichever allocation fails") {
    for (int failing = 1; failing <= 6; ++failing) {
        ledger book{.fail_at = failing};
        CHECK_THROWS_AS(scaled_state(sizes, masters, {&book}), std::bad_alloc);
        CHECK(book.calls == failing);
        CHECK(book.live_bytes == 0);
        CHECK(book.returns == failing - 1);
    }
}

TEST_CASE("a state gives back all that it took, whichever allocation fails") {
    for (int failing = 1; failing <= 3; ++failing) {
        ledger book{.fail_at = failing};
        CHECK_THROWS_AS(state(sizes, masters, {&book}), std::bad_alloc);
        CHECK(book.calls == failing);
        CHECK(book.live_bytes == 0);
        CHECK(book.returns == failing - 1);
    }
    ledger book{.fail_at = 4};
    {
        const state whole(sizes, masters, {&book});
        CHECK(book.calls == 3);
    }
    CHECK(book.live_bytes == 0);
}

TEST_CASE("each slot is one array laid out by the flat index") {
    ledger book;
    state whole(sizes, masters, {&book});
    CHECK(whole.index().size() == 512);
    CHECK(whole.at<slot::exp_avg>(2).codes - whole.at<slot::exp_avg>(0).codes == 384);
    CHECK(whole.at<slot::exp_avg_sq>(2).codes - whole.at<slot::exp_avg_sq>(0).codes == 384);
    CHECK(whole.at<slot::main_params>(2).codes - whole.at<slot::main_params>(0).codes == 384);
    CHECK(whole.bytes() == 3 * 4 * 512);
    CHECK(state::bytes(sizes) == 3 * 4 * 512);
}

TEST_CASE("a tensor without master takes no room among the masters") {
    ledger book;
    const state whole(sizes, {false, true, true}, {&book});
    CHECK(whole.at<slot::main_params>(2).codes == whole.at<slot::main_params>(0).codes);
    CHECK(whole.bytes() == 4 * (512 + 512 + 128));
    CHECK(book.live_bytes == 4 * (512 + 512 + 128));
}

TEST_CASE("the bytes of tensors that no machine holds are counted in 64 bits") {
    const std::vector<std::int64_t> huge{std::int64_t{1} << 40};
    CHECK(state::bytes(huge) == std::size_t{3} * 4 << 40);
    CHECK(optimizer_state<presets::lean_bf16::resolved>::bytes(huge) == std::size_t{6} << 40);
    CHECK(scaled_state::bytes(huge) == (std::size_t{4} << 40) + (std::size_t{3} << 35));
}
