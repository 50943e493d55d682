// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! dialects: the keys of verl's and Megatron's configurations, read into settings.
//!
//! In verl the mode decides what the plain keys mean, and overrides win over both:
//!   fp16   precision-aware on, remainders off, everything fp32, loss scaler from 32768
//!   bf16   precision-aware as switched; only then the three dtype keys count
//!   fp32   precision-aware off, everything fp32
//! The gradient bucket is fp32 unless precision-aware is on with main_grads below fp32, or override_ddp_config
//! says so.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <adamant/yaml/config.hpp>
#include <adamant/yaml/settings.hpp>

namespace adamant::inline v0::yaml {

namespace detail {

inline constexpr known_key verl_keys[] = {
    {"optimizer"}, {"lr"}, {"min_lr"}, {"clip_grad"}, {"grad_clip"}, {"weight_decay"}, {"betas"},
    {"lr_warmup_init"}, {"lr_warmup_steps"}, {"lr_warmup_steps_ratio"}, {"lr_decay_steps"}, {"total_training_steps"},
    {"lr_decay_style"}, {"weight_decay_incr_style"}, {"lr_wsd_decay_style"}, {"lr_wsd_decay_steps"},
    {"use_checkpoint_opt_param_scheduler"}, {"use_precision_aware_optimizer"},
    {"main_grads_dtype"}, {"exp_avg_dtype"}, {"exp_avg_sq_dtype"}, {"override_optimizer_config"},
    {"use_layer_wise_distributed_optimizer"}, {"use_layer_wise_*", key_use::ignored},
    {"muon_*", key_use::ignored}, {"_target_", key_use::ignored},
};

//! Megatron-Core's OptimizerConfig (0.20): the override map in verl, the section in the megatron dialect.
inline constexpr known_key megatron_keys[] = {
    {"optimizer"}, {"lr"}, {"min_lr"}, {"clip_grad"}, {"weight_decay"},
    {"adam_beta1"}, {"adam_beta2"}, {"adam_eps"}, {"decoupled_weight_decay"}, {"grad_norm_skip_threshold"},
    {"fp16"}, {"bf16"}, {"params_dtype"}, {"use_precision_aware_optimizer"}, {"store_param_remainders"},
    {"main_params_dtype"}, {"main_grads_dtype"}, {"exp_avg_dtype"}, {"exp_avg_sq_dtype"},
    {"loss_scale"}, {"initial_loss_scale"}, {"min_loss_scale"}, {"loss_scale_window"}, {"hysteresis"},
    {"use_distributed_optimizer"}, {"_target_", key_use::ignored},
    {"optimizer_cpu_offload", key_use::without_effect}, {"optimizer_offload_fraction", key_use::without_effect},
    {"use_torch_optimizer_for_cpu_offload", key_use::without_effect}, {"overlap_cpu_optimizer_d2h_h2d", key_use::without_effect},
    {"pin_cpu_grads", key_use::without_effect}, {"pin_cpu_params", key_use::without_effect},
    {"sgd_momentum", key_use::without_effect}, {"muon_*", key_use::without_effect},
    {"overlap_param_gather", key_use::without_effect}, {"overlap_param_gather_with_optimizer_step", key_use::without_effect},
    {"decoupled_lr", key_use::without_effect}, {"decoupled_min_lr", key_use::without_effect},
    {"log_num_zeros_in_grad", key_use::without_effect}, {"barrier_with_L1_time", key_use::without_effect},
    {"timers", key_use::without_effect}, {"config_logger_dir", key_use::without_effect},
    {"fp8_recipe", key_use::without_effect}, {"use_megatron_fsdp", key_use::without_effect},
    {"reuse_grad_buf_for_mxfp8_param_ag", key_use::without_effect}, {"use_layer_wise_distributed_optimizer", key_use::without_effect},
    // A schedule or a bucket would train something else if it were dropped silently.
    {"lr_scheduler", key_use::refused}, {"scheduler", key_use::refused}, {"lr_decay_*", key_use::refused},
    {"lr_warmup_*", key_use::refused}, {"lr_wsd_*", key_use::refused}, {"wsd_decay_*", key_use::refused},
    {"train_iters", key_use::refused}, {"train_samples", key_use::refused},
    {"start_weight_decay", key_use::refused}, {"end_weight_decay", key_use::refused},
    {"weight_decay_incr_style", key_use::refused}, {"wd_incr_steps", key_use::refused},
    {"distributed_data_parallel_config", key_use::refused}, {"override_ddp_config", key_use::refused},
};

//! Megatron-Core's DistributedDataParallelConfig.
inline constexpr known_key ddp_keys[] = {
    {"grad_reduce_in_fp32"}, {"_target_", key_use::ignored},
    {"bucket_size", key_use::without_effect}, {"overlap_grad_reduce", key_use::without_effect},
    {"overlap_param_gather", key_use::without_effect}, {"align_param_gather", key_use::without_effect},
    {"use_distributed_optimizer", key_use::without_effect}, {"num_distributed_optimizer_instances", key_use::without_effect},
    {"check_for_nan_in_grad", key_use::without_effect}, {"check_for_large_grads", key_use::without_effect},
    {"pad_buckets_for_high_nccl_busbw", key_use::without_effect}, {"reduce_scatter_with_fp32_accumulation", key_use::without_effect},
    {"average_in_collective", key_use::without_effect}, {"fp8_param_gather", key_use::without_effect},
    {"reuse_grad_buf_for_mxfp8_param_ag", key_use::without_effect}, {"use_megatron_fsdp", key_use::without_effect},
    {"use_custom_fsdp", key_use::without_effect}, {"data_parallel_sharding_strategy", key_use::without_effect},
    {"gradient_reduce_div_fusion", key_use::without_effect}, {"suggested_communication_unit_size", key_use::without_effect},
    {"preserve_fp32_weights", key_use::without_effect}, {"keep_fp8_transpose_cache", key_use::without_effect},
    {"nccl_ub", key_use::without_effect}, {"fsdp_double_buffer", key_use::without_effect},
    {"delay_wgrad_compute", key_use::without_effect}, {"outer_dp_sharding_strategy", key_use::without_effect},
};

//! verl keeps the model's side of things in <parent>.megatron; what else stands there is not the optimizer's.
inline constexpr known_key verl_sibling_keys[] = {
    {"dtype"}, {"use_distributed_optimizer"}, {"override_ddp_config"}, {"*", key_use::ignored},
};

//! Which words a dtype may be written with.
enum class dtype_words { verl, megatron, megatron_or_torch, params };

//! The dtype of a key, nothing where the key is missing. null is an error: it is not clear what it would mean.
inline std::optional<dtype> read_dtype(const section& from, std::string_view key, dtype_words words) {
    struct word {
        std::string_view text;
        dtype kind;
    };
    static constexpr word known[] = {{"fp32", dtype::fp32}, {"float32", dtype::fp32}, {"32", dtype::fp32},
                                     {"bf16", dtype::bf16}, {"bfloat16", dtype::bf16},
                                     {"fp16", dtype::fp16}, {"fp8", dtype::fp8}, {"float16", dtype::fp16}, {"uint8", dtype::fp8}};
    const node_ptr value = from.value(key);
    if (value == nullptr) return std::nullopt;
    std::string text = value->kind == node::type::scalar ? value->text : "";
    bool torch = false;
    if (words == dtype_words::megatron_or_torch || words == dtype_words::params) {
        if (value->kind == node::type::map && value->find("_target_") != nullptr && value->find("_target_")->value->text.starts_with("torch."))
            text = value->find("_target_")->value->text;
        torch = text.starts_with("torch.");
        if (torch) text.erase(0, 6);
    }
    // fp16 and fp8 are Megatron's; torch has other names for them.
    const std::size_t count = words == dtype_words::verl ? 5 : words == dtype_words::megatron ? 7 : words == dtype_words::params ? 8 : torch ? 9 : 7;
    for (std::size_t i = 0; i < count; ++i)
        if (known[i].text == text && !(words == dtype_words::params && known[i].kind == dtype::fp8)) return known[i].kind;
    std::string allowed = "fp32, float32, 32, bf16 or bfloat16";
    if (words == dtype_words::megatron || words == dtype_words::megatron_or_torch) allowed = "fp32, float32, 32, bf16, bfloat16, fp16 or fp8";
    if (words == dtype_words::params) allowed = "fp32, float32, bf16, bfloat16, fp16 or float16";
    throw located_error(from.at(key), "[adamant] this dtype is " + allowed + ": write one of these, case matters.");
}

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
    bool number_or_infinity(double& setting, std::string_view key) { return take(setting, key, key, from_.number_or_infinity(key)); }
    bool integer(std::int64_t& setting, std::string_view key) { return take(setting, key, key, from_.integer(key)); }
    bool boolean(bool& setting, std::string_view key) { return take(setting, key, key, from_.boolean(key)); }
    bool kind(dtype& setting, std::string_view key, dtype_words words) { return take(setting, key, key, read_dtype(from_, key, words)); }

private:
    settings& s_;
    const section& from_;
};

inline void set_mode(settings& s, dtype mode) {
    s.params_dtype = mode;
    s.fp16 = mode == dtype::fp16;
    s.bf16 = mode == dtype::bf16;
}

//! The mode after the flags of a Megatron section: fp16 is tested first; flags that are false take a mode away.
inline dtype mode_by_flags(const section& from, dtype mode) {
    const auto fp16 = from.boolean("fp16"), bf16 = from.boolean("bf16");
    if (fp16 == true) return dtype::fp16;
    if (bf16 == true) return dtype::bf16;
    if ((mode == dtype::fp16 && fp16 == false) || (mode == dtype::bf16 && bf16 == false)) return dtype::fp32;
    return mode;
}

//! The fields of Megatron's OptimizerConfig except the mode.
inline void read_megatron_fields(const section& from, settings& s, dtype_words words) {
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
    double scale = 0;
    if (read.number(scale, "loss_scale")) s.loss_scaler.loss_scale = scale;
    read.number(s.loss_scaler.initial_loss_scale, "initial_loss_scale");
    read.number(s.loss_scaler.min_loss_scale, "min_loss_scale");
    read.integer(s.loss_scaler.loss_scale_window, "loss_scale_window");
    read.integer(s.loss_scaler.hysteresis, "hysteresis");
    read.boolean(s.use_distributed_optimizer, "use_distributed_optimizer");
}

//! Reads what the caller or the file says about the bucket, and derives its dtype.
inline void read_bucket(const config& c, const section* sibling, const reference_resolver& references, settings& s, bool narrow_by_plain_keys) {
    const auto read = [&](const section& ddp) {
        if (const auto flag = ddp.boolean("grad_reduce_in_fp32")) {
            s.grad_reduce_in_fp32 = flag;
            s.places["grad_reduce_in_fp32"] = ddp.at("grad_reduce_in_fp32");
        }
    };
    if (sibling != nullptr) {
        if (const node_ptr map = sibling->value_or_null("override_ddp_config"))
            read(section(map, c.ancestors, sibling->path() + ".override_ddp_config", ddp_keys, references, s.warnings));
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
        s.warnings.push_back(to_string(s.place_of("main_grads_dtype")) + "the gradient bucket would be " + said(s.grad_bucket) +
                             " while main_grads is " + said(s.main_grads_dtype) + "; it is fp32.");
        s.grad_bucket = dtype::fp32;
    } else {
        s.warnings.push_back(to_string(s.place_of("main_grads_dtype")) + "the gradient bucket is fp32 while main_grads is " +
                             said(s.main_grads_dtype) + ".");
    }
}

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
            throw located_error(from.at("lr_warmup_steps_ratio"), "[adamant] the warm-up is a part of the decay steps: write a ratio from 0 to 1.");
        s.lr_warmup_steps = static_cast<std::int64_t>(warmup);
        if (s.places.contains("lr_warmup_steps_ratio")) s.places["lr_warmup_steps"] = s.places["lr_warmup_steps_ratio"];
    }
    read.text(s.lr_decay_style, "lr_decay_style");
    read.text(s.lr_wsd_decay_style, "lr_wsd_decay_style");
    s.lr_wsd_decay_steps = from.integer("lr_wsd_decay_steps");
    if (from.has("lr_wsd_decay_steps")) s.places["lr_wsd_decay_steps"] = from.at("lr_wsd_decay_steps");
    read.text(s.weight_decay_incr_style, "weight_decay_incr_style");
    (void)from.boolean("use_checkpoint_opt_param_scheduler");
}

