// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The rules about storage once more, as tables drawn from resolution.md: what rules.hpp is held against.
//!
//! A letter is the rule that speaks, a dot is "allowed". Columns are the storage kinds in the order of dtype:
//! fp32 bf16 fp16 fp8 fp8_fine remainder16 remainder8 none.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

#include <adamant/policy/policy_spec.hpp>

namespace oracle {

using adamant::dtype;
using adamant::policy_spec;
using adamant::rounding;
using adamant::stored_as;

struct named_rule {
    char letter;
    std::string_view sentence_begins;
};

//! In the order in which they speak: first what a word can be, then permissions, then what goes together.
inline constexpr std::array speaking_order{
    named_rule{'O', "[adamant] mode is "},
    named_rule{'G', "[adamant] main_grads is "},
    named_rule{'P', "[adamant] main_params is "},
    named_rule{'M', "[adamant] exp_avg and exp_avg_sq are "},
    named_rule{'B', "[adamant] the bucket is fp32, "},
    named_rule{'g', "[adamant] without precision_aware main_grads is "},
    named_rule{'p', "[adamant] without precision_aware main_params is "},
    named_rule{'m', "[adamant] without precision_aware exp_avg is "},
    named_rule{'v', "[adamant] without precision_aware exp_avg_sq is "},
    named_rule{'3', "[adamant] mode fp32 has no master"},
    named_rule{'R', "[adamant] remainder16 and remainder8 complete bf16"},
    named_rule{'N', "[adamant] weights without a master are fp32 or bf16"},
    named_rule{'S', "[adamant] bf16 weights without a master are rounded stochastically"},
    named_rule{'E', "[adamant] fp32 and remainder16 are exact"},
    named_rule{'H', "[adamant] the bucket is not narrower"},
};

//! A set of rules, the first to speak in the lowest bit.
using rules = unsigned;

constexpr rules rule(char letter) {
    for (std::size_t i = 0; i < speaking_order.size(); ++i)
        if (speaking_order[i].letter == letter) return 1u << i;
    return 0;
}

using row = std::array<rules, adamant::all_dtypes.size()>;

constexpr row read(std::string_view letters) {
    row result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = rule(letters[i]);
    return result;
}

constexpr std::size_t column(dtype kind) { return static_cast<std::size_t>(kind); }

// Rules 2, 4, 5: master weights by mode (fp32, bf16, fp16).
inline constexpr std::array masters{read("pPpPPpp."), read(".PpPPppp"), read(".PpPPppp")};
inline constexpr std::array masters_precision_aware{read("3P3PP33."), read(".P.PP..."), read(".P.PPRRN")};
// Rules 2, 6, 7.
inline constexpr row main_grads = read(".gGGGGGG"), main_grads_precision_aware = read("..GGGGGG");
inline constexpr row exp_avg = read(".mmmmMMM"), exp_avg_precision_aware = read(".....MMM");
inline constexpr row exp_avg_sq = read(".vvvvMMM"), exp_avg_sq_precision_aware = read(".....MMM");
// Rounding by kind: exact, nearest, stochastic.
inline constexpr std::array roundings{read(".EEEE.EE"), read("E....E.."), read("E....E..")};
// Rule 9: the bucket in front of fp32 and of bf16 main gradients, and of those that are refused anyway.
inline constexpr std::array buckets{read(".HHBBBBB"), read("..HBBBBB")};
inline constexpr row bucket_of_refused = read("...BBBBB");

constexpr rules of_rounding(stored_as field) {
    return roundings[static_cast<std::size_t>(field.how)][column(field.kind)];
}

//! All rules that a spec breaks.
constexpr rules broken(const policy_spec& spec) {
    const std::size_t mode = column(spec.mode);
    if (mode > 2) return rule('O');  // speaks before all others
    const bool aware = spec.precision_aware;

    rules result = (aware ? masters_precision_aware : masters)[mode][column(spec.main_params.kind)] |
                   (aware ? main_grads_precision_aware : main_grads)[column(spec.main_grads)] |
                   (aware ? exp_avg_precision_aware : exp_avg)[column(spec.exp_avg.kind)] |
                   (aware ? exp_avg_sq_precision_aware : exp_avg_sq)[column(spec.exp_avg_sq.kind)] |
                   of_rounding(spec.exp_avg) | of_rounding(spec.exp_avg_sq);

    // Without a master the weights are rounded: fp32 ones not at all, bf16 ones stochastically.
    if (spec.mode == dtype::fp32) result |= spec.main_params.how == rounding::exact ? 0 : rule('E');
    else result |= of_rounding(spec.main_params);
    if (spec.mode == dtype::bf16 && spec.main_params == stored_as{dtype::none, rounding::nearest})
        result |= rule('S');
    if (spec.mode == dtype::bf16 && spec.main_params == stored_as{dtype::none, rounding::exact})
        result |= rule('S');

    const bool asked_for = spec.narrow_bucket && spec.grad_bucket == spec.mode;
    const row& bucket =
        asked_for || column(spec.main_grads) > 1 ? bucket_of_refused : buckets[column(spec.main_grads)];
    return result | bucket[column(spec.grad_bucket)];
}

//! The place in speaking_order of the rule that speaks, or -1.
constexpr int first_broken(const policy_spec& spec) {
    const rules all = broken(spec);
    return all == 0 ? -1 : std::countr_zero(all);
}

}  // namespace oracle
