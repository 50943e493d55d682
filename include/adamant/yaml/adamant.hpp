// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! adamant: our own dialect. It says all that a policy type can say, in the same words, and is strict: a word
//! without effect and an unsound pair of policy and numbers are errors.
//!
//!   mode, precision_aware, main_params_dtype, main_grads_dtype, exp_avg_dtype, exp_avg_sq_dtype,
//!   grad_reduce_in_fp32    the policy; dtypes by the names of the storage kinds
//!   rounding               nearest or stochastic, for every field that is rounded; left out, the kind
//!   decides,
//!                          and bf16 exp_avg_sq is stochastic
//!   seed                   of stochastic rounding
//!   accept                 soundness rules that are known to be broken, by name
//! and lr, min_lr, betas, eps, weight_decay, decoupled, bias_correction, clip_grad, grad_norm_skip_threshold,
//! the loss scaler's settings, and the schedule's keys of the verl dialect.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <adamant/policy/rules.hpp>
#include <adamant/step/soundness.hpp>
#include <adamant/yaml/verl.hpp>

namespace adamant::inline v0::yaml::detail {

inline constexpr known_key adamant_keys[] = {{"mode"},
                                             {"precision_aware"},
                                             {"main_params_dtype"},
                                             {"main_grads_dtype"},
                                             {"exp_avg_dtype"},
                                             {"exp_avg_sq_dtype"},
                                             {"grad_reduce_in_fp32"},
                                             {"rounding"},
                                             {"seed"},
                                             {"accept"},
                                             {"lr"},
                                             {"min_lr"},
                                             {"betas"},
                                             {"eps"},
                                             {"weight_decay"},
                                             {"decoupled"},
                                             {"bias_correction"},
                                             {"clip_grad"},
                                             {"grad_norm_skip_threshold"},
                                             {"loss_scale"},
                                             {"initial_loss_scale"},
                                             {"min_loss_scale"},
                                             {"loss_scale_window"},
                                             {"hysteresis"},
                                             {"total_training_steps"},
                                             {"lr_warmup_init"},
                                             {"lr_warmup_steps"},
                                             {"lr_warmup_steps_ratio"},
                                             {"lr_decay_steps"},
                                             {"lr_decay_style"},
                                             {"lr_wsd_decay_style"},
                                             {"lr_wsd_decay_steps"},
                                             {"weight_decay_incr_style"}};

//! The storage kinds by their own names. Which of them a field may have is the rules' to say.
inline constexpr auto kind_words = [] {
    std::array<dtype_word, all_dtypes.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = {to_string(all_dtypes[i]), all_dtypes[i]};
    return words;
}();

//! The rounding of a field that is rounded: what was written, else the dialect's own choice.
inline void round_field(written_field& field, std::optional<rounding> written, rounding bf16_rounding) {
    const dtype kind = field.kind.value_or(dtype::fp32);
    if (default_rounding(kind) == rounding::exact) return;
    if (written) field.how = written;
    else if (kind == dtype::bf16) field.how = bf16_rounding;
}

inline policy_words read_words(const config& c, const section& from, settings& s) {
    setting_reader read(s, from);
    policy_words words;
    dtype mode = dtype::bf16;
    if (read.kind(mode, "mode", {mode_words})) words.mode = mode;
    if (c.options.mode) words.mode = *c.options.mode;
    read.boolean(words.precision_aware, "precision_aware");
    const auto kind = [&](std::optional<dtype>& field, std::string_view key) {
        read.take(field, key, key, read_dtype(from, key, {kind_words}));
    };
    kind(words.main_params.kind, "main_params_dtype");
    kind(words.main_grads, "main_grads_dtype");
    kind(words.exp_avg.kind, "exp_avg_dtype");
    kind(words.exp_avg_sq.kind, "exp_avg_sq_dtype");
    read.take(words.grad_reduce_in_fp32, "grad_reduce_in_fp32", "grad_reduce_in_fp32",
              from.boolean("grad_reduce_in_fp32"));

    std::optional<rounding> how;
    if (const auto word = from.text("rounding")) {
        if (*word == to_string(rounding::nearest)) how = rounding::nearest;
        else if (*word == to_string(rounding::stochastic)) how = rounding::stochastic;
        else
            throw located_error(
                from.at("rounding"),
                "[adamant] rounding is nearest or stochastic: write one of them, or leave it out.");
    }
    round_field(words.main_params, how, rounding::nearest);
    round_field(words.exp_avg, how, rounding::nearest);
    round_field(words.exp_avg_sq, how, rounding::stochastic);
    if (how && !words.main_params.how && !words.exp_avg.how && !words.exp_avg_sq.how)
        throw located_error(
            from.at("rounding"),
            "[adamant] rounding has an effect where a field is rounded: remove it, or lower a field.");
    return words;
}

//! The names under accept; each is a soundness rule.
inline std::vector<std::string> read_accepted(const section& from) {
    constexpr auto known = all_soundness_rules::names;
    std::vector<std::string> accepted = from.words("accept");
    for (const std::string& name : accepted)
        if (std::ranges::find(known, name) == known.end())
            throw located_error(from.at("accept"),
                                "[adamant] accept names soundness rules: write " + list_words(known) + ".");
    return accepted;
}

inline settings read_adamant(const config& c) {
    settings s;
    s.places[""] = {c.section->where, c.path, ""};
    const reference_resolver references(c.root);
    const section from(c.section, c.ancestors, c.path, adamant_keys, references, s.warnings);
    s.words = read_words(c, from, s);
    s.accepted = read_accepted(from);

    setting_reader read(s, from);
    read.number(s.lr, "lr");
    read.number(s.min_lr, "min_lr");
    read_betas(from, s);
    read.take(s.adam_eps, "adam_eps", "eps", from.number("eps"));
    read.number(s.weight_decay, "weight_decay");
    read.take(s.decoupled_weight_decay, "decoupled_weight_decay", "decoupled", from.boolean("decoupled"));
    read.boolean(s.bias_correction, "bias_correction");
    read.number_or_infinity(s.clip_grad, "clip_grad");
    read.number_or_infinity(s.grad_norm_skip_threshold, "grad_norm_skip_threshold");
    if (const auto seed = from.integer("seed")) {
        if (*seed < 0)
            throw located_error(from.at("seed"),
                                "[adamant] a seed is not negative: write a whole number from 0.");
        s.seed = static_cast<std::uint64_t>(*seed);
    }
    read_loss_scaler(from, s);
    read_verl_schedule(c, from, s);
    return s;
}

}  // namespace adamant::inline v0::yaml::detail
