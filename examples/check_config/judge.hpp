// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Verdicts on configurations as JSON: what check_config prints with --json and --rows.
#pragma once

#include <adamant/yaml/yaml.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace check_config {

using json = nlohmann::ordered_json;
using namespace adamant;

//! A number as JSON has it: infinity, which JSON cannot say, is the text "inf".
inline json number(double value) { return std::isinf(value) ? json("inf") : json(value); }

//! The settings in Megatron's words.
inline json resolved(const yaml::settings& s) {
    const auto name = [](dtype kind) { return std::string(to_string(kind)); };
    return {{"optimizer", s.optimizer},
            {"lr", number(s.lr)},
            {"min_lr", number(s.min_lr)},
            {"clip_grad", number(s.clip_grad)},
            {"weight_decay", number(s.weight_decay)},
            {"fp16", s.fp16},
            {"bf16", s.bf16},
            {"params_dtype", name(s.params_dtype)},
            {"use_precision_aware_optimizer", s.use_precision_aware_optimizer},
            {"store_param_remainders", s.store_param_remainders},
            {"main_grads_dtype", name(s.main_grads_dtype)},
            {"main_params_dtype", name(s.main_params_dtype)},
            {"exp_avg_dtype", name(s.exp_avg_dtype)},
            {"exp_avg_sq_dtype", name(s.exp_avg_sq_dtype)},
            {"loss_scale", s.loss_scaler.loss_scale ? json(*s.loss_scaler.loss_scale) : json(nullptr)},
            {"initial_loss_scale", s.loss_scaler.initial_loss_scale},
            {"min_loss_scale", s.loss_scaler.min_loss_scale},
            {"loss_scale_window", s.loss_scaler.loss_scale_window},
            {"hysteresis", s.loss_scaler.hysteresis},
            {"use_distributed_optimizer", s.use_distributed_optimizer},
            {"adam_beta1", s.adam_beta1},
            {"adam_beta2", s.adam_beta2},
            {"adam_eps", s.adam_eps},
            {"decoupled_weight_decay", s.decoupled_weight_decay}};
}

inline json accepted(const yaml::resolution& r) {
    return {{"verdict", "accept"},
            {"policy", describe(canonical(r.policy))},
            {"bytes_per_param", bytes_per_param(r.policy)},
            {"resolved", resolved(r.settings)},
            {"grad_bucket", std::string(to_string(r.policy.grad_bucket))},
            {"warnings", r.warnings}};
}

//! JSON as text; bytes of a file that are not UTF-8 are replaced.
inline std::string dump(const json& value, int indent = -1) {
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

inline json refused(const std::string& why, const std::string& where) {
    json result{{"verdict", "reject"}, {"why", why}};
    if (!where.empty()) result["where"] = where;
    result["warnings"] = json::array();
    return result;
}

//! A row's answer. The row's maps are read as YAML, of which JSON is a part.
inline json judge_row(const json& row, const std::string& name) {
    const auto flag = [&](const char* key, bool missing) {
        return row.contains(key) && !row[key].is_null() ? row[key].get<bool>() : missing;
    };
    yaml::load_options options;
    options.mode = flag("fp16", false) ? dtype::fp16 : flag("bf16", false) ? dtype::bf16 : dtype::fp32;
    options.use_distributed_optimizer = flag("use_distributed_optimizer", true);
    if (row.contains("override_ddp_config") && !row["override_ddp_config"].is_null())
        options.override_ddp_config = row["override_ddp_config"].dump();
    try {
        return accepted(yaml::resolve(yaml::load_text(row.at("optim").dump(), name, "", options)));
    } catch (const yaml::located_error& e) {
        return refused(e.sentence(), yaml::to_string(e.at().where));
    } catch (const error& e) { return refused(e.what(), ""); }
}

}  // namespace check_config
