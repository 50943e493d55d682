// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The kernels for AVX2 with FMA and F16C: the operations that vector extensions have no operator for, and
//! then the kernels, which are written once for every width.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include <adamant/step/step_scalar.hpp>

#define ADAMANT_SIMD_TARGET __attribute__((target("avx2,fma,f16c")))
#define ADAMANT_SIMD ADAMANT_SIMD_TARGET ADAMANT_ALWAYS_INLINE
#define ADAMANT_SIMD_REGISTER "+v"

namespace adamant::inline v0::avx2 {

//! Whether the kernels ask for cache lines ahead: see lines_to_fetch.hpp.
inline constexpr bool fetches_ahead = false;
inline constexpr int lanes = 8;
typedef float floats __attribute__((vector_size(32)));
typedef std::int32_t ints __attribute__((vector_size(32)));
typedef std::uint32_t words __attribute__((vector_size(32)));
typedef double doubles __attribute__((vector_size(32)));
typedef std::uint64_t longs __attribute__((vector_size(32)));
typedef std::uint16_t shorts __attribute__((vector_size(32)));
typedef std::int16_t signed_shorts __attribute__((vector_size(32)));
typedef std::int16_t half_shorts __attribute__((vector_size(16)));

inline constexpr words first_places{0, 1, 2, 3, 4, 5, 6, 7};

ADAMANT_SIMD floats fma(floats a, floats b, floats c) { return (floats)_mm256_fmadd_ps(a, b, c); }
ADAMANT_SIMD floats root(floats a) { return (floats)_mm256_sqrt_ps(a); }
//! Where one is NaN, the second.
ADAMANT_SIMD floats smaller(floats a, floats b) { return (floats)_mm256_min_ps(a, b); }
ADAMANT_SIMD floats larger(floats a, floats b) { return (floats)_mm256_max_ps(a, b); }
ADAMANT_SIMD ints larger(ints a, ints b) { return (ints)_mm256_max_epi32((__m256i)a, (__m256i)b); }
ADAMANT_SIMD signed_shorts larger(signed_shorts a, signed_shorts b) {
    return (signed_shorts)_mm256_max_epi16((__m256i)a, (__m256i)b);
}
ADAMANT_SIMD words larger(words a, words b) { return (words)_mm256_max_epu32((__m256i)a, (__m256i)b); }
ADAMANT_SIMD words smaller(words a, words b) { return (words)_mm256_min_epu32((__m256i)a, (__m256i)b); }
//! (a + b + 1) / 2 of unsigned 16-bit words.
ADAMANT_SIMD shorts average(shorts a, shorts b) { return (shorts)_mm256_avg_epu16((__m256i)a, (__m256i)b); }
//! The low halves of a's words and the high halves of b's.
ADAMANT_SIMD words blend_halves(words a, words b, words /*high*/) {
    return (words)_mm256_blend_epi16((__m256i)a, (__m256i)b, 0xAA);
}
//! The low 32 bits of each, as products of 64.
ADAMANT_SIMD longs product(longs a, longs b) { return (longs)_mm256_mul_epu32((__m256i)a, (__m256i)b); }

//! Elements that something is true of.
using flags = __m256i;
ADAMANT_SIMD flags no_flags() { return _mm256_setzero_si256(); }
ADAMANT_SIMD flags either(flags a, flags b) { return _mm256_or_si256(a, b); }
//! A test of the vector takes as long as two instructions, and the divider's port.
ADAMANT_SIMD bool any(flags f) { return _mm256_movemask_epi8(f) != 0; }
ADAMANT_SIMD flags nan_in(floats a, floats b) {
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}
ADAMANT_SIMD flags above(ints a, std::int32_t limit) {
    return _mm256_cmpgt_epi32((__m256i)a, _mm256_set1_epi32(limit));
}
ADAMANT_SIMD flags above(signed_shorts a, std::int16_t limit) {
    return _mm256_cmpgt_epi16((__m256i)a, _mm256_set1_epi16(limit));
}

//! 16-bit words as words of 32 bits.
template <class T>
ADAMANT_SIMD words widened_shorts(const T* from) {
    return (words)_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

//! Floats in memory as doubles.
ADAMANT_SIMD doubles load_doubles(const float* from) { return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(from)); }
//! ((0+8)+(4+12)) + ..., the tree of step/block_sums.hpp; low holds lanes 0-3 and 8-11, high those between.
ADAMANT_SIMD double tree_sum(const doubles (&low)[2], const doubles (&high)[2]) {
    const __m256d four = (low[0] + low[1]) + (high[0] + high[1]);
    const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
    return two[0] + two[1];
}
inline constexpr bool splits_lanes = true;
//! Sixteen bf16 as floats, first 0-3 and 8-11, then those between: none crosses a register.
ADAMANT_SIMD void store_lanes_apart(float* to, const bfloat16* from) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)),
                  zero = _mm256_setzero_si256();
    _mm256_storeu_ps(to, _mm256_castsi256_ps(_mm256_unpacklo_epi16(zero, x)));
    _mm256_storeu_ps(to + 8, _mm256_castsi256_ps(_mm256_unpackhi_epi16(zero, x)));
}

