// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A policy as plain data: what a policy type says, what a YAML file yields, what the rules judge.
#pragma once

#include <optional>
#include <string>

#include <adamant/numerics/rounding.hpp>

namespace adamant::inline v0 {

//! A field's storage kind and how values are rounded into it.
struct stored_as {
    dtype kind = dtype::fp32;
    rounding how = default_rounding(dtype::fp32);

    friend constexpr bool operator==(stored_as, stored_as) = default;
};

constexpr stored_as stored_by_default(dtype kind) { return {kind, default_rounding(kind)}; }

struct policy_spec {
    dtype mode = dtype::bf16;  //!< the model's weights
    bool precision_aware = false;
    stored_as main_params{};
    dtype main_grads = dtype::fp32;
    stored_as exp_avg{};
    stored_as exp_avg_sq{};
    dtype grad_bucket = dtype::fp32;
    bool narrow_bucket =
        false;  //!< grad_reduce_in_fp32: false was given, so the bucket may be below main_grads

    friend constexpr bool operator==(const policy_spec&, const policy_spec&) = default;
};

//! The part of a policy that decides storage, to compare: the two switches that only give permission are set
//! aside. Policies with equal storage are the same instantiation.
constexpr policy_spec storage_of(policy_spec spec) {
    spec.precision_aware = false;
    spec.narrow_bucket = false;
    return spec;
}

//! Whether the bucket cannot hold every value of main_grads.
constexpr bool has_narrow_bucket(const policy_spec& spec) {
    return spec.grad_bucket != dtype::fp32 && spec.grad_bucket != spec.main_grads;
}

//! The bucket where none was asked for: main_grads, or fp32 where the weights' dtype differs from it.
constexpr dtype default_bucket(dtype mode, dtype main_grads) {
    return main_grads == mode ? main_grads : dtype::fp32;
}

//! The master where none was asked for: Megatron's (store_param_remainders is true there by default).
constexpr stored_as default_main_params(dtype mode, bool precision_aware) {
    if (mode == dtype::fp32) return {dtype::none, rounding::exact};
    return stored_by_default(mode == dtype::bf16 && precision_aware ? dtype::remainder16 : dtype::fp32);
}

//! Whether a field is stored group by group with one scale byte each.
constexpr bool has_group_scale(dtype kind) {
    return kind == dtype::fp16 || kind == dtype::fp8 || kind == dtype::fp8_fine;
}

//! Bytes per element of a field of the state, its share of the group scales included.
constexpr double state_bytes_per_element(dtype kind) {
    switch (kind) {
        case dtype::fp32: return 4;
        case dtype::bf16: return 2;
        case dtype::fp16: return 2 + 1.0 / 32;
        case dtype::fp8:
        case dtype::fp8_fine: return 1 + 1.0 / 32;
        case dtype::remainder16: return 2;
        case dtype::remainder8: return 1;
        case dtype::none: return 0;
    }
    return 0;
}

//! Persistent bytes per parameter: weight, gradient bucket and state.
constexpr double bytes_per_param(const policy_spec& spec) {
    return element_bytes(spec.mode) + element_bytes(spec.grad_bucket) +
           state_bytes_per_element(spec.main_params.kind) + state_bytes_per_element(spec.exp_avg.kind) +
           state_bytes_per_element(spec.exp_avg_sq.kind);
}

//! The policy in the words that a program writes: "policy<mode<bf16>, precision_aware, main_grads<bf16>>".
//! What has its default is left out.
inline std::string describe(const policy_spec& spec) {
    std::string text = "policy<mode<" + std::string(to_string(spec.mode)) + ">";
    const auto add = [&](const char* word, dtype kind, const char* how = "") {
        text.append(", ").append(word).append("<").append(to_string(kind)).append(how).append(">");
    };
    const auto add_rounded = [&](const char* word, stored_as field, stored_as unwritten) {
        if (field == unwritten) return;
        const bool as_by_default = field.how == default_rounding(field.kind) || field.how == rounding::exact;
        add(word, field.kind,
            as_by_default                    ? ""
            : field.how == rounding::nearest ? ", nearest"
                                             : ", stochastic");
    };
    if (spec.precision_aware) text += ", precision_aware";
    add_rounded("main_params", spec.main_params, default_main_params(spec.mode, spec.precision_aware));
    if (spec.main_grads != dtype::fp32) add("main_grads", spec.main_grads);
    add_rounded("exp_avg", spec.exp_avg, stored_as{});
    add_rounded("exp_avg_sq", spec.exp_avg_sq, stored_as{});
    if (spec.narrow_bucket && has_narrow_bucket(spec)) text += ", grad_reduce_in_fp32<false>";
    else if (spec.grad_bucket != default_bucket(spec.mode, spec.main_grads)) add("bucket", spec.grad_bucket);
    return text + ">";
}

}  // namespace adamant::inline v0
