// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! settings: a configuration in Megatron's words, as the dialects read it, and the defaults of a missing key.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <adamant/policy/policy_words.hpp>
#include <adamant/train/loss_scaler.hpp>
#include <adamant/train/schedule.hpp>
#include <adamant/yaml/location.hpp>

namespace adamant::inline v0::yaml {

struct settings {
    std::string optimizer = "adam";
    double lr = 1e-3;
    double min_lr = 0;
    double clip_grad = 1;
    double weight_decay = 0.01;
    double adam_beta1 = 0.9;
    double adam_beta2 = 0.999;
    double adam_eps = 1e-8;
    bool decoupled_weight_decay = true;
    double grad_norm_skip_threshold = std::numeric_limits<double>::infinity();

    bool fp16 = false;
    bool bf16 = true;
    dtype params_dtype = dtype::bf16;
    bool use_precision_aware_optimizer = false;
    bool store_param_remainders = true;
    dtype main_params_dtype = dtype::fp32;
    dtype main_grads_dtype = dtype::fp32;
    dtype exp_avg_dtype = dtype::fp32;
    dtype exp_avg_sq_dtype = dtype::fp32;
    dtype grad_bucket = dtype::fp32;
    std::optional<bool> grad_reduce_in_fp32{};  //!< as written in override_ddp_config
    bool use_distributed_optimizer = true;

    loss_scaler_settings loss_scaler{};

    // What only the adamant dialect says.
    std::optional<policy_words> words{};  //!< the policy in our own words, instead of the fields above
    std::vector<std::string> accepted{};  //!< soundness rules that may be broken
    bool bias_correction = true;
    std::uint64_t seed = 0;

    bool has_schedule = false;  //!< whether the dialect describes one
    //! For load_options of who loads a checkpoint (safetensors/load.hpp): nothing here is changed by it.
    bool use_checkpoint_opt_param_scheduler = false;
    double lr_warmup_init = 0;
    std::int64_t lr_warmup_steps = 0;
    std::int64_t lr_decay_steps = 0;
    std::int64_t total_training_steps = -1;
    std::string lr_decay_style = "linear";
    std::string lr_wsd_decay_style = "exponential";
    std::optional<std::int64_t> lr_wsd_decay_steps{};
    std::string weight_decay_incr_style = "constant";

    //! Where each setting was written, by the key that decided it; the section under "".
    std::map<std::string, place, std::less<>> places{};
    std::vector<std::string> warnings{};

    //! Where a setting was written, or the section with the key's name.
    place place_of(std::string_view key) const {
        if (const auto found = places.find(key); found != places.end()) return found->second;
        place section = places.at("");
        section.key += (section.key.empty() ? "" : ".") + std::string(key);
        return section;
    }
};

}  // namespace adamant::inline v0::yaml
