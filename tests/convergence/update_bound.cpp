// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! update_bound is its formula in long double, and Adam never exceeds it, whatever the gradients.
#include <train/inputs.hpp>

#include <adamant/step/adam_math.hpp>

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <limits>

using namespace adamant;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct betas {
    double beta1, beta2;
};
// The fifth has r = 1, the last three r > 1.
constexpr std::array<betas, 11> all_betas{{{0.9, 0.999},
                                           {0.9, 0.95},
                                           {0.95, 0.99},
                                           {0, 0.999},
                                           {0.5, 0.25},
                                           {0.99, 0.9999},
                                           {0.9, 0.81},  // r is 1 but for the betas' rounding to fp32
                                           {0.999, 0.9999999},
                                           {0.95, 0.9},
                                           {0.9, 0.5},
                                           {0.999, 0.9}}};

double update_bound(const hyperparameters& h, std::int64_t t, std::int64_t from_zero) {
    return adamant::update_bound(h, corrections_of_step(h, t), from_zero);
}

//! B_t, by the formula.
long double bound(const hyperparameters& h, std::int64_t t, std::int64_t from_zero) {
    const long double b1 = static_cast<float>(h.beta1), b2 = static_cast<float>(h.beta2), r = b1 * b1 / b2;
    const auto n = static_cast<long double>(t), m = static_cast<long double>(from_zero);
    const long double sum = r == 1 ? m : (1 - std::pow(r, m)) / (1 - r);
    return 1.001L * std::sqrt(1 - std::pow(b2, n)) / (1 - std::pow(b1, n)) * (1 - b1) / std::sqrt(1 - b2) *
           std::sqrt(sum);
}

void check_bound(const hyperparameters& h, std::int64_t t, std::int64_t from_zero) {
    const double got = update_bound(h, t, from_zero);
    const long double expected = bound(h, t, from_zero);
    // A sum of r^i beyond double is no bound, as it is none in fp32.
    const bool same = got == infinity ? expected > 1e150L : std::abs(got - expected) <= 1e-9L * expected;
    if (same) return;
    CAPTURE(h.beta1);
    CAPTURE(h.beta2);
    CAPTURE(t);
    CAPTURE(from_zero);
    CAPTURE(got);
    CAPTURE(static_cast<double>(expected));
    FAIL_CHECK("update_bound is not the formula");
}

using gradient_of_step = std::function<double(std::int64_t)>;

//! Gradients that take Adam to its limits; the last are those with which Cauchy and Schwarz have equality at
//! step `end`.
std::vector<gradient_of_step> adversaries(const betas& b, std::int64_t end) {
    return {[](std::int64_t) { return 1.0; },
            [](std::int64_t t) { return t % 2 == 0 ? 1.0 : -1.0; },
            [](std::int64_t t) { return t % 100 == 0 ? 1e4 : 1e-4; },
            [](std::int64_t t) { return t % 1000 < 10 ? 1e3 : 0.0; },
            [](std::int64_t t) {
                return t % 7 == 0 ? -3.0 : inputs::uniform(300, static_cast<std::uint64_t>(t));
            },
            [](std::int64_t t) { return std::pow(1.1, static_cast<double>(t % 300)); },
            [](std::int64_t t) { return std::pow(0.9, static_cast<double>(t % 300)); },
            [](std::int64_t t) { return t < 500    ? 1e6
                                        : t < 1000 ? 1e-6
                                                   : 1e3; },
            [b, end](std::int64_t t) {
                const double ratio = double{static_cast<float>(b.beta1)} / static_cast<float>(b.beta2);
                return t > end ? 0.0 : std::pow(ratio, static_cast<double>(end - t));
            }};
}