//! The map beside the section in which verl keeps the model's side: <parent>.megatron.
inline std::optional<section> verl_sibling(const config& c, const reference_resolver& references, settings& s) {
    if (c.ancestors.empty()) return std::nullopt;
    const entry* beside = c.ancestors.back()->find("megatron");
    if (beside == nullptr || beside->value->kind == node::type::null) return std::nullopt;
    const auto dot = c.path.rfind('.');
    const std::string path = (dot == std::string::npos ? "" : c.path.substr(0, dot + 1)) + "megatron";
    const node_ptr map = references.resolve(beside->value, c.ancestors, {beside->where, path, ""});
    return section(map, c.ancestors, path, verl_sibling_keys, references, s.warnings);
}

inline settings read_verl(const config& c) {
    settings s;
    s.places[""] = {c.section->where, c.path, ""};
    const reference_resolver references(c.root);
    const section optim(c.section, c.ancestors, c.path, verl_keys, references, s.warnings);
    const std::optional<section> sibling = verl_sibling(c, references, s);
    std::optional<section> overrides;
    if (const node_ptr map = optim.value_or_null("override_optimizer_config")) {
        ancestry above = c.ancestors;
        above.push_back(c.section);
        overrides.emplace(map, above, (c.path.empty() ? "" : c.path + ".") + "override_optimizer_config", megatron_keys, references, s.warnings);
    }

    dtype mode = dtype::bf16;
    if (sibling) mode = read_dtype(*sibling, "dtype", dtype_words::params).value_or(mode);
    if (c.options.mode) mode = *c.options.mode;
    if (overrides) {
        const dtype before = std::exchange(mode, mode_by_flags(*overrides, mode));
        if (c.options.mode && mode != before)
            s.warnings.push_back(to_string(overrides->at(mode == dtype::fp16 ? "fp16" : "bf16")) + "the mode is " + std::string(adamant::to_string(mode)) +
                                 ", not " + std::string(adamant::to_string(before)) + " as the caller said.");
    }
    set_mode(s, mode);

    setting_reader read(s, optim);
    read.text(s.optimizer, "optimizer");
    read.number(s.lr, "lr");
    read.number(s.min_lr, "min_lr");
    read.number_or_infinity(s.clip_grad, "clip_grad");
    if (read.take(s.clip_grad, "clip_grad", "grad_clip", optim.number_or_infinity("grad_clip")))
        s.warnings.push_back(to_string(optim.at("grad_clip")) + "grad_clip is deprecated and wins over clip_grad: write clip_grad.");
    read.number(s.weight_decay, "weight_decay");
    const auto betas = optim.pair("betas");
    if (betas) {
        s.adam_beta1 = (*betas)[0];
        s.adam_beta2 = (*betas)[1];
        s.places["adam_beta1"] = s.places["adam_beta2"] = optim.at("betas");
    }
    if (optim.boolean("use_layer_wise_distributed_optimizer") == true)
        throw located_error(optim.at("use_layer_wise_distributed_optimizer"), "[adamant] state is sharded by elements, not by layers: write false.");

    // The plain keys, each read in every mode so that a wrong word is found, and used where the mode lets them.
    bool switched = false;
    read.boolean(switched, "use_precision_aware_optimizer");
    struct plain {
        std::string_view key;
        dtype* field;
        std::optional<dtype> written{};
    };
    std::array<plain, 3> dtypes{{{"main_grads_dtype", &s.main_grads_dtype}, {"exp_avg_dtype", &s.exp_avg_dtype}, {"exp_avg_sq_dtype", &s.exp_avg_sq_dtype}}};
    for (plain& p : dtypes) {
        p.written = read_dtype(optim, p.key, dtype_words::verl);
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
                                 (mode == dtype::bf16 ? "without use_precision_aware_optimizer" : "in mode " + std::string(adamant::to_string(mode))) + ": the field is fp32.");
    }

    if (c.options.use_distributed_optimizer) s.use_distributed_optimizer = *c.options.use_distributed_optimizer;
    else if (sibling) setting_reader(s, *sibling).boolean(s.use_distributed_optimizer, "use_distributed_optimizer");
    const double beta1_without = 0.9, beta2_without = 0.999;
    double megatron_beta1 = beta1_without, megatron_beta2 = beta2_without;
    if (overrides) {
        read_megatron_fields(*overrides, s, dtype_words::megatron);
        megatron_beta1 = overrides->number("adam_beta1").value_or(beta1_without);
        megatron_beta2 = overrides->number("adam_beta2").value_or(beta2_without);
    }
    if (betas && (s.adam_beta1 != megatron_beta1 || s.adam_beta2 != megatron_beta2))
        s.warnings.push_back(to_string(optim.at("betas")) + "betas are used here; verl does not hand them to Adam, which would run with its own adam_beta1 and adam_beta2.");
    read_verl_schedule(c, optim, s);
    const bool narrow = switched && dtypes[0].written.value_or(dtype::fp32) != dtype::fp32;
    read_bucket(c, sibling ? &*sibling : nullptr, references, s, narrow);
    return s;
}

