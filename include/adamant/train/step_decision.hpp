// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! step_decision: whether a step is applied, and the factor of its gradients, by their norm. The same on host
//! and GPU.
#pragma once

#include <limits>
#include <string_view>

#include <adamant/step/adam_math.hpp>

namespace adamant::inline v0 {

enum class step_status {
    applied,
    skipped_found_inf,  //!< a gradient is infinite or NaN
    skipped_norm        //!< the norm is above grad_norm_skip_threshold
};

constexpr std::string_view to_string(step_status status) {
    switch (status) {
        case step_status::applied: return "applied";
        case step_status::skipped_found_inf: return "skipped_found_inf";
        default: return "skipped_norm";
    }
}

inline constexpr double largest_double = std::numeric_limits<double>::max();  // as in adam_math, for devices

//! min(1, max_norm / (norm + 1e-6)), Megatron-Core's and PyTorch's coefficient; 1 where clipping is off.
ADAMANT_HOST_DEVICE inline double clip_coefficient(double norm, double max_norm) {
    if (!(max_norm > 0) || max_norm > largest_double) return 1;
    return smaller(1.0, max_norm / (norm + 1e-6));
}

struct step_decision {
    step_status status = step_status::applied;
    bool found_inf = false;
    double clip_coefficient = 1;  //!< 1 where the step is skipped
    double grad_factor = 1;       //!< unscale, average and clip in one
};

//! `norm` is that of the unscaled gradients, none of which is larger than `largest`; `unscale` multiplies a
//! gradient before it is clipped.
ADAMANT_HOST_DEVICE inline step_decision decide_step(double norm, double largest, double unscale,
                                                     const hyperparameters& h) {
    step_decision result;
    const double coefficient = clip_coefficient(norm, h.clip_grad);
    result.grad_factor = product(unscale, coefficient);
    // Gradients may be finite and too large for fp32 once they are unscaled.
    result.found_inf = !(norm <= largest_double) || !(largest * coefficient <= largest_float) ||
                       !(result.grad_factor <= largest_float);
    if (result.found_inf) result.status = step_status::skipped_found_inf;
    else if (norm > h.grad_norm_skip_threshold) result.status = step_status::skipped_norm;
    else result.clip_coefficient = coefficient;
    return result;
}

}  // namespace adamant::inline v0