//! Bytes as words, and words whose high byte is zero as bytes.
ADAMANT_SIMD shorts load_bytes(const std::uint8_t* from) {
    return (shorts)_mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
ADAMANT_SIMD shorts load_bytes(const std::int8_t* from) {
    return (shorts)_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
ADAMANT_SIMD void store_bytes(void* to, shorts values) {
    const __m256i packed = _mm256_packus_epi16((__m256i)values, (__m256i)values);
    _mm_storeu_si128(static_cast<__m128i*>(to), _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 8)));
}

//! Codes of a group as bytes; with the sign of each top where the code is not zero.
ADAMANT_SIMD void store_bytes_in_order(void* to, __m256i bytes) {
    _mm256_storeu_si256(static_cast<__m256i*>(to), _mm256_permute4x64_epi64(bytes, 0xD8));
}
ADAMANT_SIMD void store_group(void* to, const shorts (&codes)[2]) {
    store_bytes_in_order(to, _mm256_packus_epi16((__m256i)codes[0], (__m256i)codes[1]));
}
ADAMANT_SIMD void store_group_with_signs(void* to, const shorts (&codes)[2], const shorts (&tops)[2]) {
    const __m256i bytes = _mm256_packus_epi16((__m256i)codes[0], (__m256i)codes[1]);
    const __m256i signs = _mm256_packs_epi16((__m256i)tops[0], (__m256i)tops[1]);
    const __m256i sign = _mm256_sign_epi8(_mm256_set1_epi8(-128), bytes);  // of codes that are not zero
    store_bytes_in_order(to, _mm256_or_si256(bytes, _mm256_and_si256(signs, sign)));
}
//! a + b where a is not zero.
ADAMANT_SIMD shorts sum_or_zero(shorts a, shorts b) {
    return (shorts)_mm256_sign_epi16((__m256i)(a + b), (__m256i)a);
}

//! Halves as floats, and back.
ADAMANT_SIMD floats from_halves(half_shorts halves) { return (floats)_mm256_cvtph_ps((__m128i)halves); }
//! Floats as halves in the low halves of words.
ADAMANT_SIMD words to_halves(floats x) {
    return (words)_mm256_cvtepu16_epi32(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}

//! Neighbouring floats: those at even and at odd places, and both in their order again.
struct float_vectors {
    floats a, b;
};
//! Of the elements 0-3 and 8-11, and 4-7 and 12-15.
ADAMANT_SIMD float_vectors apart(__m256 x, __m256 y) {
    return {(floats)_mm256_shuffle_ps(x, y, 0x88), (floats)_mm256_shuffle_ps(x, y, 0xDD)};
}
ADAMANT_SIMD float_vectors load_apart(const float* from) {
    return apart(
        _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from)), _mm_loadu_ps(from + 8), 1),
        _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + 4)), _mm_loadu_ps(from + 12), 1));
}
//! The same of halves.
ADAMANT_SIMD float_vectors load_halves_apart(const void* from) {
    const auto* const halves = static_cast<const __m128i*>(from);
    const __m128i x = _mm_loadu_si128(halves), y = _mm_loadu_si128(halves + 1);
    return apart(_mm256_cvtph_ps(_mm_unpacklo_epi64(x, y)), _mm256_cvtph_ps(_mm_unpackhi_epi64(x, y)));
}
ADAMANT_SIMD void store_together(float* to, float_vectors v) {
    const __m256 x = _mm256_unpacklo_ps(v.a, v.b), y = _mm256_unpackhi_ps(v.a, v.b);
    _mm_storeu_ps(to, _mm256_castps256_ps128(x));
    _mm_storeu_ps(to + 4, _mm256_castps256_ps128(y));
    _mm_storeu_ps(to + 8, _mm256_extractf128_ps(x, 1));
    _mm_storeu_ps(to + 12, _mm256_extractf128_ps(y, 1));
}

//! The first half of a vector.
ADAMANT_SIMD half_shorts half_of(shorts x) {
    half_shorts half;
    __builtin_memcpy(&half, &x, sizeof half);
    return half;
}

//! A bit for each word whose sign is set.
ADAMANT_SIMD std::uint32_t signs_of(words x) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps((__m256i)x)));
}
//! Bytes as words of 32 bits.
ADAMANT_SIMD words widened_bytes(const std::uint8_t* from) {
    return (words)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}
ADAMANT_SIMD __m256i larger_of_pairs(__m256i a, __m256i b) {
    return _mm256_max_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
}
ADAMANT_SIMD __m256i larger_of_fours(__m256i a, __m256i b) {
    return _mm256_max_epi32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}
//! The largest elements of as many vectors as there are lanes.
ADAMANT_SIMD words largest_of(const auto& v) {
    const __m256i a = larger_of_fours(larger_of_pairs((__m256i)v[0], (__m256i)v[1]),
                                      larger_of_pairs((__m256i)v[2], (__m256i)v[3]));
    const __m256i b = larger_of_fours(larger_of_pairs((__m256i)v[4], (__m256i)v[5]),
                                      larger_of_pairs((__m256i)v[6], (__m256i)v[7]));
    return (words)_mm256_max_epi32(_mm256_permute2x128_si256(a, b, 0x20),
                                   _mm256_permute2x128_si256(a, b, 0x31));
}

}  // namespace adamant::inline v0::avx2

#define ADAMANT_SIMD_NAMESPACE avx2
#include <adamant/step/simd/kernel.inc>
#undef ADAMANT_SIMD_NAMESPACE
#undef ADAMANT_SIMD
#undef ADAMANT_SIMD_TARGET
#undef ADAMANT_SIMD_REGISTER
#endif
