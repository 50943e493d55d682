// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! One broken or odd YAML text, read in every dialect: it ends in a config_error or an accepted
//! configuration, and no key of an accepted section is dropped silently.
#pragma once

#include <adamant/yaml/yaml.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

using namespace adamant;

//! The keys that may be accepted without a word, typed from resolution's key list and not taken from the
//! code.
inline bool may_be_silent(std::string_view key, yaml::dialect dialect) {
    static constexpr std::string_view verl[] = {"optimizer",
                                                "lr",
                                                "min_lr",
                                                "clip_grad",
                                                "weight_decay",
                                                "betas",
                                                "lr_warmup_init",
                                                "lr_warmup_steps",
                                                "lr_warmup_steps_ratio",
                                                "lr_decay_steps",
                                                "lr_decay_style",
                                                "weight_decay_incr_style",
                                                "lr_wsd_decay_style",
                                                "lr_wsd_decay_steps",
                                                "total_training_steps",
                                                "use_checkpoint_opt_param_scheduler",
                                                "override_optimizer_config",
                                                "use_precision_aware_optimizer",
                                                "main_grads_dtype",
                                                "exp_avg_dtype",
                                                "exp_avg_sq_dtype",
                                                "_target_"};
    static constexpr std::string_view megatron[] = {"optimizer",
                                                    "lr",
                                                    "min_lr",
                                                    "clip_grad",
                                                    "weight_decay",
                                                    "adam_beta1",
                                                    "adam_beta2",
                                                    "adam_eps",
                                                    "decoupled_weight_decay",
                                                    "loss_scale",
                                                    "initial_loss_scale",
                                                    "min_loss_scale",
                                                    "loss_scale_window",
                                                    "hysteresis",
                                                    "store_param_remainders",
                                                    "main_params_dtype",
                                                    "main_grads_dtype",
                                                    "exp_avg_dtype",
                                                    "exp_avg_sq_dtype",
                                                    "grad_norm_skip_threshold",
                                                    "fp16",
                                                    "bf16",
                                                    "params_dtype",
                                                    "use_precision_aware_optimizer",
                                                    "use_distributed_optimizer",
                                                    "_target_"};
    static constexpr std::string_view own[] = {"mode",
                                               "precision_aware",
                                               "main_params_dtype",
                                               "main_grads_dtype",
                                               "exp_avg_dtype",
                                               "exp_avg_sq_dtype",
                                               "grad_reduce_in_fp32",
                                               "rounding",
                                               "seed",
                                               "accept",
                                               "lr",
                                               "min_lr",
                                               "betas",
                                               "eps",
                                               "weight_decay",
                                               "decoupled",
                                               "bias_correction",
                                               "clip_grad",
                                               "grad_norm_skip_threshold",
                                               "loss_scale",
                                               "initial_loss_scale",
                                               "min_loss_scale",
                                               "loss_scale_window",
                                               "hysteresis",
                                               "total_training_steps",
                                               "lr_warmup_init",
                                               "lr_warmup_steps",
                                               "lr_warmup_steps_ratio",
                                               "lr_decay_steps",
                                               "lr_decay_style",
                                               "lr_wsd_decay_style",
                                               "lr_wsd_decay_steps",
                                               "weight_decay_incr_style"};
    if (dialect == yaml::dialect::adamant) return std::ranges::find(own, key) != std::end(own);
    if (dialect == yaml::dialect::verl) {
        for (const auto known : verl)
            if (key == known) return true;
        return key.starts_with("muon_") || key.starts_with("use_layer_wise_");
    }
    for (const auto known : megatron)
        if (key == known) return true;
    return false;
}

//! Ends the program where a key of an accepted map is neither known nor named in a warning.
inline void require_named(const yaml::node& map, yaml::dialect dialect,
                          const std::vector<std::string>& warnings, const std::string& text) {
    for (const yaml::entry& e : map.entries) {
        std::string key = e.key;
        if (dialect == yaml::dialect::megatron) {
            if (key.starts_with("--")) key.erase(0, 2);
            for (char& c : key) c = c == '-' ? '_' : c;
        }
        if (may_be_silent(key, dialect)) continue;
        bool named = false;
        for (const std::string& warning : warnings)
            named = named || warning.find(yaml::shown(key)) != std::string::npos;
        if (named) continue;
        std::fprintf(stderr, "a key was dropped silently: %s in\n%s\n", key.c_str(), text.c_str());
        std::abort();
    }
}

inline void read(const std::string& text, const std::string& path, yaml::dialect dialect, dtype mode) {
    try {
        const yaml::config config =
            yaml::load_text(text, "fuzz.yaml", path, {.dialect = dialect, .mode = mode});
        const yaml::resolution r = yaml::resolve(config);
        require_named(*config.section, dialect, r.warnings, text);
        const yaml::entry* overrides = config.section->find("override_optimizer_config");
        if (dialect == yaml::dialect::verl && overrides != nullptr)
            require_named(*overrides->value, yaml::dialect::megatron, r.warnings, text);
        (void)r.schedule();
    } catch (const config_error&) {}
}

inline void read_all(const std::string& text) {
    for (const char* path : {"", "optim", "actor.optim", "model.optimizer"}) {
        read(text, path, yaml::dialect::verl, dtype::bf16);
        read(text, path, yaml::dialect::megatron, dtype::fp16);
    }
    read(text, "optim", yaml::dialect::verl, dtype::fp16);
    read(text, "optim", yaml::dialect::adamant, dtype::bf16);
    read(text, "optim#1", yaml::dialect::verl, dtype::fp32);
}

}  // namespace fuzz
