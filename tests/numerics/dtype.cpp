// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The names of kinds and roundings, and the tables between words, enumerators and C++ elements.
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

#include <adamant/numerics/dtype.hpp>
#include <adamant/numerics/rounding.hpp>

namespace {

using namespace adamant;

TEST_CASE("a kind is called what YAML calls it") {
    CHECK(all_dtypes.size() == 8);
    CHECK(to_string(dtype::fp32) == "fp32");
    CHECK(to_string(dtype::bf16) == "bf16");
    CHECK(to_string(dtype::fp16) == "fp16");
    CHECK(to_string(dtype::fp8) == "fp8");
    CHECK(to_string(dtype::fp8_fine) == "fp8_fine");
    CHECK(to_string(dtype::remainder16) == "remainder16");
    CHECK(to_string(dtype::remainder8) == "remainder8");
    CHECK(to_string(dtype::none) == "none");
}

TEST_CASE("a rounding is called what YAML calls it") {
    CHECK(all_roundings.size() == 3);
    CHECK(to_string(rounding::exact) == "exact");
    CHECK(to_string(rounding::nearest) == "nearest");
    CHECK(to_string(rounding::stochastic) == "stochastic");
}

TEST_CASE("the lists of kinds and roundings hold each once, in the order of the enumerators") {
    for (std::size_t i = 0; i < all_dtypes.size(); ++i) CHECK(static_cast<std::size_t>(all_dtypes[i]) == i);
    for (std::size_t i = 0; i < all_roundings.size(); ++i)
        CHECK(static_cast<std::size_t>(all_roundings[i]) == i);
}

TEST_CASE("words and enumerators name each other") {
    static_assert(std::is_same_v<word_of_t<dtype::fp32>, fp32> && fp32::id == dtype::fp32);
    static_assert(std::is_same_v<word_of_t<dtype::bf16>, bf16> && bf16::id == dtype::bf16);
    static_assert(std::is_same_v<word_of_t<dtype::fp16>, fp16> && fp16::id == dtype::fp16);
    static_assert(std::is_same_v<word_of_t<dtype::fp8>, fp8> && fp8::id == dtype::fp8);
    static_assert(std::is_same_v<word_of_t<dtype::fp8_fine>, fp8_fine> && fp8_fine::id == dtype::fp8_fine);
    static_assert(std::is_same_v<word_of_t<dtype::remainder16>, remainder16>);
    static_assert(remainder16::id == dtype::remainder16);
    static_assert(std::is_same_v<word_of_t<dtype::remainder8>, remainder8>);
    static_assert(remainder8::id == dtype::remainder8);
    static_assert(std::is_same_v<word_of_t<dtype::none>, none> && none::id == dtype::none);
    static_assert(std::is_same_v<rounding_word<rounding::exact>::type, exact> &&
                  exact::id == rounding::exact);
    static_assert(std::is_same_v<rounding_word<rounding::nearest>::type, nearest>);
    static_assert(nearest::id == rounding::nearest);
    static_assert(std::is_same_v<rounding_word<rounding::stochastic>::type, stochastic>);
    static_assert(stochastic::id == rounding::stochastic);
}

TEST_CASE("elements of tensors are float, bfloat16 and float16") {
    static_assert(std::is_same_v<element_t<fp32>, float> && dtype_of<float> == dtype::fp32);
    static_assert(std::is_same_v<element_t<bf16>, bfloat16> && dtype_of<bfloat16> == dtype::bf16);
    static_assert(std::is_same_v<element_t<fp16>, float16> && dtype_of<float16> == dtype::fp16);
    static_assert(dtype_of<double> == dtype::none && dtype_of<int> == dtype::none);
}

TEST_CASE("round_to takes the conversion of its element") {
    constexpr float third = 0.333333343f;
    static_assert(round_to<float>(third) == third);
    static_assert(round_to<bfloat16>(third).bits == 0x3EAB);
    static_assert(round_to<float16>(third).bits == 0x3555);
    static_assert(to_float(third) == third);
}

TEST_CASE("where no rounding is written, masters are exact, bf16 is nearest, scaled kinds are stochastic") {
    CHECK(default_rounding(dtype::fp32) == rounding::exact);
    CHECK(default_rounding(dtype::remainder16) == rounding::exact);
    CHECK(default_rounding(dtype::bf16) == rounding::nearest);
    for (const dtype kind : {dtype::fp16, dtype::fp8, dtype::fp8_fine, dtype::remainder8, dtype::none})
        CHECK(default_rounding(kind) == rounding::stochastic);
}

TEST_CASE("rounded keeps a product from being fused with the sum that follows") {
    const volatile double x = 1 + 0x1p-30;  // x*x is 1 + 2^-29 + 2^-60, and 2^-60 is lost when it is rounded
    const double factor = x;
    CHECK(rounded(factor * factor) - 1 == 0x1p-29);
}

}  // namespace
