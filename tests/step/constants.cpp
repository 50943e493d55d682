// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The constants of a step, against long double and by hand.
#include <adamant/step/adam_math.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

constexpr std::int64_t steps[]{1, 2, 3, 7, 10, 100, 1000, 12345, 1000000, 123456789, 1000000000};

//! Half a unit of fp32, and what repeated squaring in double may lose: t roundings of 2^-53, damped by
//! beta^t, are at most 2^-53/(1-beta) of 1 - beta^t.
bool is_rounded(float got, long double expected, long double beta) {
    const long double bound = 0x1p-24L + 4 * 0x1p-53L / (1 - beta);
    return std::abs(static_cast<long double>(got) - expected) <= bound * expected;
}

}  // namespace

TEST_CASE("one minus a power is exact where the power is") {
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
    CHECK(one_minus_power(0.7, 0) == 0);
    CHECK(one_minus_power(0.75, 1) == 0.25);
    CHECK(one_minus_power(3, 5) == -242);
    CHECK(one_minus_power(0.5, 53) == 1 - 0x1p-53);
    CHECK(one_minus_power(0.5, 54) == 1);
    CHECK(one_minus_power(0.5, last) == 1);
    CHECK(one_minus_power(0, 1) == 1);
    CHECK(one_minus_power(0, 0) == 0);
    CHECK(one_minus_power(1, last) == 0);
    CHECK(one_minus_power(0.999, last) == 1);
    CHECK(one_minus_power(2, last) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("one minus a power follows long double to a rounding per factor") {
    for (const double base : {0.9, 0.95, 0.999, 0.9999, 0.5, 0.1})
        for (const std::int64_t t : steps) {
            const long double power = std::pow(static_cast<long double>(base), static_cast<long double>(t));
            const long double error = std::abs(one_minus_power(base, t) - (1 - power));
            CHECK(error <= static_cast<long double>(t) * 0x1p-52L * power + 0x1p-54L);
        }
}

TEST_CASE("one minus a power has every bit of repeated squaring without a short cut") {
    for (double base = 1; base > 0x1p-60; base *= 0.97)
        for (std::int64_t t = 1; t < 3000; t = t < 300 ? t + 1 : t + t / 64) {
            double power = 1, square = base;
            for (std::int64_t bits = t; bits > 0; bits >>= 1, square *= square)
                if (bits % 2 == 1) power *= square;
            CHECK(one_minus_power(base, t) == 1 - power);
        }
}

TEST_CASE("bias corrections end, for good") {
    for (const double beta1 : {0.0, 1e-9, 0.5, 0.9, 0.99})
        for (const double beta2 : {0.0, 0x1p-27, 0.95, 0.999, 0.99999}) {
            const hyperparameters h{.beta1 = beta1, .beta2 = beta2};
            const std::int64_t first = first_step_without_corrections(h);
            for (std::int64_t step = first; step > 0 && step < first + 100000; step += 1 + step / 100) {
                const bias_corrections none = corrections_of_step(h, step);
                CHECK(none.exp_avg == 1);
                CHECK(none.root_of_exp_avg_sq == 1);
            }
        }
    CHECK(first_step_without_corrections({.bias_correction = false}) == 1);
    CHECK(first_step_without_corrections({.beta1 = 0.9, .beta2 = 0.999}) == 65536);
}

TEST_CASE("bias corrections follow long double up to a billion steps") {
    for (const float beta1 : {0.0f, 0.5f, 0.9f, 0.95f, 0.99f})
        for (const float beta2 : {0.0f, 0.9f, 0.95f, 0.99f, 0.999f, 0.9999f})
            for (const std::int64_t t : steps) {
                CAPTURE(beta1);
                CAPTURE(beta2);
                CAPTURE(t);
                const hyperparameters h{.beta1 = beta1, .beta2 = beta2};
                const step_constants c = constants_of_step(h, t, 1e-3, 0.01, 1);
                const auto n = static_cast<long double>(t);
                const long double bc1 = 1 - std::pow(static_cast<long double>(beta1), n);
                const long double bc2 = 1 - std::pow(static_cast<long double>(beta2), n);
                const long double eps = static_cast<float>(1e-8);
                CHECK(is_rounded(c.exp_avg_factor, std::sqrt(bc2) / bc1, std::max(beta1, beta2)));
                CHECK(is_rounded(c.eps, eps * std::sqrt(bc2), beta2));
            }
}

TEST_CASE("without bias correction the factors are 1 and eps") {
    for (const std::int64_t t : steps) {
        const step_constants c = constants_of_step({.bias_correction = false}, t, 1e-3, 0.01, 1);
        CHECK(c.exp_avg_factor == 1.0f);
        CHECK(c.eps == 1e-8f);
    }
}

TEST_CASE("the other constants are the arguments, rounded once") {
    const step_constants c = constants_of_step(
        {.lr = 7, .beta1 = 0.9, .beta2 = 0.999, .weight_decay = 9, .decoupled = false}, 3, 0.1, 0.2, 0.3);
    CHECK(c.lr == 0.1f);
    CHECK(c.weight_decay == 0.2f);
    CHECK(c.grad_factor == 0.3f);
    CHECK(c.beta1 == 0.9f);
    CHECK(c.beta2 == 0.999f);
    CHECK(c.one_minus_beta1 == 0x1.9999ap-4f);  // 1 - 0x1.ccccccp-1
    CHECK(c.one_minus_beta2 == 0x1.0624p-10f);  // 1 - 0x1.ff7ceep-1
    CHECK(!c.decoupled);
    CHECK(constants_of_step({}, 3, 0, 0, 1).decoupled);
}

TEST_CASE("eps never becomes zero") {
    const hyperparameters h{.eps = 1.5e-45};
    CHECK(constants_of_step(h, 1, 1e-3, 0, 1).eps == std::numeric_limits<float>::denorm_min());
    CHECK(constants_of_step(h, 1000000, 1e-3, 0, 1).eps == std::numeric_limits<float>::denorm_min());
}
