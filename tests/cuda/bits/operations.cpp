// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Single instructions of the interpreter against what the PTX ISA says of them: values worked out by hand
//! from its text, and for conversions the library's own.
#include <cstdio>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include <adamant/numerics/bfloat16.hpp>
#include <adamant/numerics/float16.hpp>

#include "../ptx/half.hpp"
#include "device.hpp"

namespace small {

__global__ void one_result(std::uint64_t* to) { *to = 0; }

}  // namespace small

namespace {

using bits::check;

// Registers named by width: p, h(alf), w(ord), d(ouble word); r is the result.
std::string registers() {
    std::string text;
    for (const auto& [letter, type] : {std::pair{"p", "pred"}, {"h", "b16"}, {"w", "b32"}, {"d", "b64"}})
        text += std::string(".reg .") + type + " " + letter + "<6>;\n";
    return text;
}

//! What is left in `result`, one of the registers, after some instructions.
std::uint64_t after(const std::string& instructions, const std::string& result) {
    static constexpr const char* path = "operations_test.ptx";
    const std::string width = result[0] == 'h' ? "u16" : result[0] == 'w' ? "u32" : "u64";
    std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
    text += ".visible .entry _ZN5small10one_resultEPm(.param .u64 to_p)\n{\n" + registers();
    text += ".reg .b64 to;\nld.param.u64 to, [to_p];\n" + instructions + "\n";
    if (result[0] == 'p') text += "selp.u64 d5, 1, 0, " + result + ";\n";
    text += "st.u64 [to], 0;\nst." + width + " [to], " + (result[0] == 'p' ? "d5" : result) + ";\nret;\n}\n";
    std::ofstream(path) << text;
    emulated_cuda::use_ptx(path);
    std::remove(path);
    const bits::array<std::uint64_t> to(1);
    check(bits::launch(small::one_result, 1, 1, nullptr, to.data()));
    const std::uint64_t value = to.values().front();
    emulated_cuda::use_ptx("");
    return value;
}

struct row {
    const char* instructions;
    const char* result;
    std::uint64_t expected;
};

void hold(const row& r) {
    CAPTURE(r.instructions);
    CHECK(after(r.instructions, r.result) == r.expected);
}

TEST_CASE("words and fields of bits") {
    const row rows[] = {
        {"prmt.b32 w0, 0x33221100, 0x77665544, 0x7531;", "w0", 0x77553311},
        {"prmt.b32 w0, 0x332211F0, 0, 0x8888;", "w0", 0xFFFFFFFF},                     // a sign, replicated
        {"lop3.b32 w0, 0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA, 0xE8;", "w0", 0xE8E8E8E8},  // majority
        {"lop3.b32 w0, 0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA, 0x1E;", "w0", 0x1E1E1E1E},
        {"shf.l.wrap.b32 w0, 0x80000001, 0x00000002, 33;", "w0", 5},
        {"shf.r.wrap.b32 w0, 0x80000001, 0x00000003, 1;", "w0", 0xC0000000},
        {"shf.l.clamp.b32 w0, 7, 9, 40;", "w0", 7},
        {"shf.r.clamp.b32 w0, 7, 9, 32;", "w0", 9},
        {"bfe.u32 w0, 0xABCD1234, 8, 12;", "w0", 0xD12},
        {"bfe.s32 w0, 0x00000800, 4, 8;", "w0", 0xFFFFFF80},
        {"bfe.s32 w0, 0x80000000, 28, 8;", "w0", 0xFFFFFFF8},  // the sign of the whole, beyond its end
        {"bfe.u32 w0, 0xFFFFFFFF, 4, 0;", "w0", 0},
        {"bfi.b32 w0, 0xFF, 0x12345678, 8, 4;", "w0", 0x12345F78},
        {"bfi.b64 d0, 0x5, 0xFFFFFFFFFFFFFFFF, 60, 8;", "d0", 0x5FFFFFFFFFFFFFFF},
        {"bfind.u32 w0, 0x00010000;", "w0", 16},
        {"bfind.s32 w0, 0xFFFF0000;", "w0", 15},
        {"bfind.u32 w0, 0;", "w0", 0xFFFFFFFF},
        {"bfind.shiftamt.u32 w0, 0x00010000;", "w0", 15},
        {"clz.b64 w0, 1;", "w0", 63},
        {"popc.b32 w0, 0xF00F;", "w0", 8},
        {"brev.b32 w0, 0x80000001;", "w0", 0x80000001},
        {"brev.b64 d0, 1;", "d0", 0x8000000000000000},
        {"shl.b16 h0, 0x8001, 1;", "h0", 2},
        {"shl.b32 w0, 1, 32;", "w0", 0},
        {"shr.s32 w0, 0x80000000, 40;", "w0", 0xFFFFFFFF},
        {"shr.u64 d0, 0x8000000000000000, 63;", "d0", 1},
        {"mov.b32 w0, {0x1234, 0x5678};", "w0", 0x56781234},
        {"mov.b64 {w0, w1}, 0x1122334455667788; mov.u32 w2, w1;", "w2", 0x11223344},
        {"mov.b32 {h0, _}, 0xAABBCCDD;", "h0", 0xCCDD}};
    for (const row& r : rows) hold(r);
}

TEST_CASE("integers") {
    const row rows[] = {
        {"add.cc.u32 w0, 0xFFFFFFFF, 1; addc.u32 w1, 5, 6;", "w1", 12},
        {"add.cc.u32 w0, 0xFFFFFFFF, 1; addc.cc.u32 w1, 0xFFFFFFFF, 0; addc.u32 w2, 0, 0;", "w2", 1},
        {"sub.cc.u64 d0, 0, 1; subc.u64 d1, 0, 0;", "d1", 0xFFFFFFFFFFFFFFFF},
        {"mad.lo.cc.u32 w0, 0x10000, 0x10000, 0; madc.hi.u32 w1, 0x10000, 0x10000, 7;", "w1", 8},
        {"mad.lo.cc.u32 w0, 0xFFFF, 0x10001, 1; madc.hi.u32 w1, 2, 3, 4;", "w1", 5},
        {"mul.hi.s32 w0, -2, 3;", "w0", 0xFFFFFFFF},
        {"mul.hi.u32 w0, 0xFFFFFFFE, 3;", "w0", 2},
        {"mul.hi.u64 d0, 0x8000000000000000, 6;", "d0", 3},
        {"mul.hi.s64 d0, 0x8000000000000000, 2;", "d0", 0xFFFFFFFFFFFFFFFF},
        {"mul.wide.s32 d0, -3, 5;", "d0", 0xFFFFFFFFFFFFFFF1},
        {"mul.wide.u16 w0, 0xFFFF, 0xFFFF;", "w0", 0xFFFE0001},
        {"mad.wide.s16 w0, -1, 2, 1;", "w0", 0xFFFFFFFF},
        {"mad.hi.s32 w0, -2, 3, 1;", "w0", 0},
        {"min.s32 w0, -1, 1;", "w0", 0xFFFFFFFF},
        {"min.u32 w0, -1, 1;", "w0", 1},
        {"max.s16 h0, 0x8000, 0x7FFF;", "h0", 0x7FFF},
        {"abs.s32 w0, 0x80000000;", "w0", 0x80000000},
        {"neg.s16 h0, 1;", "h0", 0xFFFF},
        {"div.s32 w0, -7, 2;", "w0", 0xFFFFFFFD},
        {"rem.s32 w0, -7, 2;", "w0", 0xFFFFFFFF},
        {"setp.lt.s32 p0, -1, 0;", "p0", 1},
        {"setp.lt.u32 p0, -1, 0;", "p0", 0},
        {"setp.eq.u32 p1, 0, 0; setp.ge.and.s64 p0, 2, 2, !p1;", "p0", 0},
        {"setp.eq.u32 p1, 0, 0; setp.gt.or.s64 p0, 2, 2, p1;", "p0", 1},
        {"setp.eq.u32 p1, 0, 0; setp.ge.xor.s64 p0, 2, 2, p1;", "p0", 0},
        {"setp.ne.s32 p0, 1, 2; selp.b32 w0, 3, 4, p0;", "w0", 3},
        {"slct.u32.s32 w0, 3, 4, -1;", "w0", 4},
        {"cvt.s32.s8 w0, 0x80;", "w0", 0xFFFFFF80},
        {"mov.u16 h1, 0x80; cvt.s16.s8 h0, h1;", "h0", 0xFF80},
        {"mov.u32 w1, 0x12345678; cvt.u8.u32 w0, w1;", "w0", 0x78},
        {"mov.u32 w1, 0x80000000; cvt.s64.s32 d0, w1;", "d0", 0xFFFFFFFF80000000},
        {"mov.u32 w1, 0x80000000; cvt.u64.u32 d0, w1;", "d0", 0x80000000}};
    for (const row& r : rows) hold(r);
}

TEST_CASE("floats") {
    const row rows[] = {
        {"min.f32 w0, 0f7FC00001, 0f3F800000;", "w0", 0x3F800000},
        {"max.f32 w0, 0f7FC00001, 0fFFC00000;", "w0", 0x7FFFFFFF},
        {"min.f32 w0, 0f00000000, 0f80000000;", "w0", 0x80000000},
        {"max.f32 w0, 0f80000000, 0f00000000;", "w0", 0},
        {"add.rn.f32 w0, 0f7F800000, 0fFF800000;", "w0", 0x7FFFFFFF},              // the canonical NaN
        {"fma.rn.f32 w0, 0f3F800001, 0f3F800001, 0fBF800002;", "w0", 0x28800000},  // 2^-46, in one rounding
        {"div.rn.f32 w0, 0f3F800000, 0f40400000;", "w0", 0x3EAAAAAB},
        {"sqrt.rn.f32 w0, 0f40000000;", "w0", 0x3FB504F3},
        {"sqrt.rn.f64 d0, 0d4000000000000000;", "d0", 0x3FF6A09E667F3BCD},
        {"div.rn.f64 d0, 0d3FF0000000000000, 0d4008000000000000;", "d0", 0x3FD5555555555555},
        {"mul.rn.f32 w0, 0f00800000, 0f3F000000;", "w0", 0x00400000},  // subnormals stay
        {"neg.f32 w0, 0f7F800001;", "w0", 0xFF800001},
        {"abs.f64 d0, 0dBFF0000000000000;", "d0", 0x3FF0000000000000},
        {"setp.ne.f32 p0, 0f7FC00000, 0f00000000;", "p0", 0},
        {"setp.neu.f32 p0, 0f7FC00000, 0f00000000;", "p0", 1},
        {"setp.eq.f32 p0, 0f80000000, 0f00000000;", "p0", 1},
        {"setp.ltu.f32 p0, 0f7FC00000, 0f00000000;", "p0", 1},
        {"setp.lt.f32 p0, 0f7FC00000, 0f00000000;", "p0", 0},
        {"setp.nan.f32 p0, 0f7FC00000, 0f00000000;", "p0", 1},
        {"setp.num.f64 p0, 0d7FF8000000000000, 0d0000000000000000;", "p0", 0},
        {"setp.equ.f64 p0, 0d7FF8000000000000, 0d0000000000000000;", "p0", 1},
        {"testp.infinite.f32 p0, 0fFF800000;", "p0", 1},
        {"cvt.rzi.s32.f32 w0, 0fCF000001;", "w0", 0x80000000},  // held to the range
        {"cvt.rzi.u32.f32 w0, 0fBF800000;", "w0", 0},
        {"cvt.rzi.u32.f32 w0, 0f4F800000;", "w0", 0xFFFFFFFF},
        {"cvt.rzi.s32.f32 w0, 0f7FC00000;", "w0", 0},
        {"cvt.rzi.s64.f64 d0, 0d7FF8000000000000;", "d0", 0x8000000000000000},
        {"cvt.rni.s32.f32 w0, 0f40200000;", "w0", 2},  // 2.5
        {"cvt.rmi.s32.f32 w0, 0fC0200000;", "w0", 0xFFFFFFFD},
        {"cvt.rpi.f32.f32 w0, 0f40200000;", "w0", 0x40400000},
        {"cvt.rn.f32.u32 w0, 0x01000001;", "w0", 0x4B800000},
        {"cvt.rn.f32.s64 w0, -1;", "w0", 0xBF800000},
        {"cvt.rn.f64.u64 d0, 0xFFFFFFFFFFFFFFFF;", "d0", 0x43F0000000000000},
        {"cvt.rn.f32.f64 w0, 0d3FF0000010000000;", "w0", 0x3F800000},
        {"cvt.f64.f32 d0, 0f00000001;", "d0", 0x36A0000000000000},
        {"cvt.rn.bf16.f32 h0, 0f3F808000;", "h0", 0x3F80},
        {"cvt.rn.bf16.f32 h0, 0f7FC00001;", "h0", 0x7FFF},
        {"cvt.rn.bf16x2.f32 w0, 0f3F800000, 0f40000000;", "w0", 0x3F804000},
        {"cvt.rn.f16x2.f32 w0, 0f3F800000, 0f477FF000;", "w0", 0x3C007C00},  // 65520 is infinite
        {"mov.u16 h1, 0x0001; cvt.f32.f16 w0, h1;", "w0", 0x33800000}};
    for (const row& r : rows) hold(r);
}

TEST_CASE("memory: widths, signs, vectors, addresses of all spaces") {
    const row rows[] = {
        {".local .align 8 .b8 a[16]; st.local.u32 [a], 0x8081; ld.local.s8 w0, [a];", "w0", 0xFFFFFF81},
        {".local .align 8 .b8 a[16]; st.local.u32 [a], 0x8081; ld.local.u8 h0, [a+1];", "h0", 0x80},
        {".local .align 8 .b8 a[16]; st.local.u32 [a], 0x8081; ld.local.s16 d0, [a];", "d0",
         0xFFFFFFFFFFFF8081},
        {".local .align 8 .b8 a[16]; mov.u64 d1, a; cvta.local.u64 d2, d1; st.u32 [d2+4], 7; ld.local.u32 "
         "w0, [d1+4];",
         "w0", 7},
        {".shared .align 8 .b8 a[16]; .shared .align 8 .b8 b[8]; mov.u64 d1, b; cvta.shared.u64 d2, d1; "
         "st.v2.u32 [d2], {5, 6}; "
         "cvta.to.shared.u64 d3, d2; ld.shared.v2.u32 {w1, w0}, [d3];",
         "w0", 6},
        {".shared .align 8 .b8 a[16]; mov.u64 d1, a; cvta.shared.u64 d2, d1; isspacep.shared p0, d2;", "p0",
         1},
        {".shared .align 8 .b8 a[16]; mov.u64 d1, a; cvta.shared.u64 d2, d1; isspacep.global p0, d2;", "p0",
         0},
        {".shared .align 8 .b8 a[16]; st.shared.u32 [a], 5; atom.shared.cas.b32 w1, [a], 5, 9; ld.shared.u32 "
         "w0, [a];",
         "w0", 9},
        {".shared .align 8 .b8 a[16]; st.shared.u32 [a], -5; atom.shared.max.s32 w0, [a], 3; ld.shared.u32 "
         "w0, [a];",
         "w0", 3},
        {".shared .align 8 .b8 a[16]; st.shared.u64 [a], 5; red.shared.add.u64 [a], -6; ld.shared.u64 d0, "
         "[a];",
         "d0", 0xFFFFFFFFFFFFFFFF},
        {"mov.u32 w1, 2; brx.idx w1, table; table: .branchtargets l0, l1, l2; l0: mov.u32 w0, 10; bra end; "
         "l1: mov.u32 w0, 11; bra end; l2: mov.u32 w0, 12; end:",
         "w0", 12}};
    for (const row& r : rows) hold(r);
    using emulated_cuda::device_error;
    for (const char* wrong :
         {".shared .align 8 .b8 a[16]; ld.shared.u32 w0, [a+16];",
          ".shared .align 8 .b8 a[16]; ld.shared.u32 w0, [a+2];",
          ".local .align 8 .b8 a[16]; ld.local.u32 w0, [a-4];", "ld.param.u64 d0, [to_p+8];",
          "ld.global.u32 w0, [0];", "ld.global.u32 w0, [to+8];", "cvta.to.shared.u64 d0, to;"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(after(wrong, "w0"), device_error);
    }
}

TEST_CASE("f16 and bf16 of every code, and of floats around them") {
    namespace ptx = emulated_cuda::ptx;
    bool same = true;
    for (std::uint32_t code = 0; code < 0x10000; ++code) {
        const auto word = static_cast<std::uint16_t>(code);
        const float half = adamant::to_float(adamant::float16{word}),
                    brain = adamant::to_float(adamant::bfloat16{word});
        same = same &&
               (std::isnan(half) ? std::isnan(ptx::float_from_f16(word)) : ptx::float_from_f16(word) == half);
        same = same && (std::isnan(brain) ? std::isnan(ptx::float_from_bf16(word))
                                          : ptx::float_from_bf16(word) == brain);
        for (const std::uint32_t low :
             {0u, 1u, 0x0FFFu, 0x1000u, 0x1001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
            const float value = std::bit_cast<float>(code << 16 | low);
            if (std::isnan(value)) {
                same = same && ptx::f16_from(value) == 0x7FFF && ptx::bf16_from(value) == 0x7FFF;
                continue;
            }
            same = same && ptx::f16_from(value) == adamant::to_float16(value).bits;
            same = same && ptx::bf16_from(value) == adamant::to_bfloat16(value).bits;
        }
    }
    CHECK(same);
}

}  // namespace
