// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What an optimizer can be told at construction and at a step, and what a step reports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <adamant/step/executor.hpp>
#include <adamant/train/loss_scaler.hpp>
#include <adamant/train/step_decision.hpp>

namespace adamant::inline v0 {

//! Multipliers of a group of tensors.
struct param_group {
    double lr_mult = 1;
    double wd_mult = 1;
    //! A shell pattern: "*.bias", "layers.*.norm.*". Tensors whose names match are in the group, whatever
    //! their tensor_info says; the first group that matches wins. Empty: only tensor_info::group chooses it.
    std::string names{};
};

struct optimizer_options {
    class executor executor {};
    //! None: fp16 mode has Megatron's dynamic scaler, the other modes none.
    std::optional<loss_scaler_settings> loss_scaler{};
    //! By names, else by tensor_info::group. Empty: one group in which tensors of one dimension and names
    //! ending in .bias do not decay; a tensor without shape and name does.
    std::vector<param_group> groups{};
    //! Soundness rules (step/soundness.hpp) that may be broken, by name: {"square_to_nearest"}. They judge
    //! the numbers of construction, once: what a step, a schedule or a group makes of lr is not judged again.
    std::vector<std::string> accept{};
    //! The flat index (state/flat_index.hpp) of each tensor's first element where the list is part of a
    //! larger model, as a rank's shard is: noise is keyed to it. Multiples of 128. Empty: the list is the
    //! model.
    std::vector<std::int64_t> flat_starts{};
};

struct step_options {
    std::optional<double> lr{};            //!< else the optimizer's
    std::optional<double> weight_decay{};  //!< else the optimizer's
    double grad_scale = 1;  //!< multiplies the gradients: 1/micro-batches, or a token count's inverse
    //! The norm of the gradients as the update sees them (unscaled, grad_scale applied) where it is known
    //! from outside: saves the reading pass. Infinite or NaN: the step is skipped.
    std::optional<double> grad_norm{};
};

//! Numbers of a step obey the rules of those of construction, in every group; config_error where they do not.
inline void require_valid_step(const step_options& options, const hyperparameters& hyper,
                               std::span<const param_group> groups, double loss_scale) {
    const double lr = options.lr.value_or(hyper.lr);
    const double weight_decay = options.weight_decay.value_or(hyper.weight_decay);
    require_valid_rates(lr, weight_decay);
    for (const param_group& group : groups)
        require_valid_rates(lr * group.lr_mult, weight_decay * group.wd_mult);
    if (!(options.grad_scale >= 0) || !hyperparameter_rules::is_finite(options.grad_scale) ||
        !hyperparameter_rules::is_finite(options.grad_scale / loss_scale))
        throw config_error(
            "[adamant] grad_scale is finite and not negative, also over the loss scale: write 1 for "
            "gradients as "
            "they are.");
    if (options.grad_norm && *options.grad_norm < 0)
        throw config_error("[adamant] grad_norm is not negative: hand in the norm, or nothing.");
}

//! A skipped step leaves parameters, state and step count as they were; only the loss scaler moves.
struct step_result {
    step_status status = step_status::applied;
    double grad_norm = 0;  //!< unscaled, before clipping
    double clip_coefficient = 1;
    double lr = 0;
    std::int64_t step = 0;  //!< applied steps so far
    double loss_scale = 1;  //!< for the next loss
    bool loss_scale_at_floor = false;
};

}  // namespace adamant::inline v0
