// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The storage kinds: each a word for types (fp32, bf16, ...) and an enumerator of dtype.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <adamant/numerics/bfloat16.hpp>
#include <adamant/numerics/float16.hpp>

namespace adamant::inline v0 {

//! How a field is stored. Weights, gradients and views of tensors are fp32, bf16 or fp16; the others
//! are kinds of state. Bytes and definitions: README.md, "Storage kinds".
enum class dtype : std::uint8_t { fp32, bf16, fp16, fp8, fp8_fine, remainder16, remainder8, none };

inline constexpr std::array all_dtypes{dtype::fp32,     dtype::bf16,        dtype::fp16,       dtype::fp8,
                                       dtype::fp8_fine, dtype::remainder16, dtype::remainder8, dtype::none};

constexpr std::string_view to_string(dtype kind) {
    constexpr std::array<std::string_view, all_dtypes.size()> names{
        "fp32", "bf16", "fp16", "fp8", "fp8_fine", "remainder16", "remainder8", "none"};
    return names[static_cast<std::size_t>(kind)];
}

template <dtype Kind>
struct kind {
    static constexpr dtype id = Kind;
};

struct fp32 : kind<dtype::fp32> {};
struct bf16 : kind<dtype::bf16> {};
struct fp16 : kind<dtype::fp16> {};
struct fp8 : kind<dtype::fp8> {};
struct fp8_fine : kind<dtype::fp8_fine> {};
struct remainder16 : kind<dtype::remainder16> {};
struct remainder8 : kind<dtype::remainder8> {};
struct none : kind<dtype::none> {};

//! The word of an enumerator.
template <dtype Kind>
struct word_of;
template <>
struct word_of<dtype::fp32> {
    using type = fp32;
};
template <>
struct word_of<dtype::bf16> {
    using type = bf16;
};
template <>
struct word_of<dtype::fp16> {
    using type = fp16;
};
template <>
struct word_of<dtype::fp8> {
    using type = fp8;
};
template <>
struct word_of<dtype::fp8_fine> {
    using type = fp8_fine;
};
template <>
struct word_of<dtype::remainder16> {
    using type = remainder16;
};
template <>
struct word_of<dtype::remainder8> {
    using type = remainder8;
};
template <>
struct word_of<dtype::none> {
    using type = none;
};
template <dtype Kind>
using word_of_t = typename word_of<Kind>::type;

//! The C++ element of a tensor of weights or gradients.
template <class Word>
struct element;
template <>
struct element<fp32> {
    using type = float;
};
template <>
struct element<bf16> {
    using type = bfloat16;
};
template <>
struct element<fp16> {
    using type = float16;
};
template <class Word>
using element_t = typename element<Word>::type;

//! The dtype of a C++ element.
template <class Element>
inline constexpr dtype dtype_of = dtype::none;
template <>
inline constexpr dtype dtype_of<float> = dtype::fp32;
template <>
inline constexpr dtype dtype_of<bfloat16> = dtype::bf16;
template <>
inline constexpr dtype dtype_of<float16> = dtype::fp16;

//! Bytes of an element of a tensor of weights or gradients.
constexpr int element_bytes(dtype kind) { return kind == dtype::fp32 ? 4 : 2; }

ADAMANT_HOST_DEVICE constexpr float to_float(float value) { return value; }

//! The nearest T to a float, ties to even.
template <class T>
ADAMANT_HOST_DEVICE constexpr T round_to(float value) {
    if constexpr (dtype_of<T> == dtype::bf16) return to_bfloat16(value);
    else if constexpr (dtype_of<T> == dtype::fp16) return to_float16(value);
    else return value;
}

}  // namespace adamant::inline v0
