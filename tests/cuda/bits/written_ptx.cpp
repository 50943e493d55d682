// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The interpreter on PTX written by hand: that it computes what the text says, that it notices each change
//! to the text, and that it refuses what it does not know.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "device.hpp"

namespace small {

// Their names are what matters: where PTX is used the functions are not called.
__global__ void scale_add(const float* from, float* to, unsigned size) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) to[i] = std::fma(from[i], static_cast<float>(1 + i % 4), to[i]);
}
__global__ void warp_minimum(const unsigned* from, unsigned* to) {
    unsigned least = from[threadIdx.x];
    for (int lanes = 16; lanes > 0; lanes /= 2)
        least = std::min(least, __shfl_xor_sync(0xFFFFFFFFu, least, lanes));
    __shared__ unsigned of_warp[32];
    of_warp[threadIdx.x / 32] = least;
    __syncthreads();
    to[threadIdx.x] = of_warp[threadIdx.x / 32 ^ 1u];
}

}  // namespace small

namespace {

using bits::array;
using bits::check;
using bits::launch;
using emulated_cuda::device_error;

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

//! Uses a text as PTX as long as it lives, and what was used before afterwards.
class used_ptx {
public:
    explicit used_ptx(const std::string& text) {
        std::ofstream(path) << text;
        emulated_cuda::use_ptx(path);
    }
    ~used_ptx() {
        emulated_cuda::use_ptx("");
        std::remove(path);
    }
    used_ptx(const used_ptx&) = delete;
    used_ptx& operator=(const used_ptx&) = delete;

private:
    static constexpr const char* path = "written_ptx_test.ptx";
};

constexpr unsigned size = 100;

bool scale_add_is_right() {
    const auto from = bits::some_floats(size, 1);
    auto to = bits::some_floats(size, 2);
    const array<float> from_there(from), to_there(to);
    check(launch(small::scale_add, 2, 64, nullptr, from_there.data(), to_there.data(), size));
    for (unsigned i = 0; i < size; ++i) to[i] = std::fma(from[i], static_cast<float>(1 + i % 4), to[i]);
    return bits::as_bits(to_there.values()) == bits::as_bits(to);
}

bool warp_minimum_is_right() {
    std::mt19937 random(5);
    std::vector<unsigned> from(64), expected(64);
    for (unsigned& v : from) v = static_cast<unsigned>(random());
    for (std::size_t i = 0; i < 64; ++i) {
        const auto other = from.begin() + (i < 32 ? 32 : 0);
        expected[i] = *std::min_element(other, other + 32);
    }
    const array<unsigned> from_there(from), to_there(64);
    check(launch(small::warp_minimum, 1, 64, nullptr, from_there.data(), to_there.data()));
    return to_there.values() == expected;
}

//! Whether the results are wrong, or there are none.
bool notices(const std::string& text) {
    try {
        const used_ptx used(text);
        return !scale_add_is_right() || !warp_minimum_is_right();
    } catch (const device_error&) { return true; }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != text.npos);
    REQUIRE(text.find(from, at + 1) == text.npos);  // one change
    return text.replace(at, from.size(), to);
}

TEST_CASE("PTX written by hand, in all orders") {
    const used_ptx used(text_of(SMALL_PTX));
    for (const auto order : emulated_cuda::all_orders) {
        emulated_cuda::set_order(order);
        const auto before = emulated_cuda::instructions_interpreted();
        CHECK(scale_add_is_right());
        CHECK(warp_minimum_is_right());
        CHECK(emulated_cuda::instructions_interpreted() > before);
    }
    emulated_cuda::set_order(emulated_cuda::order::forward);
}

TEST_CASE("the functions of these names do the same") {
    CHECK(scale_add_is_right());
    CHECK(warp_minimum_is_right());
}