//! The largest |u|/B_t of Adam in double without eps, and of adam_update as long as squares stay within fp32.
struct shares {
    double in_double = 0, in_fp32 = 0;
};
shares largest_shares(const hyperparameters& h, const gradient_of_step& gradient, std::int64_t steps) {
    const double b1 = static_cast<float>(h.beta1), b2 = static_cast<float>(h.beta2);
    const double eps = 1e-140;  // where a square leaves double
    double m = 0, v = 0;
    float m32 = 0, v32 = 0;
    bool fits_fp32 = true;
    shares largest;
    for (std::int64_t t = 1; t <= steps; ++t) {
        const double g = gradient(t);
        m = b1 * m + (1 - b1) * g;
        v = b2 * v + (1 - b2) * g * g;
        const auto n = static_cast<double>(t);
        const double u = m / (1 - std::pow(b1, n)) / (std::sqrt(v / (1 - std::pow(b2, n))) + eps);
        largest.in_double = std::max(largest.in_double, std::abs(u) / update_bound(h, t, t));
        fits_fp32 = fits_fp32 && std::abs(g) < 1e15;
        if (!fits_fp32) continue;
        const step_constants c = constants_of_step(h, t, 1, 0, 1);
        float p = 0;
        adam_update(c, static_cast<float>(g), p, m32, v32);
        largest.in_fp32 = std::max(largest.in_fp32, double{std::abs(p)} / c.update_bound);
    }
    return largest;
}

void check_adversaries(std::int64_t steps) {
    for (const betas& b : all_betas) {
        if (b.beta1 * b.beta1 > b.beta2 * 1.5) continue;  // the gradients would leave double
        const hyperparameters h{.beta1 = b.beta1, .beta2 = b.beta2};
        CAPTURE(b.beta1);
        CAPTURE(b.beta2);
        for (const std::int64_t end : {std::int64_t{3}, std::int64_t{100}, steps}) {
            double tightest = 0;
            for (const gradient_of_step& gradient : adversaries(b, end)) {
                const shares largest = largest_shares(h, gradient, steps);
                CHECK(largest.in_double <= 1);
                CHECK(largest.in_fp32 <= 1);
                tightest = std::max(tightest, largest.in_double);
            }
            CHECK(tightest > 0.998);  // 1/1.001: no smaller bound would do
        }
    }
}

}  // namespace

TEST_CASE("update_bound is the formula, for steps 1 to 10,000") {
    for (const betas& b : all_betas) {
        const hyperparameters h{.beta1 = b.beta1, .beta2 = b.beta2};
        for (std::int64_t t = 1; t <= 10000; ++t) check_bound(h, t, t);
        for (const std::int64_t t : {1, 2, 10, 1000, 10000})
            for (const std::int64_t from_zero : {1, 7, 500, 10000}) check_bound(h, t, from_zero);
        CHECK(update_bound(h, 1, 1) == doctest::Approx(1.001).epsilon(1e-9));
    }
}

TEST_CASE("update_bound of a state from outside is that after any number of steps") {
    constexpr auto any = std::numeric_limits<std::int64_t>::max();
    CHECK(update_bound({.beta1 = 0.9, .beta2 = 0.999}, 1000, any) ==
          doctest::Approx(update_bound({.beta1 = 0.9, .beta2 = 0.999}, 1000, 100000)).epsilon(1e-9));
    CHECK(update_bound({.beta1 = 0.95, .beta2 = 0.9}, 1000, any) == infinity);
}

TEST_CASE("there is no bound without bias correction or with beta2 = 0") {
    for (const std::int64_t t : {1, 2, 10000}) {
        CHECK(update_bound({.bias_correction = false}, t, t) == infinity);
        CHECK(update_bound({.beta2 = 0}, t, t) == infinity);
        CHECK(constants_of_step({.bias_correction = false}, t, 1, 0, 1).update_bound == infinity);
        CHECK(constants_of_step({.beta2 = 0}, t, 1, 0, 1).update_bound == infinity);
        CHECK(constants_of_step({}, t, 1, 0, 1).update_bound == static_cast<float>(update_bound({}, t, t)));
    }
}

TEST_CASE("Adam does not exceed the bound, in double and in fp32") { check_adversaries(300); }

TEST_SUITE("convergence") {
    TEST_CASE("Adam does not exceed the bound over 3,000 steps") { check_adversaries(3000); }
}
