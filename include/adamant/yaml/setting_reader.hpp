// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! setting_reader: fills settings from a section and remembers where each stands; the fields that both
//! dialects share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <adamant/yaml/config.hpp>
#include <adamant/yaml/dtype_words.hpp>
#include <adamant/yaml/known_keys.hpp>
#include <adamant/yaml/settings.hpp>

namespace adamant::inline v0::yaml::detail {

//! Where settings come from, with the place of each remembered.
class setting_reader {
public:
    setting_reader(settings& into, const section& from) : s_(into), from_(from) {}

    template <class T, class U>
    bool take(T& setting, std::string_view name, std::string_view key, const std::optional<U>& value) {
        if (from_.has(key)) s_.places[std::string(name)] = from_.at(key);
        if (!value) return false;
        setting = *value;
        return true;
    }
    bool text(std::string& setting, std::string_view key) { return take(setting, key, key, from_.text(key)); }
    bool number(double& setting, std::string_view key) { return take(setting, key, key, from_.number(key)); }
    bool number_or_infinity(double& setting, std::string_view key) {
        return take(setting, key, key, from_.number_or_infinity(key));
    }
    bool integer(std::int64_t& setting, std::string_view key) {
        return take(setting, key, key, from_.integer(key));
    }
    bool boolean(bool& setting, std::string_view key) { return take(setting, key, key, from_.boolean(key)); }
    bool kind(dtype& setting, std::string_view key, dtype_vocabulary words) {
        return take(setting, key, key, read_dtype(from_, key, words));
    }

private:
    settings& s_;
    const section& from_;
};

inline void set_mode(settings& s, dtype mode) {
    s.params_dtype = mode;
    s.fp16 = mode == dtype::fp16;
    s.bf16 = mode == dtype::bf16;
}

//! The mode after the flags of a Megatron section: fp16 is tested first; flags that are false take a mode
//! away.
inline dtype mode_by_flags(const section& from, dtype mode) {
    const auto fp16 = from.boolean("fp16"), bf16 = from.boolean("bf16");
    if (fp16 == true) return dtype::fp16;
    if (bf16 == true) return dtype::bf16;
    if ((mode == dtype::fp16 && fp16 == false) || (mode == dtype::bf16 && bf16 == false)) return dtype::fp32;
    return mode;
}

inline void read_loss_scaler(const section& from, settings& s) {
    setting_reader read(s, from);
    double scale = 0;
    if (read.number(scale, "loss_scale")) s.loss_scaler.loss_scale = scale;
    read.number(s.loss_scaler.initial_loss_scale, "initial_loss_scale");
    read.number(s.loss_scaler.min_loss_scale, "min_loss_scale");
    read.integer(s.loss_scaler.loss_scale_window, "loss_scale_window");
    read.integer(s.loss_scaler.hysteresis, "hysteresis");
}

//! A list of both betas; whether there was one.
inline bool read_betas(const section& from, settings& s) {
    const auto betas = from.pair("betas");
    if (!betas) return false;
    s.adam_beta1 = (*betas)[0];
    s.adam_beta2 = (*betas)[1];
    s.places["adam_beta1"] = s.places["adam_beta2"] = from.at("betas");
    return true;
}

//! The fields of Megatron's OptimizerConfig except the mode.
inline void read_megatron_fields(const section& from, settings& s, dtype_vocabulary words) {
    setting_reader read(s, from);
    read.text(s.optimizer, "optimizer");
    read.number(s.lr, "lr");
    read.number(s.min_lr, "min_lr");
    read.number_or_infinity(s.clip_grad, "clip_grad");
    read.number(s.weight_decay, "weight_decay");
    read.number(s.adam_beta1, "adam_beta1");
    read.number(s.adam_beta2, "adam_beta2");
    read.number(s.adam_eps, "adam_eps");
    read.boolean(s.decoupled_weight_decay, "decoupled_weight_decay");
    read.number_or_infinity(s.grad_norm_skip_threshold, "grad_norm_skip_threshold");
    read.boolean(s.use_precision_aware_optimizer, "use_precision_aware_optimizer");
    read.boolean(s.store_param_remainders, "store_param_remainders");
    // A bf16 master is refused by its rule, which knows better words than a list does.
    read.kind(s.main_params_dtype, "main_params_dtype", words);
    read.kind(s.main_grads_dtype, "main_grads_dtype", words);
    read.kind(s.exp_avg_dtype, "exp_avg_dtype", words);
    read.kind(s.exp_avg_sq_dtype, "exp_avg_sq_dtype", words);
    read_loss_scaler(from, s);
    read.boolean(s.use_distributed_optimizer, "use_distributed_optimizer");
}

//! Reads what the caller or the file says about the bucket, and derives its dtype.
inline void read_bucket(const config& c, const section* sibling, const reference_resolver& references,
                        settings& s, bool narrow_by_plain_keys) {
    const auto read = [&](const section& ddp) {
        if (const auto flag = ddp.boolean("grad_reduce_in_fp32")) {
            s.grad_reduce_in_fp32 = flag;
            s.places["grad_reduce_in_fp32"] = ddp.at("grad_reduce_in_fp32");
        }
    };
    if (sibling != nullptr) {
        if (const node_ptr map = sibling->value_or_null("override_ddp_config"))
            read(section(map, references.home(), sibling->path() + ".override_ddp_config", ddp_keys,
                         references, s.warnings));
    }
    if (!c.options.override_ddp_config.empty()) {
        const config given = load_text(c.options.override_ddp_config, "override_ddp_config (argument)");
        const reference_resolver own(given.root);
        read(section(given.section, {}, "", ddp_keys, own, s.warnings));
    }
    s.grad_bucket = s.grad_reduce_in_fp32.value_or(!narrow_by_plain_keys) ? dtype::fp32 : s.params_dtype;
    if (s.grad_reduce_in_fp32 || s.grad_bucket == s.main_grads_dtype) return;
    const auto said = [](dtype kind) { return std::string(adamant::to_string(kind)); };
    if (s.grad_bucket != dtype::fp32) {
        s.warnings.push_back(to_string(s.place_of("main_grads_dtype")) + "the gradient bucket would be " +
                             said(s.grad_bucket) + " while main_grads is " + said(s.main_grads_dtype) +
                             "; it is fp32.");
        s.grad_bucket = dtype::fp32;
    } else {
        s.warnings.push_back(to_string(s.place_of("main_grads_dtype")) +
                             "the gradient bucket is fp32 while main_grads is " + said(s.main_grads_dtype) +
                             ".");
    }
}

}  // namespace adamant::inline v0::yaml::detail
