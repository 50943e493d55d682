// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! default_float_environment: subnormals and nearest rounding inside a scope, the program's own outside.
#include <adamant/step/float_environment.hpp>

#include <doctest/doctest.h>

#include <cfenv>
#include <stdexcept>

using adamant::default_float_environment;

namespace {

// Through volatile, so that no compiler computes it beforehand.
float product(float a, float b) {
    const volatile float x = a, y = b;
    return x * y;
}
float sum(float a, float b) {
    const volatile float x = a, y = b;
    return x + y;
}

}  // namespace

TEST_CASE("a rounding mode of the program does not reach into a scope, and is back after it") {
    REQUIRE(std::fesetround(FE_UPWARD) == 0);
    CHECK(sum(1, 0x1p-30f) > 1);
    {
        const default_float_environment environment;
        CHECK(sum(1, 0x1p-30f) == 1);
    }
    CHECK(sum(1, 0x1p-30f) > 1);
    CHECK(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_TONEAREST);
}

#if defined(__x86_64__)
TEST_CASE("an exception that is raised inside a scope stays flagged") {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0x1F80);
    {
        const default_float_environment environment;
        CHECK(sum(1, 0x1p-30f) == 1);
    }
    CHECK((_mm_getcsr() & 0x20) != 0);  // inexact
    _mm_setcsr(before);
}

TEST_CASE("subnormals are kept inside a scope, and FTZ and DAZ are back after it") {
    const unsigned before = _mm_getcsr();
    const unsigned flush_and_zero = 0x8040;
    _mm_setcsr(before | flush_and_zero);
    CHECK(product(0x1p-100f, 0x1p-40f) == 0);
    {
        const default_float_environment environment;
        CHECK(product(0x1p-100f, 0x1p-40f) == 0x1p-140f);
        CHECK(product(0x1p-140f, 0x1p10f) == 0x1p-130f);
        CHECK((_mm_getcsr() & flush_and_zero) == 0);
    }
    CHECK((_mm_getcsr() & flush_and_zero) == flush_and_zero);
    CHECK(product(0x1p-100f, 0x1p-40f) == 0);
    try {
        const default_float_environment environment;
        throw std::runtime_error("");
    } catch (const std::runtime_error&) {}
    CHECK((_mm_getcsr() & flush_and_zero) == flush_and_zero);
    _mm_setcsr(before);
}
#endif
