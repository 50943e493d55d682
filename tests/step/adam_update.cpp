// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! adam_update against Adam in double, within the error that fp32's roundings can add up to.
#include <train/inputs.hpp>

#include <adamant/step/adam_math.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

constexpr double e = 0x1p-24;   // half a unit in the last place
constexpr double s = 0x1p-149;  // a subnormal result is off by that much at most

//! A value and how far fp32 may be from it.
struct bounded {
    double value;
    double error;

    bool holds(float got) const {
        return std::abs(double{got} - value) <= 1.01 * error;
    }  // 1 %: second order
};

struct updated {
    bounded p, m, v;
};

//! The textbook's formula in double; each term of an error is the rounding of the fp32 operation it names.
updated adam_in_double(const hyperparameters& h, std::int64_t t, double gradient, double p, double m,
                       double v) {
    const double b1 = static_cast<float>(h.beta1), b2 = static_cast<float>(h.beta2);
    const double eps = static_cast<float>(h.eps), lr = static_cast<float>(h.lr),
                 wd = static_cast<float>(h.weight_decay);
    const double bc1 = h.bias_correction ? 1 - std::pow(b1, static_cast<double>(t)) : 1;
    const double bc2 = h.bias_correction ? 1 - std::pow(b2, static_cast<double>(t)) : 1;

    double g = gradient, g_error = 0;
    if (!h.decoupled) {
        g += wd * p;
        g_error = e * std::abs(g);
    }
    const double new_m = b1 * m + (1 - b1) * g;
    const double m_error =
        (1 - b1) * g_error + e * (1 - b1) * std::abs(g) /* product */ + e * std::abs(new_m) /* fma */ + s;
    const double square = (1 - b2) * g * g;
    const double new_v = b2 * v + square;
    const double v_error =
        (1 - b2) * 2 * std::abs(g) * g_error + 2 * e * square /* products */ + e * new_v /* fma */ + s;

    const double root = std::sqrt(new_v / bc2), denominator = root + eps;
    double u = new_m / bc1 / denominator;
    const double denominator_error = root * (e + v_error / (2 * new_v)) + e * eps + e * denominator;
    double u_error = m_error / bc1 / denominator +
                     std::abs(u) * (3 * e /* factor, product, quotient */ + denominator_error / denominator);
    if (h.decoupled) {
        u += wd * p;
        u_error += e * std::abs(u);
    }
    const double new_p = p - lr * u;
    return {{new_p, lr * u_error + e * std::abs(new_p) + s}, {new_m, m_error}, {new_v, v_error}};
}

float step_one(const hyperparameters& h, std::int64_t t, float g, float p, float m = 0, float v = 0) {
    adam_update(constants_of_step(h, t, h.lr, h.weight_decay, 1), g, p, m, v);
    return p;
}

}  // namespace

TEST_CASE("an update is Adam's in double, up to the roundings of fp32") {
    std::uint64_t seed = 0;
    for (const bool decoupled : {true, false})
        for (const bool bias_correction : {true, false})
            for (const std::int64_t t : {1, 2, 3, 10, 100, 1000})
                for (const double g_scale : {1e-12, 1e-8, 1e-5, 1e-2, 1.0, 1e4})
                    for (const double p_scale : {1e-12, 1e-3, 1.0, 1e4}) {
                        const hyperparameters h{.lr = 1e-3,
                                                .weight_decay = 0.1,
                                                .bias_correction = bias_correction,
                                                .decoupled = decoupled};
                        const step_constants c = constants_of_step(h, t, h.lr, h.weight_decay, 1);
                        const auto g = inputs::spread(40, ++seed, g_scale),
                                   p0 = inputs::spread(40, ++seed, p_scale);
                        const auto m0 = inputs::spread(40, ++seed, g_scale),
                                   root = inputs::spread(40, ++seed, g_scale);
                        bool p_holds = true, m_holds = true, v_holds = true;
                        for (std::size_t i = 0; i < g.size(); ++i) {
                            float p = p0[i], m = m0[i], v = root[i] * root[i];
                            const updated expected = adam_in_double(h, t, g[i], p, m, v);
                            adam_update(c, g[i], p, m, v);
                            p_holds = p_holds && expected.p.holds(p);
                            m_holds = m_holds && expected.m.holds(m);
                            v_holds = v_holds && expected.v.holds(v);
                        }
                        CAPTURE(t);
                        CAPTURE(g_scale);
                        CAPTURE(p_scale);
                        CAPTURE(decoupled);
                        CAPTURE(bias_correction);
                        CHECK(p_holds);
                        CHECK(m_holds);
                        CHECK(v_holds);
                    }
}

