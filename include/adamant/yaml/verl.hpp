// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! verl: McoreOptimizerConfig and what stands beside it.
//!
//! The mode decides what the plain keys mean, and override_optimizer_config wins over both:
//!   fp16   precision-aware on, remainders off, everything fp32, loss scaler from 32768
//!   bf16   precision-aware as switched; only then the three dtype keys count
//!   fp32   precision-aware off, everything fp32
//! The gradient bucket is fp32 unless precision-aware is on with main_grads below fp32, or
//! override_ddp_config says so.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <adamant/yaml/setting_reader.hpp>

namespace adamant::inline v0::yaml::detail {

//! The warm-up and decay of verl's scheduler; steps as trainers count them.
inline void read_verl_schedule(const config& c, const section& from, settings& s) {
    setting_reader read(s, from);
    s.has_schedule = true;
    read.number(s.lr_warmup_init, "lr_warmup_init");
    read.integer(s.total_training_steps, "total_training_steps");
    if (c.options.total_training_steps) s.total_training_steps = *c.options.total_training_steps;
    s.lr_decay_steps = s.total_training_steps;
    read.integer(s.lr_decay_steps, "lr_decay_steps");
    std::int64_t steps = -1;
    double ratio = 0;
    read.integer(steps, "lr_warmup_steps");
    read.number(ratio, "lr_warmup_steps_ratio");
    if (steps > 0) {
        s.lr_warmup_steps = steps;
    } else {
        const double warmup = ratio * static_cast<double>(s.lr_decay_steps);
        if (!(std::abs(warmup) < 0x1p62))
            throw located_error(
                from.at("lr_warmup_steps_ratio"),
                "[adamant] the warm-up is a part of the decay steps: write a ratio from 0 to 1.");
        s.lr_warmup_steps = static_cast<std::int64_t>(warmup);
        if (s.places.contains("lr_warmup_steps_ratio"))
            s.places["lr_warmup_steps"] = s.places["lr_warmup_steps_ratio"];
    }
    read.text(s.lr_decay_style, "lr_decay_style");
    read.text(s.lr_wsd_decay_style, "lr_wsd_decay_style");
    s.lr_wsd_decay_steps = from.integer("lr_wsd_decay_steps");
    if (from.has("lr_wsd_decay_steps")) s.places["lr_wsd_decay_steps"] = from.at("lr_wsd_decay_steps");
    read.text(s.weight_decay_incr_style, "weight_decay_incr_style");
}

//! The map beside the section in which verl keeps the model's side: <parent>.megatron.
inline std::optional<section> verl_sibling(const config& c, const reference_resolver& references,
                                           settings& s) {
    if (c.ancestors.empty()) return std::nullopt;
    const entry* beside = c.ancestors.back()->find("megatron");
    if (beside == nullptr || beside->value->kind == node::type::null) return std::nullopt;
    const auto dot = c.path.rfind('.');
    const std::string path = (dot == std::string::npos ? "" : c.path.substr(0, dot + 1)) + "megatron";
    const node_ptr map = references.resolve(beside->value, c.ancestors, {beside->where, path, ""});
    // Other keys there are the model's, but one that is nearly ours is probably meant to be.
    std::vector<std::string_view> ours;
    for (const known_key& key : verl_sibling_keys)
        if (key.use == key_use::read) ours.push_back(key.name);
    for (const entry& e : map->entries)
        if (const auto near = nearest_word(e.key, ours); !near.empty() && near != e.key)
            s.warnings.push_back(to_string(place{e.where, path + "." + e.key, ""}) +
                                 "is not read; do you mean " + std::string(near) + "?");
    return section(map, references.home(), path, verl_sibling_keys, references, s.warnings);
}

inline settings read_verl(const config& c) {
    settings s;
    s.places[""] = {c.section->where, c.path, ""};
    const reference_resolver references(c.root);
    const section optim(c.section, c.ancestors, c.path, verl_keys, references, s.warnings);
    const std::optional<section> sibling = verl_sibling(c, references, s);
    std::optional<section> overrides;
    if (const node_ptr map = optim.value_or_null("override_optimizer_config")) {
        overrides.emplace(map, references.home(),
                          (c.path.empty() ? "" : c.path + ".") + "override_optimizer_config", megatron_keys,
                          references, s.warnings);
    }

    dtype mode = dtype::bf16;
    if (sibling) mode = read_dtype(*sibling, "dtype", {mode_words}).value_or(mode);
    if (c.options.mode) mode = *c.options.mode;
    if (overrides) {
        const dtype before = std::exchange(mode, mode_by_flags(*overrides, mode));
        if (c.options.mode && mode != before)
            s.warnings.push_back(to_string(overrides->at(mode == dtype::fp16 ? "fp16" : "bf16")) +
                                 "the mode is " + std::string(adamant::to_string(mode)) + ", not " +
                                 std::string(adamant::to_string(before)) + " as the caller said.");
    }
    set_mode(s, mode);

    setting_reader read(s, optim);
    read.text(s.optimizer, "optimizer");
    read.number(s.lr, "lr");
    read.number(s.min_lr, "min_lr");
    read.number_or_infinity(s.clip_grad, "clip_grad");
    if (read.take(s.clip_grad, "clip_grad", "grad_clip", optim.number_or_infinity("grad_clip")))
        s.warnings.push_back(to_string(optim.at("grad_clip")) +
                             "grad_clip is deprecated and wins over clip_grad: write clip_grad.");
    read.number(s.weight_decay, "weight_decay");
    const bool betas = read_betas(optim, s);
    read.boolean(s.use_checkpoint_opt_param_scheduler, "use_checkpoint_opt_param_scheduler");
    if (optim.boolean("use_layer_wise_distributed_optimizer") == true)
        throw located_error(optim.at("use_layer_wise_distributed_optimizer"),
                            "[adamant] state is sharded by elements, not by layers: write false.");

    // The plain keys, each read in every mode so that a wrong word is found, and used where the mode lets
    // them.
    bool switched = false;
    read.boolean(switched, "use_precision_aware_optimizer");
    struct plain {
        std::string_view key;
        dtype* field;
        std::optional<dtype> written{};
    };
    std::array<plain, 3> dtypes{{{"main_grads_dtype", &s.main_grads_dtype},
                                 {"exp_avg_dtype", &s.exp_avg_dtype},
                                 {"exp_avg_sq_dtype", &s.exp_avg_sq_dtype}}};
    for (plain& p : dtypes) {
        p.written = read_dtype(optim, p.key, {verl_words});
        if (p.written) s.places[std::string(p.key)] = optim.at(p.key);
    }
    s.use_precision_aware_optimizer = mode == dtype::fp16 || (mode == dtype::bf16 && switched);
    if (mode == dtype::fp16) {
        s.store_param_remainders = false;
        s.loss_scaler.initial_loss_scale = 32768;
    }
    for (const plain& p : dtypes) {
        if (mode == dtype::bf16 && switched) *p.field = p.written.value_or(dtype::fp32);
        else if (p.written && *p.written != dtype::fp32)
            s.warnings.push_back(to_string(optim.at(p.key)) + "has no effect " +
                                 (mode == dtype::bf16 ? "without use_precision_aware_optimizer"
                                                      : "in mode " + std::string(adamant::to_string(mode))) +
                                 ": the field is fp32.");
    }

    if (c.options.use_distributed_optimizer)
        s.use_distributed_optimizer = *c.options.use_distributed_optimizer;
    else if (sibling)
        setting_reader(s, *sibling).boolean(s.use_distributed_optimizer, "use_distributed_optimizer");
    const double beta1_without = 0.9, beta2_without = 0.999;
    double megatron_beta1 = beta1_without, megatron_beta2 = beta2_without;
    if (overrides) {
        read_megatron_fields(*overrides, s, {megatron_words});
        if (const auto params = read_dtype(*overrides, "params_dtype", {mode_words});
            params && *params != mode)
            s.warnings.push_back(to_string(overrides->at("params_dtype")) + "has no effect: the mode is " +
                                 std::string(adamant::to_string(mode)) + ".");
        megatron_beta1 = overrides->number("adam_beta1").value_or(beta1_without);
        megatron_beta2 = overrides->number("adam_beta2").value_or(beta2_without);
    }
    if (betas && (s.adam_beta1 != megatron_beta1 || s.adam_beta2 != megatron_beta2))
        s.warnings.push_back(to_string(optim.at("betas")) +
                             "betas are used here; verl does not hand them to Adam, which would run with its "
                             "own adam_beta1 and adam_beta2.");
    read_verl_schedule(c, optim, s);
    const bool narrow = switched && dtypes[0].written.value_or(dtype::fp32) != dtype::fp32;
    read_bucket(c, sibling ? &*sibling : nullptr, references, s, narrow);
    return s;
}

}  // namespace adamant::inline v0::yaml::detail
