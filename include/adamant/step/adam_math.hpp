// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! adam_math: Adam's update of one element. The only place where the formula stands, and part of the file
//! format: the order of the operations below never changes.
//!
//!   g      = factor * gradient                                  one rounding
//!   g      = fma(wd, p, g)                                      L2 only
//!   m      = fma(b1, m, (1-b1)*g)
//!   v      = fma(b2, v, ((1-b2)*g)*g)
//!   u      = (m * c) / (sqrt(v) + e)                            c = sqrt(bc2)/bc1, e = eps*sqrt(bc2)
//!   u      = min(max(u, -B), B)                                 a moment below 16 bits only
//!   u      = fma(wd, p, u)                                      AdamW only
//!   p      = fma(-lr, u, p)
//!
//! with bc1 = 1 - b1^t and bc2 = 1 - b2^t (1 without bias correction): m/bc1 over sqrt(v/bc2) + eps, as in
//! Kingma and Ba (2015) and PyTorch, with one root and one division. Every operation is fp32, nearest even; a
//! fused multiply-add is written where it is meant, and no other a*b + c is left for a compiler to fuse.
#pragma once

#include <cstdint>
#include <limits>

#include <adamant/base/config.hpp>
#include <adamant/numerics/arithmetic.hpp>
#include <adamant/numerics/rounding.hpp>
#include <adamant/step/hyperparameters.hpp>

namespace adamant::inline v0 {

// Constants, for functions that device code calls: it cannot call numeric_limits.
inline constexpr float no_bound = std::numeric_limits<float>::infinity(),
                       largest_float = std::numeric_limits<float>::max(),
                       smallest_float = std::numeric_limits<float>::denorm_min();
inline constexpr double double_infinity = std::numeric_limits<double>::infinity();

//! The numbers of a step, folded.
struct step_constants {
    float grad_factor = 1;  //!< unscale, average and clip in one
    float beta1;
    float one_minus_beta1;
    float beta2;
    float one_minus_beta2;
    float exp_avg_factor;  //!< c above
    float eps;             //!< e above
    float lr = 0;
    float weight_decay = 0;
    bool decoupled;
    float update_bound = no_bound;  //!< B above
    std::uint64_t seed = 0;         //!< of the noise of this step
    std::uint64_t step = 0;
};

//! Its square, or any less, leaves 1 as it is.
ADAMANT_HOST_DEVICE constexpr bool is_root_of_nothing(double base) { return base < 0x1p-27; }

//! 1 - base^exponent, the power by repeated squaring; the library's pow differs between machines.
ADAMANT_HOST_DEVICE inline double one_minus_power(double base, std::int64_t exponent) {
    if (exponent <= 0) return 0;
    double power = 1;
    for (; exponent > 1; exponent >>= 1) {
        if (is_root_of_nothing(base)) return 1;
        const double factors[]{1, base};  // no branch: a core cannot foresee the bits of a step's number
        power = product(power, factors[exponent & 1]);
        base = product(base, base);
    }
    return 1 - product(power, base);
}

//! What bias correction divides exp_avg by, 1 - beta1^step, and the root of exp_avg_sq by, that of
//! 1 - beta2^step.
struct bias_corrections {
    double exp_avg = 1, root_of_exp_avg_sq = 1;