TEST_CASE("the gradient's factor is one product") {
    const hyperparameters h{.beta1 = 0, .beta2 = 0, .weight_decay = 0};
    float p = 0, m = 0, v = 0;
    adam_update(constants_of_step(h, 1, 1, 0, 0.1), 3.0f, p, m, v);
    CHECK(m == 0.1f * 3.0f);
    CHECK(v == m * m);
}

TEST_CASE("eps is added to the root of the bias-corrected second moment") {
    // Report B31: u after one gradient, from a zero state.
    const hyperparameters h{.lr = 1, .weight_decay = 0};
    const std::pair<float, double> table[]{
        {1.0f, 0.9999999900000002}, {1e-6f, 0.9900990099009902}, {1e-8f, 0.5}, {1e-9f, 0.09090909090909091}};
    for (const auto& [g, u] : table) CHECK(step_one(h, 1, g, 0) == doctest::Approx(-u).epsilon(1e-6));

    const std::pair<float, double> after_1000[]{{1e-8f, 0.5}, {1e-9f, 0.09090909090909091}};
    for (const auto& [g, u] : after_1000) {
        float p = 0, m = 0, v = 0;
        for (std::int64_t t = 1; t <= 1000; ++t) {
            p = 0;
            adam_update(constants_of_step(h, t, 1, 0, 1), g, p, m, v);
        }
        CHECK(p == doctest::Approx(-u).epsilon(1e-4));
    }
}

TEST_CASE("decay and update are rounded together") {
    // lr*u = lr*wd*p = 1.25 * 2^-26: each alone rounds to nothing beside 1, both together to a unit.
    const step_constants c{.grad_factor = 1,
                           .beta1 = 0,
                           .one_minus_beta1 = 1,
                           .beta2 = 0,
                           .one_minus_beta2 = 1,
                           .exp_avg_factor = 1,
                           .eps = 1e-30f,
                           .lr = 0x1.4p-26f,
                           .weight_decay = 1,
                           .decoupled = true};
    float p = 1, m = 0, v = 0;
    adam_update(c, 1, p, m, v);
    CHECK(p == 0x1.fffffep-1f);
}

TEST_CASE("L2 adds the decay to the gradient, AdamW does not") {
    const hyperparameters h{.weight_decay = 0.5, .decoupled = false};
    const step_constants c = constants_of_step(h, 1, 0, 0.5, 1);
    float p = 2, m = 0, v = 0;
    adam_update(c, 3, p, m, v);
    CHECK(m == c.one_minus_beta1 * 4);
    CHECK(v == c.one_minus_beta2 * 16);
    m = v = 0;
    adam_update(constants_of_step({.weight_decay = 0.5}, 1, 0, 0.5, 1), 3, p, m, v);
    CHECK(m == c.one_minus_beta1 * 3);
    CHECK(v == c.one_minus_beta2 * 9);
}

TEST_CASE("a zero gradient on a zero state leaves the parameter alone") {
    for (const double eps : {1e-8, 1.5e-45})
        for (const bool bias_correction : {true, false})
            for (const std::int64_t t : {1, 2, 1000})
                for (const float p : {1.0f, -3e-5f, 0.0f, 1e30f})
                    CHECK(step_one({.eps = eps, .weight_decay = 0, .bias_correction = bias_correction}, t, 0,
                                   p) == p);
    CHECK(step_one({.lr = 0.5, .weight_decay = 0.5}, 1, 0, 1) == 0.75f);
}

TEST_CASE("lr 0 moves the moments and no parameter") {
    // Report B33.
    const step_constants c = constants_of_step({}, 1, 0, 0.1, 1);
    const float before[]{1.0f, -0.0f, 0.0f}, gradients[]{0.5f, 0.5f, -0.5f};
    for (int i = 0; i < 3; ++i) {
        float p = before[i], m = 0, v = 0;
        adam_update(c, gradients[i], p, m, v);
        CHECK(p == before[i]);
        CHECK(double{m} == (i < 2 ? 0.050000011920928955 : -0.050000011920928955));
        CHECK(double{v} == 0.00024999678134918213);
    }
}
