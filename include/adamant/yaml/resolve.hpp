// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! resolve: from settings to a policy and the numbers of a training, judged by the same rules as types are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <adamant/optimizer/any_optimizer.hpp>
#include <adamant/step/soundness.hpp>
#include <adamant/yaml/dialects.hpp>

namespace adamant::inline v0::yaml {

//! What a configuration resolves to.
struct resolution {
    policy_spec policy{};
    hyperparameters hyper{};
    std::optional<loss_scaler_settings> loss_scaler{};  //!< none where the mode needs none
    yaml::settings settings{};                          //!< the same in Megatron's words
    std::vector<std::string> warnings{};
    //! Soundness rules that the policy breaks with these numbers, and may: by name, or by the dialect.
    std::vector<std::string> accepted{};

    //! The learning-rate schedule, nothing in a dialect without one. Apart from the rest: a policy resolves
    //! before the number of training steps is known, a schedule does not. Throws located_error.
    std::optional<class schedule> schedule() const;
};

namespace detail {

//! The keys in which each part of a policy may have been written.
inline std::string_view key_of(policy_field about) {
    switch (about) {
        case policy_field::mode: return "mode";
        case policy_field::main_params: return "main_params_dtype";
        case policy_field::main_grads: return "main_grads_dtype";
        case policy_field::exp_avg: return "exp_avg_dtype";
        case policy_field::exp_avg_sq: return "exp_avg_sq_dtype";
        case policy_field::bucket: return "grad_reduce_in_fp32";
        case policy_field::options: break;
    }
    return "";
}

//! store_param_remainders means remainder16 for bf16 weights with an fp32 master; mode fp32 has no master,
//! and a master of fp32 or fp16 asked for there has no effect.
inline stored_as main_params_of(const settings& s) {
    if (!s.use_precision_aware_optimizer && s.main_params_dtype != dtype::fp32)
        return stored_by_default(s.main_params_dtype);
    if (s.params_dtype == dtype::fp32 && s.main_params_dtype != dtype::bf16)
        return {dtype::none, rounding::exact};
    const bool remainder =
        s.params_dtype == dtype::bf16 && s.use_precision_aware_optimizer && s.store_param_remainders;
    return stored_by_default(remainder && s.main_params_dtype == dtype::fp32 ? dtype::remainder16
                                                                             : s.main_params_dtype);
}

inline policy_spec spec_of(const settings& s) {
    policy_spec spec{.mode = s.params_dtype,
                     .precision_aware = s.use_precision_aware_optimizer,
                     .main_params = main_params_of(s),
                     .main_grads = s.main_grads_dtype,
                     .exp_avg = stored_by_default(s.exp_avg_dtype),
                     .exp_avg_sq = stored_by_default(s.exp_avg_sq_dtype),
                     .grad_bucket = s.grad_bucket};
    spec.narrow_bucket = s.grad_reduce_in_fp32 == false && has_narrow_bucket(spec);
    return spec;
}

//! A policy of our own dialect in the fields that the others have.
inline void say_in_megatrons_words(const policy_spec& spec, settings& s) {
    s.params_dtype = spec.mode;
    s.fp16 = spec.mode == dtype::fp16;
    s.bf16 = spec.mode == dtype::bf16;
    s.use_precision_aware_optimizer = spec.precision_aware;
    s.store_param_remainders = spec.main_params.kind == dtype::remainder16;
    s.main_params_dtype = spec.main_params.kind;
    s.main_grads_dtype = spec.main_grads;
    s.exp_avg_dtype = spec.exp_avg.kind;
    s.exp_avg_sq_dtype = spec.exp_avg_sq.kind;
    s.grad_bucket = spec.grad_bucket;
}

template <class Style, std::size_t N>
Style style_named(const std::array<style_name<Style>, N>& styles, const settings& s, std::string_view key,
                  const std::string& name) {
    std::vector<std::string_view> words;
    for (const auto& style : styles) {
        if (style.name == name) return style.style;
        words.push_back(style.name);
    }
    throw located_error(s.place_of(key), "[adamant] this style is " + list_words(words) +
                                             ": write one of these, case matters.");
}

//! Settings that are legal and do not do what they seem to.
inline void add_notes(const settings& s, std::vector<std::string>& warnings) {
    const auto note = [&](std::string_view key, const std::string& text) {
        if (s.places.contains(key)) warnings.push_back(to_string(s.place_of(key)) + text);
    };
    const bool can_split = s.params_dtype == dtype::bf16 && s.use_precision_aware_optimizer &&
                           s.main_params_dtype == dtype::fp32;
    if (s.store_param_remainders && !can_split)
        note("store_param_remainders",
             "has no effect: remainders are kept for bf16 weights with precision-aware on and an fp32 "
             "master.");
    if (s.params_dtype == dtype::fp32)
        note("main_params_dtype", "has no effect: fp32 weights have no master.");
    if (s.params_dtype == dtype::fp32 && s.grad_reduce_in_fp32 == false)
        note("grad_reduce_in_fp32", "has no effect: gradients of fp32 weights are fp32.");
}

}  // namespace detail

inline std::optional<class schedule> resolution::schedule() const {
    const yaml::settings& s = settings;
    if (!s.has_schedule) return std::nullopt;
    const auto style = detail::style_named(lr_decay_styles, s, "lr_decay_style", s.lr_decay_style);
    const auto wsd_style =
        detail::style_named(wsd_decay_styles, s, "lr_wsd_decay_style", s.lr_wsd_decay_style);
    const auto incr_style =
        detail::style_named(wd_incr_styles, s, "weight_decay_incr_style", s.weight_decay_incr_style);
    try {
        return adamant::schedule({.lr = s.lr,
                                  .min_lr = s.min_lr,
                                  .lr_warmup_init = s.lr_warmup_init,
                                  .lr_warmup_steps = s.lr_warmup_steps,
                                  .lr_decay_steps = s.lr_decay_steps,
                                  .style = style,
                                  .wsd_style = wsd_style,
                                  .lr_wsd_decay_steps = s.lr_wsd_decay_steps,
                                  .start_weight_decay = s.weight_decay,
                                  .end_weight_decay = s.weight_decay,
                                  .weight_decay_incr_style = incr_style,
                                  .weight_decay_incr_steps = s.total_training_steps});
    } catch (const schedule_error& e) { throw located_error(s.place_of(e.key()), e.what()); }
}

//! Judges a configuration. Throws located_error, whose sentence is the broken rule's, at the place where the
//! setting was written.
inline resolution resolve(const config& c) {
    resolution r;
    r.settings = read_settings(c);
    const settings& s = r.settings;
    r.warnings = s.warnings;
    if (s.optimizer != "adam")
        throw located_error(
            s.place_of("optimizer"),
            "[adamant] the optimizer is adam: write adam, in lower case; others are not here.");
    if (s.use_precision_aware_optimizer && !s.use_distributed_optimizer)
        throw located_error(
            s.place_of("use_distributed_optimizer"),
            "[adamant] precision-aware needs the distributed optimizer (mode fp16 is precision-aware): write "
            "use_distributed_optimizer: true, a single process is a shard of one.");
    r.policy = s.words ? with_defaults(*s.words) : detail::spec_of(s);
    if (const auto broken = s.words ? first_broken(*s.words) : first_broken(r.policy)) {
        policy_field about = broken->about;
        // One sentence speaks for both moments.
        if (about == policy_field::exp_avg && rules::known_moments::is_moment(r.policy.exp_avg.kind) &&
            !rules::known_moments::is_moment(r.policy.exp_avg_sq.kind))
            about = policy_field::exp_avg_sq;
        throw located_error(s.place_of(detail::key_of(about)), std::string(broken->sentence));
    }
    r.hyper = {.lr = s.lr,
               .beta1 = s.adam_beta1,
               .beta2 = s.adam_beta2,
               .eps = s.adam_eps,
               .weight_decay = s.weight_decay,
               .bias_correction = s.bias_correction,
               .decoupled = s.decoupled_weight_decay,
               .clip_grad = s.clip_grad,
               .grad_norm_skip_threshold = s.grad_norm_skip_threshold,
               .seed = s.seed};
    if (const auto broken = first_broken(r.hyper)) {
        std::string key(broken->key);
        if (key == "beta1" || key == "beta2" || key == "eps") key = "adam_" + key;
        throw located_error(s.place_of(key), std::string(broken->sentence));
    }
    if (r.policy.mode == dtype::fp16 || s.loss_scaler.loss_scale) {
        r.loss_scaler = s.loss_scaler;
        try {
            (void)adamant::loss_scaler(s.loss_scaler);
        } catch (const config_error& e) {
            const std::string_view sentence = e.what();
            const auto begin = sentence.find(' ') + 1;
            throw located_error(s.place_of(sentence.substr(begin, sentence.find(' ', begin) - begin)),
                                e.what());
        }
    }
    if (s.words) detail::say_in_megatrons_words(r.policy, r.settings);
    else detail::add_notes(s, r.warnings);
    // Legal in verl and Megatron, where a warning names the key and the better choice; an error in our own
    // dialect, unless the configuration accepts it by name.
    all_soundness_rules::for_each([&]<class Rule>(std::type_identity<Rule>) {
        if (Rule::holds(r.policy, r.hyper)) return;
        const place where = s.place_of(detail::key_of(Rule::about));
        const bool accepted = std::ranges::find(s.accepted, Rule::name) != s.accepted.end();
        if (s.words && !accepted)
            throw located_error(where, std::string(Rule::sentence) + " To train so all the same: accept: [" +
                                           std::string(Rule::name) + "].");
        r.warnings.push_back(to_string(where) + std::string(Rule::sentence));
        r.accepted.emplace_back(Rule::name);
    });
    return r;
}

//! The optimizer that a configuration describes, with its loss scaler and schedule; what was a warning there
//! is accepted. With cuda::memory (and adamant/cuda/adam.hpp) tensors are in device memory. Errors:
//! config_error (the schedule's included; a policy that is not in the catalogue) and shape_error.
template <class Catalogue, memory Memory = host_memory>
any_optimizer make_optimizer(const resolution& r, std::span<const tensor_info> tensors,
                             std::span<const param_view> params, optimizer_options options = {},
                             Memory memory = {}) {
    if (!options.loss_scaler) options.loss_scaler = r.loss_scaler;
    options.accept.insert(options.accept.end(), r.accepted.begin(), r.accepted.end());
    return adamant::make_optimizer<Catalogue>(r.policy, tensors, params, r.hyper, options, r.schedule(), 1,
                                              std::move(memory));
}

template <class Catalogue, memory Memory = host_memory>
any_optimizer make_optimizer(const config& c, std::span<const tensor_info> tensors,
                             std::span<const param_view> params, optimizer_options options = {},
                             Memory memory = {}) {
    return yaml::make_optimizer<Catalogue>(resolve(c), tensors, params, std::move(options),
                                           std::move(memory));
}

}  // namespace adamant::inline v0::yaml
