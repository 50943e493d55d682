// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What was written about a policy, before defaults: the half-way house between words and policy_spec.
#pragma once

#include <optional>

#include <adamant/policy/policy_spec.hpp>

namespace adamant::inline v0 {

struct written_field {
    std::optional<dtype> kind{};
    std::optional<rounding> how{};
};

struct policy_words {
    std::optional<dtype> mode{};
    bool precision_aware = false;
    written_field main_params{};
    std::optional<dtype> main_grads{};
    written_field exp_avg{};
    written_field exp_avg_sq{};
    std::optional<dtype> bucket{};
    std::optional<bool> grad_reduce_in_fp32{};
    bool mode_repeated = false;
    bool option_repeated = false;
    bool unknown_option = false;
};

//! Fills in what was not written (policy/options.hpp says with what).
constexpr policy_spec with_defaults(const policy_words& words) {
    const auto field = [](const written_field& written, stored_as unwritten) {
        stored_as result = written.kind ? stored_by_default(*written.kind) : unwritten;
        if (written.how) result.how = *written.how;
        return result;
    };
    policy_spec spec;
    spec.mode = words.mode.value_or(dtype::bf16);
    spec.precision_aware = words.precision_aware;
    spec.main_params = field(words.main_params, default_main_params(spec.mode, spec.precision_aware));
    // fp32 weights need no rounding: there none is their own exact master.
    if (spec.mode == dtype::fp32 && spec.main_params.kind == dtype::none && !words.main_params.how)
        spec.main_params.how = rounding::exact;
    spec.main_grads = words.main_grads.value_or(dtype::fp32);
    spec.exp_avg = field(words.exp_avg, stored_as{});
    spec.exp_avg_sq = field(words.exp_avg_sq, stored_as{});
    if (words.bucket) spec.grad_bucket = *words.bucket;
    else if (!words.grad_reduce_in_fp32) spec.grad_bucket = default_bucket(spec.mode, spec.main_grads);
    else spec.grad_bucket = *words.grad_reduce_in_fp32 ? dtype::fp32 : spec.mode;
    // Remembered only where it matters, so that two ways of saying one policy stay equal.
    spec.narrow_bucket = words.grad_reduce_in_fp32 == false && has_narrow_bucket(spec);
    return spec;
}

}  // namespace adamant::inline v0
