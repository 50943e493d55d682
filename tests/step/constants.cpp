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

TEST_CASE("power is exact where the result is") {
    CHECK(power(0.7, 0) == 1);
    CHECK(power(0.7, 1) == 0.7);
    CHECK(power(3, 5) == 243);
    CHECK(power(2, 62) == 4611686018427387904.0);
    CHECK(power(0.5, 1074) == std::numeric_limits<double>::denorm_min());
    CHECK(power(0.5, 1076) == 0);
    CHECK(power(0, 1) == 0);
    CHECK(power(0, 0) == 1);
    CHECK(power(1, std::numeric_limits<std::int64_t>::max()) == 1);
    CHECK(power(0.999, std::numeric_limits<std::int64_t>::max()) == 0);
}

TEST_CASE("power follows long double to a rounding per factor") {
    for (const double base : {0.9, 0.95, 0.999, 0.9999, 0.5, 0.1})
        for (const std::int64_t t : steps) {
            const long double expected =
                std::pow(static_cast<long double>(base), static_cast<long double>(t));
            if (expected < 1e-300L) continue;
            CHECK(std::abs(power(base, t) - expected) <= static_cast<long double>(t) * 0x1p-52L * expected);
        }
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
