// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The kernels for NEON, which every aarch64 has: as avx2.hpp, at half the width.
#pragma once

#if defined(__aarch64__)
#include <arm_neon.h>

#include <adamant/step/step_scalar.hpp>

#define ADAMANT_SIMD_TARGET
#define ADAMANT_SIMD ADAMANT_ALWAYS_INLINE
#define ADAMANT_SIMD_REGISTER "+w"

namespace adamant::inline v0::neon {

//! Whether the kernels ask for cache lines ahead: see lines_to_fetch.hpp.
inline constexpr bool fetches_ahead = false;
inline constexpr int lanes = 4;
typedef float floats __attribute__((vector_size(16)));
typedef std::int32_t ints __attribute__((vector_size(16)));
typedef std::uint32_t words __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
typedef std::uint64_t longs __attribute__((vector_size(16)));
typedef std::uint16_t shorts __attribute__((vector_size(16)));
typedef std::int16_t signed_shorts __attribute__((vector_size(16)));
typedef std::int16_t half_shorts __attribute__((vector_size(8)));

inline constexpr words first_places{0, 1, 2, 3};

ADAMANT_SIMD floats fma(floats a, floats b, floats c) {
    return (floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
ADAMANT_SIMD floats root(floats a) { return (floats)vsqrtq_f32((float32x4_t)a); }
ADAMANT_SIMD floats selected(uint32x4_t which, floats a, floats b) {
    return (floats)vbslq_f32(which, (float32x4_t)a, (float32x4_t)b);
}
//! Where one is NaN, the second.
ADAMANT_SIMD floats smaller(floats a, floats b) {
    return selected(vcltq_f32((float32x4_t)a, (float32x4_t)b), a, b);
}
ADAMANT_SIMD floats larger(floats a, floats b) {
    return selected(vcgtq_f32((float32x4_t)a, (float32x4_t)b), a, b);
}
ADAMANT_SIMD ints larger(ints a, ints b) { return (ints)vmaxq_s32((int32x4_t)a, (int32x4_t)b); }
ADAMANT_SIMD signed_shorts larger(signed_shorts a, signed_shorts b) {
    return (signed_shorts)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}
ADAMANT_SIMD words larger(words a, words b) { return (words)vmaxq_u32((uint32x4_t)a, (uint32x4_t)b); }
ADAMANT_SIMD words smaller(words a, words b) { return (words)vminq_u32((uint32x4_t)a, (uint32x4_t)b); }
//! (a + b + 1) / 2 of unsigned 16-bit words.
ADAMANT_SIMD shorts average(shorts a, shorts b) { return (shorts)vrhaddq_u16((uint16x8_t)a, (uint16x8_t)b); }
//! The low halves of a's words and the high halves of b's; `high` is 0xFFFF0000.
ADAMANT_SIMD words blend_halves(words a, words b, words high) {
    return (words)vbslq_u32((uint32x4_t)high, (uint32x4_t)b, (uint32x4_t)a);
}
//! The low 32 bits of each, as products of 64.
ADAMANT_SIMD longs product(longs a, longs b) {
    return (longs)vmull_u32(vmovn_u64((uint64x2_t)a), vmovn_u64((uint64x2_t)b));
}

//! Elements that something is true of.
using flags = uint32x4_t;
ADAMANT_SIMD flags no_flags() { return vdupq_n_u32(0); }
ADAMANT_SIMD flags either(flags a, flags b) { return vorrq_u32(a, b); }
ADAMANT_SIMD bool any(flags f) { return vmaxvq_u32(f) != 0; }
ADAMANT_SIMD flags nan_in(floats a, floats b) {
    const auto x = (float32x4_t)a, y = (float32x4_t)b;
    return vmvnq_u32(vandq_u32(vceqq_f32(x, x), vceqq_f32(y, y)));
}
ADAMANT_SIMD flags above(ints a, std::int32_t limit) { return vcgtq_s32((int32x4_t)a, vdupq_n_s32(limit)); }
ADAMANT_SIMD flags above(signed_shorts a, std::int16_t limit) {
    return vreinterpretq_u32_u16(vcgtq_s16((int16x8_t)a, vdupq_n_s16(limit)));
}

//! 16-bit words as words of 32 bits.
template <class T>
ADAMANT_SIMD words widened_shorts(const T* from) {
    return (words)vmovl_u16(vld1_u16(reinterpret_cast<const std::uint16_t*>(from)));
}

inline constexpr bool splits_lanes = false;
//! Floats in memory as doubles.
ADAMANT_SIMD doubles load_doubles(const float* from) { return (doubles)vcvt_f64_f32(vld1_f32(from)); }
//! ((0+8)+(4+12)) + ..., the tree of step/block_sums.hpp; low[i] holds lanes 4 i and 4 i + 1, high[i] the
//! next.
ADAMANT_SIMD double tree_sum(const doubles (&low)[4], const doubles (&high)[4]) {
    const doubles two = ((low[0] + low[2]) + (low[1] + low[3])) + ((high[0] + high[2]) + (high[1] + high[3]));
    return two[0] + two[1];
}

//! Bytes as words, and words whose high byte is zero as bytes.
ADAMANT_SIMD shorts load_bytes(const std::uint8_t* from) { return (shorts)vmovl_u8(vld1_u8(from)); }
ADAMANT_SIMD shorts load_bytes(const std::int8_t* from) { return (shorts)vmovl_s8(vld1_s8(from)); }
ADAMANT_SIMD void store_bytes(void* to, shorts values) {
    vst1_u8(static_cast<std::uint8_t*>(to), vmovn_u16((uint16x8_t)values));
}
//! Codes of a group as bytes; with the sign of each top where the code is not zero.
ADAMANT_SIMD void store_group(std::uint8_t* to, const shorts (&codes)[4]) {
    for (int part = 0; part < 4; ++part) store_bytes(to + 8 * part, codes[part]);
}
ADAMANT_SIMD void store_group_with_signs(std::uint8_t* to, const shorts (&codes)[4],
                                         const shorts (&tops)[4]) {
    for (int part = 0; part < 4; ++part) {
        const shorts sign = (tops[part] >> 8) & (shorts)(codes[part] != 0) & 0x80;
        store_bytes(to + 8 * part, codes[part] | sign);
    }
}
//! a + b where a is not zero.
ADAMANT_SIMD shorts sum_or_zero(shorts a, shorts b) { return (a + b) & (shorts)(a != 0); }

//! Halves as floats, and back.
ADAMANT_SIMD floats from_halves(half_shorts halves) { return (floats)vcvt_f32_f16((float16x4_t)halves); }
//! Floats as halves in the low halves of words.
ADAMANT_SIMD words to_halves(floats x) { return (words)vmovl_u16((uint16x4_t)vcvt_f16_f32((float32x4_t)x)); }

//! Neighbouring floats: those at even and at odd places, and both in their order again.
struct float_vectors {
    floats a, b;
};
ADAMANT_SIMD float_vectors load_apart(const float* from) {
    const float32x4x2_t x = vld2q_f32(from);
    return {(floats)x.val[0], (floats)x.val[1]};
}
//! The same of halves.
ADAMANT_SIMD float_vectors load_halves_apart(const void* from) {
    const uint16x4x2_t x = vld2_u16(static_cast<const std::uint16_t*>(from));
    return {from_halves((half_shorts)x.val[0]), from_halves((half_shorts)x.val[1])};
}
ADAMANT_SIMD void store_together(float* to, float_vectors v) {
    vst2q_f32(to, {{(float32x4_t)v.a, (float32x4_t)v.b}});
}

//! The first half of a vector.
ADAMANT_SIMD half_shorts half_of(shorts x) {
    half_shorts half;
    __builtin_memcpy(&half, &x, sizeof half);
    return half;
}

//! A bit for each word whose sign is set.
ADAMANT_SIMD std::uint32_t signs_of(words x) {
    return vaddvq_u32((uint32x4_t)((x >> 31) << words{0, 1, 2, 3}));
}
//! Bytes as words of 32 bits.
ADAMANT_SIMD words widened_bytes(const std::uint8_t* from) {
    return words{from[0], from[1], from[2], from[3]};
}
//! The largest elements of as many vectors as there are lanes.
ADAMANT_SIMD words largest_of(const auto& v) {
    return (words)vpmaxq_s32(vpmaxq_s32((int32x4_t)v[0], (int32x4_t)v[1]),
                             vpmaxq_s32((int32x4_t)v[2], (int32x4_t)v[3]));
}

}  // namespace adamant::inline v0::neon

#define ADAMANT_SIMD_NAMESPACE neon
#include <adamant/step/simd/kernel.inc>
#undef ADAMANT_SIMD_NAMESPACE
#undef ADAMANT_SIMD
#undef ADAMANT_SIMD_TARGET
#undef ADAMANT_SIMD_REGISTER
#endif
