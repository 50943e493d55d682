// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Every hyperparameter has a range, and an error that says which.
#include <adamant/policy/presets.hpp>
#include <adamant/step/soundness.hpp>

#include <doctest/doctest.h>

#include <functional>

using namespace adamant;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

using tuned = checked<presets::lean_bf16, hyperparameters{.lr = 3e-4, .beta2 = 0.95}>;
static_assert(tuned::values.lr == 3e-4);
static_assert(std::is_same_v<tuned::resolved, presets::lean_bf16::resolved>);
static_assert(!first_broken(hyperparameters{}));

void check_range(double hyperparameters::*number, const char* key, std::vector<double> good,
                 std::vector<double> bad) {
    CAPTURE(key);
    for (const double value : good) {
        CAPTURE(value);
        hyperparameters h;
        h.*number = value;
        CHECK(!first_broken(h));
        CHECK_NOTHROW(require_valid(h));
    }
    for (const double value : bad) {
        CAPTURE(value);
        hyperparameters h;
        h.*number = value;
        REQUIRE(first_broken(h));
        CHECK(first_broken(h)->key == key);
        CHECK_THROWS_AS(require_valid(h), config_error);
        CHECK_THROWS_WITH(require_valid(h), doctest::Contains(key));
    }
}

}  // namespace

TEST_CASE("every number has its range, judged as the kernels see it, in fp32") {
    check_range(&hyperparameters::lr, "lr", {0, 1e-3, 10}, {-1e-9, not_a_number, inf, -inf, 1e39});
    check_range(&hyperparameters::beta1, "beta1", {0, 0.9, 0.9999999},
                {-0.1, 1, 0.99999999, 1.5, not_a_number, inf, -inf});
    check_range(&hyperparameters::beta2, "beta2", {0, 0.999, 0.9999999},
                {-0.1, 1, 0.99999999, 1.5, not_a_number, inf, -inf});
    check_range(&hyperparameters::eps, "eps", {1e-8, 1e-30, 1.5e-45, 1},
                {0, -1e-8, 1e-46, not_a_number, inf, 1e39});
    check_range(&hyperparameters::weight_decay, "weight_decay", {0, 0.1, 3},
                {-1e-9, not_a_number, inf, -inf, 1e39});
    check_range(&hyperparameters::clip_grad, "clip_grad", {1, 0, -1, inf}, {not_a_number});
    check_range(&hyperparameters::grad_norm_skip_threshold, "grad_norm_skip_threshold", {inf, 10, 1e-9},
                {0, -1, not_a_number, -inf});
}