//! A copy of a map whose keys are spelt as the configuration class does: --adam-beta1 is adam_beta1.
inline node_ptr with_underscores(const node_ptr& map) {
    if (map->kind != node::type::map) return map;
    auto copy = std::make_shared<node>(*map);
    for (entry& e : copy->entries) {
        if (e.key.starts_with("--")) e.key.erase(0, 2);
        std::ranges::replace(e.key, '-', '_');
    }
    for (std::size_t i = 0; i < copy->entries.size() && copy->problem.empty(); ++i)
        if (const entry* first = copy->find(copy->entries[i].key); first != &copy->entries[i]) {
            copy->problem = "[adamant] a key stands once in a map: '" + first->key + "' stands on line " + std::to_string(first->where.line) + " already.";
            copy->problem_where = copy->entries[i].where;
        }
    return copy;
}

inline settings read_megatron(const config& c) {
    settings s;
    s.places[""] = {c.section->where, c.path, ""};
    const reference_resolver references(c.root);
    const section from(with_underscores(c.section), c.ancestors, c.path, megatron_keys, references, s.warnings);
    dtype mode = c.options.mode.value_or(read_dtype(from, "params_dtype", dtype_words::params).value_or(dtype::bf16));
    mode = mode_by_flags(from, mode);
    set_mode(s, mode);
    if (c.options.use_distributed_optimizer) s.use_distributed_optimizer = *c.options.use_distributed_optimizer;
    if (mode == dtype::fp16) s.store_param_remainders = false;
    read_megatron_fields(from, s, dtype_words::megatron_or_torch);
    read_bucket(c, nullptr, references, s, s.use_precision_aware_optimizer && s.main_grads_dtype != dtype::fp32);
    return s;
}

}  // namespace detail

//! What a configuration says. Throws located_error for a key or value that is not allowed.
inline settings read_settings(const config& c) {
    return c.options.dialect == dialect::verl ? detail::read_verl(c) : detail::read_megatron(c);
}

}  // namespace adamant::inline v0::yaml
