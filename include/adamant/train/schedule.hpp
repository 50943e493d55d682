// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! schedule: learning rate and weight decay as functions of the number of applied steps, with the styles and
//! formulas of Megatron-Core's OptimizerParamScheduler.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include <adamant/base/error.hpp>

namespace adamant::inline v0 {

enum class lr_decay_style { constant, linear, cosine, inverse_square_root, wsd };
enum class wsd_decay_style { linear, cosine, exponential, minus_sqrt };
enum class wd_incr_style { constant, linear, cosine };

//! An enumerator and a name for it; case matters, as in Megatron-Core.
template <class Style>
struct style_name {
    std::string_view name;
    Style style;
};
inline constexpr std::array<style_name<lr_decay_style>, 6> lr_decay_styles{{
    {"constant", lr_decay_style::constant},
    {"linear", lr_decay_style::linear},
    {"cosine", lr_decay_style::cosine},
    {"inverse-square-root", lr_decay_style::inverse_square_root},
    {"inverse_square_root", lr_decay_style::inverse_square_root},
    {"WSD", lr_decay_style::wsd},
}};
inline constexpr std::array<style_name<wsd_decay_style>, 4> wsd_decay_styles{{
    {"linear", wsd_decay_style::linear},
    {"cosine", wsd_decay_style::cosine},
    {"exponential", wsd_decay_style::exponential},
    {"minus_sqrt", wsd_decay_style::minus_sqrt},
}};
inline constexpr std::array<style_name<wd_incr_style>, 3> wd_incr_styles{{
    {"constant", wd_incr_style::constant},
    {"linear", wd_incr_style::linear},
    {"cosine", wd_incr_style::cosine},
}};

struct schedule_settings {
    double lr = 1e-3;
    double min_lr = 0;
    double lr_warmup_init = 0;
    std::int64_t lr_warmup_steps = 0;
    std::int64_t lr_decay_steps = 0;  //!< the length of warm-up and decay together
    lr_decay_style style = lr_decay_style::linear;
    wsd_decay_style wsd_style = wsd_decay_style::exponential;
    std::optional<std::int64_t> lr_wsd_decay_steps{};
    double start_weight_decay = 0.01;
    double end_weight_decay = 0.01;
    wd_incr_style weight_decay_incr_style = wd_incr_style::constant;
    std::int64_t weight_decay_incr_steps = 0;
};

//! A setting of the schedule that is not valid, by name.
class schedule_error : public config_error {
public:
    schedule_error(std::string_view key, const std::string& sentence) : config_error(sentence), key_(key) {}
    //! The name of the setting.
    std::string_view key() const { return key_; }

private:
    std::string_view key_;
};

class schedule {
public:
    //! Throws schedule_error for settings that cannot work.
    explicit schedule(const schedule_settings& settings) : s_(settings) {
        const auto require = [](bool holds, std::string_view key, const char* sentence) {
            if (!holds) throw schedule_error(key, sentence);
        };
        require(std::isfinite(s_.lr) && s_.lr >= 0, "lr",
                "[adamant] lr is finite and not negative: write a number >= 0.");
        require(s_.min_lr >= 0 && s_.min_lr <= s_.lr, "min_lr",
                "[adamant] min_lr is between 0 and lr: lower min_lr or raise lr.");
        require(s_.lr_warmup_init >= 0 && s_.lr_warmup_init <= s_.lr, "lr_warmup_init",
                "[adamant] lr_warmup_init is between 0 and lr: lower lr_warmup_init or raise lr.");
        require(s_.lr_decay_steps > 0, "lr_decay_steps",
                "[adamant] a schedule has a length above 0: set total_training_steps, or lr_decay_steps.");
        require(
            s_.lr_warmup_steps >= 0 && s_.lr_warmup_steps < s_.lr_decay_steps, "lr_warmup_steps",
            "[adamant] the warm-up ends before the decay: lower lr_warmup_steps or raise lr_decay_steps.");
        if (s_.style == lr_decay_style::wsd)
            require(s_.lr_wsd_decay_steps && *s_.lr_wsd_decay_steps > 0 &&
                        *s_.lr_wsd_decay_steps <= s_.lr_decay_steps,
                    "lr_wsd_decay_steps",
                    "[adamant] WSD ends with lr_wsd_decay_steps, from 1 to lr_decay_steps: set it.");
        require(std::isfinite(s_.start_weight_decay) && s_.start_weight_decay >= 0 &&
                    std::isfinite(s_.end_weight_decay) && s_.end_weight_decay >= s_.start_weight_decay,
                "weight_decay",
                "[adamant] weight decay is finite, not negative, and does not fall: raise the end or lower "
                "the start.");
        if (s_.weight_decay_incr_style == wd_incr_style::constant)
            require(s_.start_weight_decay == s_.end_weight_decay, "weight_decay_incr_style",
                    "[adamant] a constant weight decay starts where it ends: write linear or cosine.");
        else
            require(s_.weight_decay_incr_steps > 0, "weight_decay_incr_style",
                    "[adamant] a growing weight decay has a length above 0: set total_training_steps.");
    }