TEST_CASE("a change to an instruction is noticed") {
    const std::string text = text_of(SMALL_PTX);
    REQUIRE_FALSE(notices(text));
    const std::pair<const char*, const char*> changes[] = {
        {"fma.rn.f32 \t%f4, %f2, %f1, %f3", "fma.rn.f32 \t%f4, %f2, %f1, %f2"},  // another register
        {"fma.rn.f32 \t%f4, %f2, %f1, %f3", "mul.rn.f32 \t%f4, %f2, %f1"},       // another operation
        {"min.u32 ", "max.u32 "},
        {"min.u32 ", "min.s32 "},                            // another type
        {"shr.u32 \t%r3, %r3, 1", "shr.u32 \t%r3, %r3, 2"},  // another number
        {"setp.ge.u32 \t%p1", "setp.gt.u32 \t%p1"},          // one element too many
        {"@%p1 bra", "@!%p1 bra"},
        {"shfl.sync.bfly", "shfl.sync.down"},
        {"[%rd7], %f4", "[%rd7+4], %f4"},    // off by one element
        {"[%rd7], %f4", "[%rd7+2], %f4"},    // off by half of one
        {"st.global.f32", "st.shared.f32"},  // another memory
        {"ld.global.nc.f32", "ld.global.nc.v2.f32"},
        {"and.b32 \t%r6, %r5, 3", "and.b32 \t%r6, %r5, 7"},  // behind the constants
        {"bar.sync \t0;", ""},                               // a race
        {"0, 0, 64, 64,", "0, 0, 64, 65,"},                  // a constant
        {".param .u32 size_p", ".param .u64 size_p"},        // another layout
    };
    for (const auto& change : changes) {
        CAPTURE(change.first);
        CAPTURE(change.second);
        CHECK(notices(replaced(text, change.first, change.second)));
    }
}

TEST_CASE("what is not known is refused, by file and line") {
    const std::string text = text_of(SMALL_PTX);
    const std::pair<const char*, const char*> unknown[] = {
        {"fma.rn.ftz.f32", "'fma.rn.ftz.f32' is not known"},
        {"fma.rn.sat.f32", "'fma.rn.sat.f32' is not known"},
        {"fma.rz.f32", "'fma.rz.f32' is not known"},
        {"fma.approx.f32", "'fma.approx.f32' is not known"},
        {"madmax.f32", "'madmax.f32' is not known"},
        {"call.uni", "'call.uni' is not known"},
        {"fma.rn.f64", "has 32 bits, not 64"},
        {"add.rn.f32", "has 3 operands"},
    };
    for (const auto& [opcode, sentence] : unknown) {
        const std::string changed = replaced(text, "fma.rn.f32", opcode);
        CHECK_THROWS_WITH_AS(used_ptx{changed}, doctest::Contains(sentence), device_error);
        CHECK_THROWS_WITH_AS(used_ptx{changed}, doctest::Contains("written_ptx_test.ptx:44: "), device_error);
    }
    const std::pair<const char*, const char*> modifiers[] = {
        {"shfl.sync.bfly.b32", "shfl.bfly.b32"},      {"bar.sync \t0", "bar.arrive \t0"},
        {"ld.const.f32", "ld.surface.f32"},           {"$L_next;", "$L_nowhere;"},
        {"%f4, %f2, %f1, %f3", "%f4, %f2, %f1, %f9"},
    };
    for (const auto& [from, to] : modifiers)
        CHECK_THROWS_AS(used_ptx{replaced(text, from, to)}, device_error);
    CHECK_THROWS_WITH_AS(emulated_cuda::use_ptx("absent.ptx"), doctest::Contains("absent.ptx"), device_error);
}

TEST_CASE("a product and a sum that ptxas may fuse are refused") {
    const std::string text = replaced(text_of(SMALL_PTX), "fma.rn.f32 \t%f4, %f2, %f1, %f3;",
                                      "mul.f32 %f4, %f2, %f1; add.f32 %f4, %f4, %f3;");
    CHECK_THROWS_WITH_AS(used_ptx{text}, doctest::Contains("fuse"), device_error);
}

TEST_CASE("a kernel that is not there, and one that does not end") {
    const std::string text = text_of(SMALL_PTX);
    CHECK_THROWS_WITH_AS(
        [&] {
            const used_ptx used(replaced(text, "_ZN5small9scale_addEPKfPfj(", "_ZN5small9other_addEPKfPfj("));
            scale_add_is_right();
        }(),
        doctest::Contains("no PTX of _ZN5small9scale_addEPKfPfj"), device_error);
    const used_ptx used(replaced(text, "shr.u32 \t%r3, %r3, 1", "shr.u32 \t%r3, %r3, 0"));
    emulated_cuda::set_longest_block(100'000);
    CHECK_THROWS_WITH_AS(warp_minimum_is_right(), doctest::Contains("without end"), device_error);
}

}  // namespace
