// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! hyperparameters: the numbers of Adam, with the rules that they obey.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <adamant/base/error.hpp>
#include <adamant/policy/resolve.hpp>

namespace adamant::inline v0 {

//! Names and defaults are those of the field (PyTorch's AdamW, Megatron-Core's OptimizerConfig).
struct hyperparameters {
    double lr = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;  //!< added to the root of the bias-corrected exp_avg_sq
    double weight_decay = 0.01;
    bool bias_correction = true;
    bool decoupled = true;   //!< true: AdamW; false: L2, the decay is added to the gradient
    double clip_grad = 1.0;  //!< largest gradient norm; zero, negative or infinity: no clipping
    double grad_norm_skip_threshold =
        std::numeric_limits<double>::infinity();  //!< a larger norm skips the step
    std::uint64_t seed = 0;                       //!< of stochastic rounding

    friend constexpr bool operator==(const hyperparameters&, const hyperparameters&) = default;
};

// Literals for static_assert; step/soundness.hpp, which judges constants, undefines them.
#define ADAMANT_SAYS_LR "[adamant] lr is finite and not negative: write a number >= 0."
#define ADAMANT_SAYS_BETA1 "[adamant] beta1 is at least 0 and, in fp32, below 1: write a number like 0.9."
#define ADAMANT_SAYS_BETA2 "[adamant] beta2 is at least 0 and, in fp32, below 1: write a number like 0.999."
#define ADAMANT_SAYS_EPS "[adamant] eps is finite and, in fp32, above 0: write a number like 1e-8."
#define ADAMANT_SAYS_WEIGHT_DECAY "[adamant] weight_decay is finite and not negative: write a number >= 0."
#define ADAMANT_SAYS_CLIP_GRAD \
    "[adamant] clip_grad is a number: write the largest norm, or 0 for no clipping."
#define ADAMANT_SAYS_SKIP_THRESHOLD \
    "[adamant] grad_norm_skip_threshold is above 0: write the largest norm to accept, or infinity."

namespace hyperparameter_rules {

// What counts is the value that the kernels see, in fp32.
constexpr bool is_finite(double x) { return x <= 3.4028234663852886e38 && x >= -3.4028234663852886e38; }
constexpr bool is_rate(double x) { return x <= 3.4028234663852886e38 && x >= 0; }
constexpr bool is_beta(double x) { return x >= 0 && static_cast<float>(x) < 1.0f; }

struct lr {
    static constexpr std::string_view key = "lr", sentence = ADAMANT_SAYS_LR;
    static constexpr bool holds(const hyperparameters& h) { return is_rate(h.lr); }
};
struct beta1 {
    static constexpr std::string_view key = "beta1", sentence = ADAMANT_SAYS_BETA1;
    static constexpr bool holds(const hyperparameters& h) { return is_finite(h.beta1) && is_beta(h.beta1); }
};
struct beta2 {
    static constexpr std::string_view key = "beta2", sentence = ADAMANT_SAYS_BETA2;
    static constexpr bool holds(const hyperparameters& h) { return is_finite(h.beta2) && is_beta(h.beta2); }
};
struct eps {
    static constexpr std::string_view key = "eps", sentence = ADAMANT_SAYS_EPS;
    static constexpr bool holds(const hyperparameters& h) {
        return is_finite(h.eps) && static_cast<float>(h.eps) > 0;
    }
};
struct weight_decay {
    static constexpr std::string_view key = "weight_decay", sentence = ADAMANT_SAYS_WEIGHT_DECAY;
    static constexpr bool holds(const hyperparameters& h) { return is_rate(h.weight_decay); }
};
struct clip_grad {
    static constexpr std::string_view key = "clip_grad", sentence = ADAMANT_SAYS_CLIP_GRAD;
    static constexpr bool holds(const hyperparameters& h) { return h.clip_grad == h.clip_grad; }
};
struct skip_threshold {
    static constexpr std::string_view key = "grad_norm_skip_threshold",
                                      sentence = ADAMANT_SAYS_SKIP_THRESHOLD;
    static constexpr bool holds(const hyperparameters& h) { return h.grad_norm_skip_threshold > 0; }
};

}  // namespace hyperparameter_rules

//! The name and the sentence of a rule that does not hold.
struct broken_hyperparameter {
    std::string_view key;
    std::string_view sentence;
};

//! The first of the rules that the numbers break, or nothing.
template <class... Rules>
constexpr std::optional<broken_hyperparameter> first_broken_of(const hyperparameters& h) {
    std::optional<broken_hyperparameter> broken;
    (void)((Rules::holds(h) || (broken = broken_hyperparameter{Rules::key, Rules::sentence}, false)) && ...);
    return broken;
}
constexpr std::optional<broken_hyperparameter> first_broken(const hyperparameters& h) {
    using namespace hyperparameter_rules;
    return first_broken_of<hyperparameter_rules::lr, beta1, beta2, eps, weight_decay, clip_grad,
                           skip_threshold>(h);
}

//! Throw config_error with the sentence of the first broken rule: of all, and of what may differ by step and
//! group.
inline void require_none(const std::optional<broken_hyperparameter>& broken) {
    if (broken) throw config_error(std::string(broken->sentence));
}
inline void require_valid(const hyperparameters& h) { require_none(first_broken(h)); }
inline void require_valid_rates(double lr, double weight_decay) {
    require_none(first_broken_of<hyperparameter_rules::lr, hyperparameter_rules::weight_decay>(
        {.lr = lr, .weight_decay = weight_decay}));
}

}  // namespace adamant::inline v0