    //! The learning rate after `n` applied steps: the first step uses lr(0).
    double lr(std::int64_t n) const {
        const double warmup = static_cast<double>(s_.lr_warmup_steps),
                     decay = static_cast<double>(s_.lr_decay_steps);
        const double at = static_cast<double>(n);
        if (s_.lr_warmup_steps > 0 && n <= s_.lr_warmup_steps)
            return s_.lr_warmup_init + (s_.lr - s_.lr_warmup_init) * at / warmup;
        if (s_.style == lr_decay_style::constant) return s_.lr;
        if (n > s_.lr_decay_steps) return s_.min_lr;
        if (s_.style == lr_decay_style::inverse_square_root)
            return std::max(s_.min_lr,
                            s_.lr * std::sqrt(std::max(warmup, 1.0)) / std::sqrt(std::max(at, 1.0)));
        const double ratio = (at - warmup) / (decay - warmup);
        switch (s_.style) {
            case lr_decay_style::linear: return between(s_.min_lr, s_.lr, 1 - ratio);
            case lr_decay_style::cosine: return between(s_.min_lr, s_.lr, half_cosine(ratio));
            default: return between(s_.min_lr, s_.lr, wsd_coefficient(at));
        }
    }

    //! The weight decay after `n` applied steps.
    double weight_decay(std::int64_t n) const {
        if (s_.weight_decay_incr_style == wd_incr_style::constant || n > s_.weight_decay_incr_steps)
            return s_.end_weight_decay;
        const double ratio = static_cast<double>(n) / static_cast<double>(s_.weight_decay_incr_steps);
        return between(s_.start_weight_decay, s_.end_weight_decay,
                       s_.weight_decay_incr_style == wd_incr_style::linear ? ratio : half_cosine(1 - ratio));
    }

    const schedule_settings& settings() const { return s_; }

private:
    // fma is written so that no compiler decides about it.
    static double between(double low, double high, double c) { return std::fma(c, high - low, low); }
    static double half_cosine(double ratio) { return (std::cos(std::numbers::pi * ratio) + 1) / 2; }

    double wsd_coefficient(double at) const {
        const double length = static_cast<double>(*s_.lr_wsd_decay_steps);
        const double start = static_cast<double>(s_.lr_decay_steps) - length;
        if (at <= start) return 1;
        const double q = (at - start) / length;
        switch (s_.wsd_style) {
            case wsd_decay_style::linear: return 1 - q;
            case wsd_decay_style::cosine: return half_cosine(q);
            case wsd_decay_style::exponential: return 2 * std::exp2(-q) - 1;
            default: return 1 - std::sqrt(q);
        }
    }

    schedule_settings s_;
};

}  // namespace adamant::inline v0