    //! exp_avg over the root of exp_avg_sq is multiplied with it.
    ADAMANT_HOST_DEVICE double ratio() const { return root_of_exp_avg_sq / exp_avg; }
};
ADAMANT_HOST_DEVICE inline bias_corrections corrections_of_step(const hyperparameters& h, std::int64_t step) {
    if (!h.bias_correction) return {};
    return {one_minus_power(double{static_cast<float>(h.beta1)}, step),
            square_root(one_minus_power(double{static_cast<float>(h.beta2)}, step))};
}

//! From this step on both are 1.
inline std::int64_t first_step_without_corrections(const hyperparameters& h) {
    if (!h.bias_correction) return 1;
    std::int64_t step = 2;
    // Its bits are counted as one_minus_power does.
    for (double base = static_cast<float>(larger(h.beta1, h.beta2)); !is_root_of_nothing(base); step *= 2)
        base = product(base, base);
    return step;
}

//! The largest |u| that Adam can reach, by Cauchy-Schwarz: after n steps from zero state |exp_avg| is at most
//! (1-b1)/sqrt(1-b2) * sqrt((1-r^n)/(1-r)) times the root of exp_avg_sq, r = b1^2/b2. Moments below 16 bits
//! are rounded apart and could exceed it, so they are held to it, with a thousandth to spare. There is none
//! without bias correction or with beta2 = 0.
ADAMANT_HOST_DEVICE inline double update_bound(const hyperparameters& h, const bias_corrections& corrections,
                                               std::int64_t steps_from_zero) {
    const double beta1 = static_cast<float>(h.beta1), beta2 = static_cast<float>(h.beta2);
    if (!h.bias_correction || beta2 == 0) return double_infinity;
    const double r = beta1 * beta1 / beta2;
    const double sum =
        r == 1 ? static_cast<double>(steps_from_zero) : one_minus_power(r, steps_from_zero) / (1 - r);
    return 1.001 * corrections.ratio() * (1 - beta1) / square_root(1 - beta2) * square_root(sum);
}

//! The constants of step number `step` (1 is the first), as far as its number tells: `steps_from_zero` counts
//! from zero state, this step included. Only what is_bounded needs update_bound.
template <bool Bounded = true>
ADAMANT_HOST_DEVICE inline step_constants constants_of_step(const hyperparameters& h, std::int64_t step,
                                                            std::int64_t steps_from_zero) {
    const auto beta1 = static_cast<float>(h.beta1), beta2 = static_cast<float>(h.beta2);
    const bias_corrections corrections = corrections_of_step(h, step);
    const auto eps =
        static_cast<float>(product(double{static_cast<float>(h.eps)}, corrections.root_of_exp_avg_sq));
    const double bound = Bounded ? update_bound(h, corrections, steps_from_zero) : double_infinity;
    const bool bound_fits = bound <= double{largest_float};
    return {.beta1 = beta1,
            .one_minus_beta1 = 1.0f - beta1,
            .beta2 = beta2,
            .one_minus_beta2 = 1.0f - beta2,
            .exp_avg_factor = static_cast<float>(corrections.ratio()),
            .eps = larger(eps, smallest_float),
            .decoupled = h.decoupled,
            .update_bound = bound_fits ? static_cast<float>(bound) : no_bound,
            .seed = h.seed,
            .step = static_cast<std::uint64_t>(step)};
}
//! All constants: with what a group and the gradients tell.
ADAMANT_HOST_DEVICE inline step_constants completed(step_constants c, double lr, double weight_decay,
                                                    double grad_factor) {
    c.lr = static_cast<float>(lr);
    c.weight_decay = static_cast<float>(weight_decay);
    c.grad_factor = static_cast<float>(grad_factor);
    return c;
}
//! The same where moments were never set from outside.
inline step_constants constants_of_step(const hyperparameters& h, std::int64_t step, double lr,
                                        double weight_decay, double grad_factor) {
    return completed(constants_of_step(h, step, step), lr, weight_decay, grad_factor);
}

//! exp_avg and exp_avg_sq of one element, in place.
ADAMANT_KERNEL_INLINE void update_moments(const step_constants& c, float gradient, float p, float& m,
                                          float& v) {
    float g = c.grad_factor * gradient;
    if (!c.decoupled) g = fused_multiply_add(c.weight_decay, p, g);
    m = fused_multiply_add(c.beta1, m, c.one_minus_beta1 * g);
    v = fused_multiply_add(c.beta2, v, (c.one_minus_beta2 * g) * g);
}

//! u of new moments, as it is before bound and decay.
ADAMANT_KERNEL_INLINE float moment_ratio(const step_constants& c, float m, float v) {
    return quotient(m * c.exp_avg_factor, square_root(v) + c.eps);
}

//! What -lr multiplies.
template <bool Bounded>
ADAMANT_KERNEL_INLINE float update_direction(const step_constants& c, float u, float p) {
    if constexpr (Bounded) u = smaller(larger(u, -c.update_bound), c.update_bound);
    if (c.decoupled) u = fused_multiply_add(c.weight_decay, p, u);
    return u;
}

//! One element: updates parameter, exp_avg and exp_avg_sq in place.
template <bool Bounded = false>
ADAMANT_KERNEL_INLINE void adam_update(const step_constants& c, float gradient, float& p, float& m,
                                       float& v) {
    update_moments(c, gradient, p, m, v);
    p = fused_multiply_add(-c.lr, update_direction<Bounded>(c, moment_ratio(c, m, v), p), p);
}

}  // namespace adamant::inline v0
