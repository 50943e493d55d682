// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The kernels for AVX-512 (F, BW, DQ, VL): as avx2.hpp, at twice the width.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include <adamant/step/step_scalar.hpp>

#define ADAMANT_SIMD_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#define ADAMANT_SIMD ADAMANT_SIMD_TARGET ADAMANT_ALWAYS_INLINE
#define ADAMANT_SIMD_REGISTER "+v"

namespace adamant::inline v0::avx512 {

//! Whether the kernels ask for cache lines ahead: see lines_to_fetch.hpp.
inline constexpr bool fetches_ahead = true;
inline constexpr int lanes = 16;
typedef float floats __attribute__((vector_size(64)));
typedef std::int32_t ints __attribute__((vector_size(64)));
typedef std::uint32_t words __attribute__((vector_size(64)));
typedef double doubles __attribute__((vector_size(64)));
typedef std::uint64_t longs __attribute__((vector_size(64)));
typedef std::uint16_t shorts __attribute__((vector_size(64)));
typedef std::int16_t signed_shorts __attribute__((vector_size(64)));
typedef std::int16_t half_shorts __attribute__((vector_size(32)));

inline constexpr words first_places{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// GCC 12 warns of an undefined register in the plain forms of these operations; masks of ones cost nothing.
inline constexpr __mmask8 all8 = 0xFF;
inline constexpr __mmask16 all16 = 0xFFFF;
inline constexpr __mmask32 all32 = 0xFFFFFFFF;

ADAMANT_SIMD floats fma(floats a, floats b, floats c) { return (floats)_mm512_fmadd_ps(a, b, c); }
ADAMANT_SIMD floats root(floats a) { return (floats)_mm512_maskz_sqrt_ps(all16, a); }
//! Where one is NaN, the second.
ADAMANT_SIMD floats smaller(floats a, floats b) { return (floats)_mm512_maskz_min_ps(all16, a, b); }
ADAMANT_SIMD floats larger(floats a, floats b) { return (floats)_mm512_maskz_max_ps(all16, a, b); }
ADAMANT_SIMD ints larger(ints a, ints b) {
    return (ints)_mm512_maskz_max_epi32(all16, (__m512i)a, (__m512i)b);
}
ADAMANT_SIMD signed_shorts larger(signed_shorts a, signed_shorts b) {
    return (signed_shorts)_mm512_maskz_max_epi16(all32, (__m512i)a, (__m512i)b);
}
ADAMANT_SIMD words larger(words a, words b) {
    return (words)_mm512_maskz_max_epu32(all16, (__m512i)a, (__m512i)b);
}
ADAMANT_SIMD words smaller(words a, words b) {
    return (words)_mm512_maskz_min_epu32(all16, (__m512i)a, (__m512i)b);
}
//! (a + b + 1) / 2 of unsigned 16-bit words.
ADAMANT_SIMD shorts average(shorts a, shorts b) { return (shorts)_mm512_avg_epu16((__m512i)a, (__m512i)b); }
//! The low halves of a's words and the high halves of b's; `high` is 0xFFFF0000.
ADAMANT_SIMD words blend_halves(words a, words b, words high) {
    return (words)_mm512_ternarylogic_epi32((__m512i)high, (__m512i)b, (__m512i)a, 0xCA);
}
//! The low 32 bits of each, as products of 64.
ADAMANT_SIMD longs product(longs a, longs b) {
    return (longs)_mm512_maskz_mul_epu32(all8, (__m512i)a, (__m512i)b);
}

//! Elements that something is true of.
using flags = __mmask32;
ADAMANT_SIMD flags no_flags() { return 0; }
ADAMANT_SIMD flags either(flags a, flags b) { return static_cast<flags>(a | b); }
ADAMANT_SIMD bool any(flags f) { return f != 0; }
ADAMANT_SIMD flags nan_in(floats a, floats b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
ADAMANT_SIMD flags above(ints a, std::int32_t limit) {
    return _mm512_cmpgt_epi32_mask((__m512i)a, _mm512_set1_epi32(limit));
}
ADAMANT_SIMD flags above(signed_shorts a, std::int16_t limit) {
    return _mm512_cmpgt_epi16_mask((__m512i)a, _mm512_set1_epi16(limit));
}

//! 16-bit words as words of 32 bits.
template <class T>
ADAMANT_SIMD words widened_shorts(const T* from) {
    return (words)_mm512_maskz_cvtepu16_epi32(all16,
                                              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

inline constexpr bool splits_lanes = false;
//! Floats in memory as doubles.
ADAMANT_SIMD doubles load_doubles(const float* from) {
    return (doubles)_mm512_maskz_cvtps_pd(all8, _mm256_loadu_ps(from));
}
//! ((0+8)+(4+12)) + ..., the tree of step/block_sums.hpp; low holds lanes 0-7, high 8-15.
ADAMANT_SIMD double tree_sum(const doubles (&low)[1], const doubles (&high)[1]) {
    const __m512d eight = low[0] + high[0];
    const __m256d four =
        _mm512_maskz_extractf64x4_pd(all8, eight, 0) + _mm512_maskz_extractf64x4_pd(all8, eight, 1);
    const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
    return two[0] + two[1];
}

//! Bytes as words, and words whose high byte is zero as bytes.
ADAMANT_SIMD shorts load_bytes(const std::uint8_t* from) {
    return (shorts)_mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
ADAMANT_SIMD shorts load_bytes(const std::int8_t* from) {
    return (shorts)_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
ADAMANT_SIMD void store_bytes(void* to, shorts values) {
    _mm256_storeu_si256(static_cast<__m256i*>(to), _mm512_maskz_cvtepi16_epi8(all32, (__m512i)values));
}

//! Codes of a group as bytes; with the sign of each top where the code is not zero.
ADAMANT_SIMD void store_group(void* to, const shorts (&codes)[1]) { store_bytes(to, codes[0]); }
ADAMANT_SIMD void store_group_with_signs(void* to, const shorts (&codes)[1], const shorts (&tops)[1]) {
    const __m512i code = (__m512i)codes[0];
    const __mmask32 negative =
        _mm512_mask_test_epi16_mask(_mm512_movepi16_mask((__m512i)tops[0]), code, code);
    store_bytes(to, (shorts)_mm512_mask_add_epi16(code, negative, code, _mm512_set1_epi16(0x80)));
}
//! a + b where a is not zero.
ADAMANT_SIMD shorts sum_or_zero(shorts a, shorts b) {
    const __m512i x = (__m512i)a;
    return (shorts)_mm512_maskz_add_epi16(_mm512_test_epi16_mask(x, x), x, (__m512i)b);
}

//! Halves as floats, and back.
ADAMANT_SIMD floats from_halves(half_shorts halves) {
    return (floats)_mm512_maskz_cvtph_ps(all16, (__m256i)halves);
}
//! Floats as halves in the low halves of words.
ADAMANT_SIMD words to_halves(floats x) {
    return (words)_mm512_maskz_cvtepu16_epi32(all16,
                                              _mm512_maskz_cvtps_ph(all16, x, _MM_FROUND_TO_NEAREST_INT));
}

ADAMANT_SIMD half_shorts packed_halves(floats x) {
    return (half_shorts)_mm512_maskz_cvtps_ph(all16, x, _MM_FROUND_TO_NEAREST_INT);
}
ADAMANT_SIMD shorts side_by_side(half_shorts a, half_shorts b) {
    const __m512i both = _mm512_maskz_broadcast_i64x4(all8, (__m256i)b);
    return (shorts)_mm512_maskz_inserti64x4(all8, both, (__m256i)a, 0);
}
//! Bytes with their signs as 16-bit values.
ADAMANT_SIMD half_shorts signed_bytes(const std::uint8_t* from) {
    return (half_shorts)_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
//! The 16-bit values at these places of two vectors.
ADAMANT_SIMD shorts selected(shorts a, shorts b, shorts places) {
    return (shorts)_mm512_permutex2var_epi16((__m512i)a, (__m512i)places, (__m512i)b);
}
//! Those of one vector as the high halves of words; every second place counts.
ADAMANT_SIMD words selected_on_top(shorts a, shorts places) {
    return (words)_mm512_maskz_permutexvar_epi16(0xAAAAAAAA, (__m512i)places, (__m512i)a);
}

//! Neighbouring floats: those at even and at odd places, and both in their order again.
struct float_vectors {
    floats a, b;
};
ADAMANT_SIMD floats selected(floats a, floats b, words places) {
    return (floats)_mm512_permutex2var_ps(a, (__m512i)places, b);
}
ADAMANT_SIMD float_vectors apart(floats x, floats y) {
    return {selected(x, y, first_places * 2), selected(x, y, first_places * 2 + 1)};
}
ADAMANT_SIMD float_vectors load_apart(const float* from) {
    return apart(_mm512_loadu_ps(from), _mm512_loadu_ps(from + 16));
}
//! The same of halves.
ADAMANT_SIMD float_vectors load_halves_apart(const void* from) {
    const auto* const halves = static_cast<const __m256i*>(from);
    return apart(from_halves((half_shorts)_mm256_loadu_si256(halves)),
                 from_halves((half_shorts)_mm256_loadu_si256(halves + 1)));
}
ADAMANT_SIMD void store_together(float* to, float_vectors v) {
    const words low{0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23};
    _mm512_storeu_ps(to, selected(v.a, v.b, low));
    _mm512_storeu_ps(to + 16, selected(v.a, v.b, low + 8));
}

//! The first half of a vector.
ADAMANT_SIMD half_shorts half_of(shorts x) {
    half_shorts half;
    __builtin_memcpy(&half, &x, sizeof half);
    return half;
}

//! A bit for each word whose sign is set.
ADAMANT_SIMD std::uint32_t signs_of(words x) { return _mm512_movepi32_mask((__m512i)x); }
//! Bytes as words of 32 bits.
ADAMANT_SIMD words widened_bytes(const std::uint8_t* from) {
    return (words)_mm512_maskz_cvtepu8_epi32(all16, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
ADAMANT_SIMD ints larger_of_pairs(ints a, ints b) {
    return larger((ints)_mm512_maskz_unpacklo_epi32(all16, (__m512i)a, (__m512i)b),
                  (ints)_mm512_maskz_unpackhi_epi32(all16, (__m512i)a, (__m512i)b));
}
ADAMANT_SIMD ints larger_of_fours(ints a, ints b) {
    return larger((ints)_mm512_maskz_unpacklo_epi64(all8, (__m512i)a, (__m512i)b),
                  (ints)_mm512_maskz_unpackhi_epi64(all8, (__m512i)a, (__m512i)b));
}
ADAMANT_SIMD ints larger_of_quarters(ints a, ints b) {
    return larger((ints)_mm512_maskz_shuffle_i32x4(all16, (__m512i)a, (__m512i)b, 0x88),
                  (ints)_mm512_maskz_shuffle_i32x4(all16, (__m512i)a, (__m512i)b, 0xDD));
}
ADAMANT_SIMD ints largest_of_four(ints a, ints b, ints c, ints d) {
    return larger_of_fours(larger_of_pairs(a, b), larger_of_pairs(c, d));
}
//! The largest elements of as many vectors as there are lanes.
ADAMANT_SIMD words largest_of(const auto& v) {
    const ints a = largest_of_four(v[0], v[1], v[2], v[3]), b = largest_of_four(v[4], v[5], v[6], v[7]);
    const ints c = largest_of_four(v[8], v[9], v[10], v[11]), d = largest_of_four(v[12], v[13], v[14], v[15]);
    return (words)larger_of_quarters(larger_of_quarters(a, b), larger_of_quarters(c, d));
}

}  // namespace adamant::inline v0::avx512

#define ADAMANT_SIMD_NAMESPACE avx512
#define ADAMANT_SIMD_SELECTS_SHORTS
#include <adamant/step/simd/kernel.inc>
#undef ADAMANT_SIMD_NAMESPACE
#undef ADAMANT_SIMD_SELECTS_SHORTS
#undef ADAMANT_SIMD
#undef ADAMANT_SIMD_TARGET
#undef ADAMANT_SIMD_REGISTER
#endif
