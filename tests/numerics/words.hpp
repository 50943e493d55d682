// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Sweeps over the 2^32 words of a float, and over the places where rounding changes its mind.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include <doctest/doctest.h>

#include <numerics/binary_format.hpp>

//! A prime, so that a sweep meets every pattern of low bits.
inline constexpr std::uint32_t stride = 251;

//! Whether all 2^32 words are a matter of seconds here.
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool fast_build = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool fast_build = false;
#else
inline constexpr bool fast_build = true;
#endif
#else
inline constexpr bool fast_build = true;
#endif

inline std::string hex(std::uint32_t word) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08X", word);
    return text;
}

//! Checks that `holds` is true of every step-th word, and says which was the first of which it is not.
template <class Property>
void check_words(std::uint32_t step, Property holds) {
    constexpr std::uint64_t block = 0x10000;  // in 32 bits, without a branch: a loop that can be vectorised
    const std::uint64_t count = ((std::uint64_t{1} << 32) + step - 1) / step;
    std::uint64_t failures = 0;
    for (std::uint64_t done = 0; done < count; done += block) {
        const auto begin = static_cast<std::uint32_t>(done);
        const auto size = static_cast<std::uint32_t>(std::min(block, count - done));
        std::uint32_t failures_here = 0;
        for (std::uint32_t i = 0; i < size; ++i) failures_here += !holds((begin + i) * step);
        failures += failures_here;
    }
    std::uint32_t first_bad = 0;
    if (failures != 0)
        while (holds(first_bad)) first_bad += step;
    INFO("first bad word: ", hex(first_bad));
    CHECK(failures == 0);
}

//! Checks `convert` (float to code) halfway between any two neighbours of the format, where it must take the
//! even one, and one float to either side; past the largest finite value the neighbour is infinity.
template <class Convert>
void check_midpoints(const binary_format& format, Convert convert) {
    std::uint64_t failures = 0;
    std::uint32_t first_bad = 0;
    const auto expect = [&](double value, int code) {
        for (const int sign : {0, 0x8000}) {
            const float x = static_cast<float>(sign == 0 ? value : -value);
            if (convert(x) == (code | sign)) continue;
            if (failures++ == 0) first_bad = std::bit_cast<std::uint32_t>(x);
        }
    };
    for (int code = 0; code < format.infinity(); ++code) {
        const bool last = code + 1 == format.infinity();
        const double above = last ? std::ldexp(1.0, format.bias() + 1) : format.value(code + 1);
        const auto middle = static_cast<float>((format.value(code) + above) / 2);
        expect(std::nextafter(middle, 0.0f), code);
        expect(middle, code % 2 == 0 ? code : code + 1);
        expect(std::nextafter(middle, HUGE_VALF), code + 1);
    }
    INFO("first bad word: ", hex(first_bad));
    CHECK(failures == 0);
}
