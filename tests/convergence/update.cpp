// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The update with moments below fp32: never much larger than fp32's, its noise and its mean.
//!
//! The update u is what a weight moves: fp32 weights without decay are set to 0 before every step, which then
//! leaves p = fma(-1, u, 0) = -u, the update without rounding. Both moments are of the kind under test; fp32
//! moments see the same gradients, g = s*N(0,1), ln s = spread*N(0,1).
//!   largest update   over all elements and steps, divided by fp32's largest
//!   update noise     per element the root of sum (u - u32)^2 / sum u32^2 over the steps after the first
//!   1,000 (the
//!                    first quarter of a short course); then the median and the 99 % quantile over the
//!                    elements
//!   mean update      sum u*u32 / sum u32^2 over the same steps and all elements; and, where the gradients
//!   have a
//!                    drift, sum u / sum u32 in its direction
#include "simulation.hpp"

#include <adamant/policy/resolve.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <tuple>

using namespace adamant;
using namespace simulation;

namespace {

using fp32_moments = policy<mode<fp32>>;
template <class Kind>
using stochastic_moments =
    policy<mode<fp32>, precision_aware, exp_avg<Kind, stochastic>, exp_avg_sq<Kind, stochastic>>;
//! As the adamant dialect resolves bf16.
using bf16_moments = policy<mode<fp32>, precision_aware, exp_avg<bf16>, exp_avg_sq<bf16, stochastic>>;

struct course {
    gradients inputs{};
    std::vector<double> factors{1};
    std::int64_t steps = 6000;  // of a factor
};

//! Moments of one kind and what was seen of their updates.
template <class Policy>
class observed {
public:
    explicit observed(std::size_t size)
        : zeros_(size),
          moments_(zeros_, {.lr = 1, .weight_decay = 0, .seed = 11}),
          error_(size),
          square_(size) {}

    std::vector<float> step(std::span<const float> grads) {
        moments_.set_weights(zeros_);
        moments_.step(grads);
        std::vector<float> u = moments_.masters();
        for (const float value : u) {
            largest_ = std::max(largest_, double{std::abs(value)});
            over_bound_ = std::max(over_bound_, double{std::abs(value) / moments_.constants().update_bound});
        }
        return u;
    }
    //! Counts u, as step returned it, against fp32's.
    void compare(const std::vector<float>& u, const std::vector<float>& reference) {
        for (std::size_t i = 0; i < u.size(); ++i) {
            const double is = u[i], should = reference[i], direction = i % 2 == 0 ? 1 : -1;
            error_[i] += (is - should) * (is - should);
            square_[i] += should * should;
            along_ += is * should;
            drift_ += direction * is;
            reference_drift_ += direction * should;
        }
    }

    double largest() const { return largest_; }
    double over_bound() const { return over_bound_; }  //!< largest |u|/B_t
    double noise(double share) const {
        std::vector<double> ratios(error_.size());
        for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = std::sqrt(error_[i] / square_[i]);
        return quantile(ratios, share);
    }
    double mean() const {
        double square = 0;
        for (const double of_element : square_) square += of_element;
        return along_ / square;
    }
    double drift() const { return drift_ / reference_drift_; }

private:
    std::vector<float> zeros_;
    tensor<Policy> moments_;
    std::vector<double> error_, square_;
    double along_ = 0, drift_ = 0, reference_drift_ = 0, largest_ = 0, over_bound_ = 0;
};

struct limits {
    const char* kind;
    double largest;
    bool bounded;
    double median, high, mean;  // 0: not stated
};
constexpr std::array<limits, 4> table{{{"bf16 stochastic", 1.1, false, 0, 0, 0},
                                       {"bf16, exp_avg to nearest", 1.1, false, 0, 0, 0},
                                       {"fp8", 1.5, true, 0.14, 0.30, 0.03},
                                       {"fp8_fine", 1.5, true, 0.09, 0.20, 0.02}}};

template <class Policy>
void check(const limits& limit, const observed<Policy>& seen, double reference_largest, const course& c) {
    MESSAGE(std::string(limit.kind), ", spread ", c.inputs.spread, ", outlier ", c.inputs.outlier,
            ", density ", c.inputs.density, ", drift ", c.inputs.drift, ", phases ", c.factors.size(),
            ": largest ", seen.largest(), " of ", reference_largest, " (", seen.largest() / reference_largest,
            "), |u|/B ", seen.over_bound(), ", noise median ", seen.noise(0.5), ", 99 % ", seen.noise(0.99),
            ", mean ", c.inputs.drift == 0 ? seen.mean() : seen.drift());
    CHECK(seen.largest() <= limit.largest * reference_largest);
    if (limit.bounded) CHECK(seen.over_bound() <= 1);
    if (c.inputs.spread > 1 || c.inputs.outlier != 1 || limit.mean == 0) return;
    CHECK(seen.noise(0.5) <= limit.median);
    CHECK(seen.noise(0.99) <= limit.high);
    CHECK(std::abs(seen.mean() - 1) <= limit.mean);
    if (c.inputs.drift != 0) CHECK(std::abs(seen.drift() - 1) <= limit.mean);
}

void check_updates(const course& c) {
    const std::size_t size = c.inputs.size;
    observed<fp32_moments> reference(size);
    std::tuple kinds{observed<stochastic_moments<bf16>>(size), observed<bf16_moments>(size),
                     observed<stochastic_moments<fp8>>(size), observed<stochastic_moments<fp8_fine>>(size)};
    std::vector<float> grads(size);
    const std::vector<double> scales = c.inputs.scales();
    const std::int64_t settled = std::min<std::int64_t>(1000, c.steps / 4);
    std::int64_t t = 0;
    for (const double factor : c.factors)
        for (std::int64_t i = 0; i < c.steps; ++i, ++t) {
            c.inputs.of_step(t, factor, scales, grads);
            const std::vector<float> should = reference.step(grads);
            const auto step = [&](auto& kind) {
                const std::vector<float> u = kind.step(grads);
                if (t >= settled) kind.compare(u, should);
            };
            std::apply([&](auto&... each) { (step(each), ...); }, kinds);
        }
    CHECK(reference.over_bound() <= 1);
    std::size_t row = 0;
    std::apply([&](auto&... each) { (check(table[row++], each, reference.largest(), c), ...); }, kinds);
}

}  // namespace

TEST_CASE("updates are as large as fp32's, but for the noise of their kind") {
    if (sanitized) return;
    check_updates({.inputs = {.size = 256}, .steps = 2000});
    check_updates({.inputs = {.size = 1024, .density = 0.1}, .steps = 2000});
    check_updates({.inputs = {.size = 256, .outlier = 1e4}, .steps = 500});
}

TEST_SUITE("convergence") {
    TEST_CASE("updates are as large as fp32's for any spread of the gradients, and as noisy as stated") {
        for (const double spread : {0.0, 1.0, 2.0}) check_updates({.inputs = {.spread = spread}});
        check_updates({.inputs = {.drift = 0.5}});
    }
    TEST_CASE("updates are as large as fp32's beside an element with 1e4 times the gradient") {
        for (const double spread : {0.0, 1.0, 2.0})
            check_updates({.inputs = {.spread = spread, .outlier = 1e4}});
    }
    TEST_CASE("updates are as large as fp32's as gradients fall and rise, and where they are sparse") {
        check_updates({.factors = {1, 0.1, 1}, .steps = 3000});
        check_updates({.inputs = {.density = 0.01}, .factors = {1, 0.1, 1}, .steps = 3000});
    }
}
