// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! loss_scaler: Megatron-Core's constant and dynamic loss scale.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <adamant/base/error.hpp>
#include <adamant/numerics/arithmetic.hpp>

namespace adamant::inline v0 {

//! Names and defaults of Megatron-Core's OptimizerConfig; verl starts fp16 at 32768.
struct loss_scaler_settings {
    std::optional<double> loss_scale{};        //!< a constant scale; none: dynamic
    double initial_loss_scale = 4294967296.0;  //!< 2^32
    double min_loss_scale = 1;
    std::int64_t loss_scale_window = 1000;  //!< good steps in a row before the scale doubles
    std::int64_t hysteresis = 2;            //!< bad steps before the scale halves

    friend bool operator==(const loss_scaler_settings&, const loss_scaler_settings&) = default;
};

//! What a checkpoint keeps of a loss scaler.
struct loss_scale_state {
    double scale;
    std::int64_t growth;      //!< good steps since the last change or bad step
    std::int64_t hysteresis;  //!< bad steps left before the scale halves

    friend bool operator==(const loss_scale_state&, const loss_scale_state&) = default;
};

//! How a dynamic scale moves, on host and GPU.
struct loss_scale_dynamics {
    double min_loss_scale;
    std::int64_t loss_scale_window;
    std::int64_t hysteresis;

    //! To be called once per step, skipped or not.
    ADAMANT_HOST_DEVICE void update(loss_scale_state& state, bool found_inf) const {
        if (found_inf) {
            state.growth = 0;
            // Not restored by a back-off or a good step, only by growth: Megatron-Core's rule.
            if (state.hysteresis > fewest_left) --state.hysteresis;
            if (state.hysteresis <= 0) state.scale = larger(state.scale * 0.5, min_loss_scale);
        } else if (state.growth < loss_scale_window - 1) {
            ++state.growth;
        } else {
            const double doubled = state.scale * 2;
            state = {doubled <= largest_scale ? doubled : state.scale, 0, hysteresis};
        }
    }

private:
    static constexpr double largest_scale = std::numeric_limits<double>::max();
    static constexpr std::int64_t fewest_left =
        std::numeric_limits<std::int64_t>::min();  // of a damaged file
};

//! The user multiplies the loss by scale(); the optimizer folds the inverse into the step.
class loss_scaler {
public:
    using state = loss_scale_state;

    //! Throws config_error for settings that cannot work.
    explicit loss_scaler(const loss_scaler_settings& settings) : settings_(settings) {
        const auto is_scale = [](double x) { return std::isfinite(x) && x > 0; };
        if (settings.loss_scale && !is_scale(*settings.loss_scale))
            throw config_error(
                "[adamant] loss_scale is finite and above 0: write a power of two, or leave it out.");
        if (!is_scale(settings.min_loss_scale))
            throw config_error("[adamant] min_loss_scale is finite and above 0: write a number like 1.");
        if (!is_scale(settings.initial_loss_scale) || settings.initial_loss_scale < settings.min_loss_scale)
            throw config_error(
                "[adamant] initial_loss_scale is finite and at least min_loss_scale: write a power of two.");
        if (settings.loss_scale_window < 1)
            throw config_error("[adamant] loss_scale_window is at least 1: write a number of steps.");
        if (settings.hysteresis < 1)
            throw config_error("[adamant] hysteresis is at least 1: write a number of steps.");
        state_ = {settings.loss_scale.value_or(settings.initial_loss_scale), 0, settings.hysteresis};
    }

    double scale() const { return state_.scale; }
    //! Whether the scale cannot fall further: if gradients still overflow then, they are broken.
    bool at_floor() const {
        return settings_.loss_scale.has_value() || state_.scale <= settings_.min_loss_scale;
    }

    //! To be called once per step, skipped or not.
    void update(bool found_inf) {
        if (!settings_.loss_scale) dynamics().update(state_, found_inf);
    }
    loss_scale_dynamics dynamics() const {
        return {settings_.min_loss_scale, settings_.loss_scale_window, settings_.hysteresis};
    }

    const state& current() const { return state_; }
    //! Goes on from a checkpoint.
    void restore(const state& saved) {
        if (!std::isfinite(saved.scale) || saved.scale <= 0 || saved.growth < 0)
            throw state_error(
                "[adamant] a saved loss scale is finite and above 0, its good steps are counted from 0: the "
                "checkpoint is damaged.");
        // A constant stays as configured.
        const double scale = settings_.loss_scale ? state_.scale : saved.scale;
        state_ = {scale, saved.growth, saved.hysteresis};
    }
    const loss_scaler_settings& settings() const { return settings_; }

private:
    loss_scaler_settings settings_;
    state state_{};
};

}  // namespace adamant::inline v0
