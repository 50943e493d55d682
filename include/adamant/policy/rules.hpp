// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The rules: each a predicate and the sentence that says what holds and what to do.
//!
//! About the words (C++ options; a repeated or unknown YAML key is the reader's business):
//!   known_options        a policy is made of the words of policy/options.hpp
//!   one_mode             a policy has one mode: fp16 and bf16 weights do not mix
//!   options_once         no option is written twice
//!   bucket_once          bucket and grad_reduce_in_fp32 are two ways to say one thing
//!   no_idle_reduce       grad_reduce_in_fp32<false> has an effect only below mode fp32
//! About the policy:
//!   known_mode           mode is fp32, bf16 or fp16
//!   known_main_grads     main_grads is fp32 or bf16
//!   known_main_params    main_params is fp32, fp16, remainder16, remainder8 or none
//!   known_moments        exp_avg and exp_avg_sq are fp32, bf16, fp16, fp8 or fp8_fine
//!   known_bucket         the bucket is fp32, bf16 or fp16
//!   opt_in_main_grads, opt_in_main_params, opt_in_exp_avg, opt_in_exp_avg_sq
//!                        without precision_aware the field is fp32 (main_params: none in mode fp32)
//!   fp32_has_no_master   mode fp32 has no master
//!   remainder_needs_bf16 a remainder completes bf16 weights
//!   none_needs_bf16      weights without a master are fp32 or bf16
//!   none_is_stochastic   bf16 weights without a master are rounded stochastically
//!   rounding_fits        only kinds that round have a rounding
//!   bucket_holds_grads   the bucket is not narrower than main_grads unless grad_reduce_in_fp32 is false
//!
//! The first broken rule speaks, alone. A static_assert wants a literal, hence the macros; they end with
//! policy/resolve.hpp.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

#include <adamant/policy/policy_words.hpp>

#define ADAMANT_SAYS_KNOWN_OPTIONS                                                                 \
    "[adamant] a policy is made of the words of policy/options.hpp: write mode, precision_aware, " \
    "main_params, main_grads, exp_avg, exp_avg_sq, bucket or grad_reduce_in_fp32."
#define ADAMANT_SAYS_ONE_MODE                                                                            \
    "[adamant] a policy has one mode, fp16 and bf16 weights do not mix: keep one; a tensor may be fp32 " \
    "in any mode."
#define ADAMANT_SAYS_OPTIONS_ONCE "[adamant] an option is written once: remove the second."
#define ADAMANT_SAYS_BUCKET_ONCE \
    "[adamant] bucket and grad_reduce_in_fp32 say the same thing: keep one of them."
#define ADAMANT_SAYS_NO_IDLE_REDUCE \
    "[adamant] in mode fp32 the bucket is fp32 anyway: remove grad_reduce_in_fp32<false>."
#define ADAMANT_SAYS_KNOWN_MODE "[adamant] mode is fp32, bf16 or fp16: write one of the three."
#define ADAMANT_SAYS_KNOWN_MAIN_GRADS                                                                 \
    "[adamant] main_grads is fp32 or bf16: write bf16 to save memory, fp16 main gradients cannot be " \
    "clipped."
#define ADAMANT_SAYS_KNOWN_MAIN_PARAMS                                                                    \
    "[adamant] main_params is fp32, fp16, remainder16, remainder8 or none: for a lossless 2-byte master " \
    "write remainder16, for no master none with stochastic rounding."
#define ADAMANT_SAYS_KNOWN_MOMENTS \
    "[adamant] exp_avg and exp_avg_sq are fp32, bf16, fp16, fp8 or fp8_fine: write one of these."
#define ADAMANT_SAYS_KNOWN_BUCKET "[adamant] the bucket is fp32, bf16 or fp16: write one of the three."
#define ADAMANT_SAYS_OPT_IN_MAIN_GRADS                                                  \
    "[adamant] without precision_aware main_grads is fp32: add precision_aware (YAML: " \
    "use_precision_aware_optimizer: true), or leave main_grads fp32."
#define ADAMANT_SAYS_OPT_IN_MAIN_PARAMS                                                                  \
    "[adamant] without precision_aware main_params is fp32, and none in mode fp32: add precision_aware " \
    "(YAML: use_precision_aware_optimizer: true), or leave main_params out."
#define ADAMANT_SAYS_OPT_IN_EXP_AVG                                                  \
    "[adamant] without precision_aware exp_avg is fp32: add precision_aware (YAML: " \
    "use_precision_aware_optimizer: true), or leave exp_avg fp32."
#define ADAMANT_SAYS_OPT_IN_EXP_AVG_SQ                                                  \
    "[adamant] without precision_aware exp_avg_sq is fp32: add precision_aware (YAML: " \
    "use_precision_aware_optimizer: true), or leave exp_avg_sq fp32."
#define ADAMANT_SAYS_FP32_HAS_NO_MASTER \
    "[adamant] mode fp32 has no master, the weights are their own: leave main_params out."
#define ADAMANT_SAYS_REMAINDER_NEEDS_BF16                                                                \
    "[adamant] remainder16 and remainder8 complete bf16 weights: use mode bf16, or main_params fp32 or " \
    "fp16."
#define ADAMANT_SAYS_NONE_NEEDS_BF16 \
    "[adamant] weights without a master are fp32 or bf16: in mode fp16 use main_params fp32 or fp16."
#define ADAMANT_SAYS_NONE_IS_STOCHASTIC                                                         \
    "[adamant] bf16 weights without a master are rounded stochastically, small updates vanish " \
    "otherwise: write main_params<none, stochastic>."
#define ADAMANT_SAYS_ROUNDING_FITS                                                                       \
    "[adamant] fp32 and remainder16 are exact, every other kind is rounded: leave the rounding out, or " \
    "write nearest or stochastic for a kind that is rounded."
#define ADAMANT_SAYS_BUCKET_HOLDS_GRADS                                                                   \
    "[adamant] the bucket is not narrower than main_grads: lower main_grads as well, or ask for it with " \
    "grad_reduce_in_fp32<false> (YAML: grad_reduce_in_fp32: false)."

namespace adamant::inline v0 {

//! What a rule is about, so that an error can point at the place where it was written.
enum class policy_field { options, mode, main_params, main_grads, exp_avg, exp_avg_sq, bucket };

namespace rules {

struct known_options {
    static constexpr auto about = policy_field::options;
    static constexpr std::string_view sentence = ADAMANT_SAYS_KNOWN_OPTIONS;
    static constexpr bool holds(const policy_words& words) { return !words.unknown_option; }
};

struct one_mode {
    static constexpr auto about = policy_field::mode;
    static constexpr std::string_view sentence = ADAMANT_SAYS_ONE_MODE;
    static constexpr bool holds(const policy_words& words) { return !words.mode_repeated; }
};

struct options_once {
    static constexpr auto about = policy_field::options;
    static constexpr std::string_view sentence = ADAMANT_SAYS_OPTIONS_ONCE;
    static constexpr bool holds(const policy_words& words) { return !words.option_repeated; }
};

struct bucket_once {
    static constexpr auto about = policy_field::bucket;
    static constexpr std::string_view sentence = ADAMANT_SAYS_BUCKET_ONCE;
    static constexpr bool holds(const policy_words& words) {
        return !words.bucket || !words.grad_reduce_in_fp32;
    }
};

struct no_idle_reduce {
    static constexpr auto about = policy_field::bucket;
    static constexpr std::string_view sentence = ADAMANT_SAYS_NO_IDLE_REDUCE;
    static constexpr bool holds(const policy_words& words) {
        return words.mode != dtype::fp32 || words.grad_reduce_in_fp32.value_or(true);
    }
};

constexpr bool is_one_of(dtype kind, auto... kinds) { return ((kind == kinds) || ...); }

struct known_mode {
    static constexpr auto about = policy_field::mode;
    static constexpr std::string_view sentence = ADAMANT_SAYS_KNOWN_MODE;
    static constexpr bool holds(const policy_spec& spec) {
        return is_one_of(spec.mode, dtype::fp32, dtype::bf16, dtype::fp16);
    }
};

struct known_main_grads {
    static constexpr auto about = policy_field::main_grads;
    static constexpr std::string_view sentence = ADAMANT_SAYS_KNOWN_MAIN_GRADS;
    static constexpr bool holds(const policy_spec& spec) {
        return is_one_of(spec.main_grads, dtype::fp32, dtype::bf16);
    }
};

struct known_main_params {
    static constexpr auto about = policy_field::main_params;
    static constexpr std::string_view sentence = ADAMANT_SAYS_KNOWN_MAIN_PARAMS;
    static constexpr bool holds(const policy_spec& spec) {
        return is_one_of(spec.main_params.kind, dtype::fp32, dtype::fp16, dtype::remainder16,
                         dtype::remainder8, dtype::none);
    }
};

struct known_moments {
    static constexpr auto about = policy_field::exp_avg;
    static constexpr std::string_view sentence = ADAMANT_SAYS_KNOWN_MOMENTS;
    static constexpr bool is_moment(dtype kind) {
        return is_one_of(kind, dtype::fp32, dtype::bf16, dtype::fp16, dtype::fp8, dtype::fp8_fine);
    }
    static constexpr bool holds(const policy_spec& spec) {
        return is_moment(spec.exp_avg.kind) && is_moment(spec.exp_avg_sq.kind);
    }
};

struct known_bucket {
    static constexpr auto about = policy_field::bucket;
    static constexpr std::string_view sentence = ADAMANT_SAYS_KNOWN_BUCKET;
    static constexpr bool holds(const policy_spec& spec) {
        return is_one_of(spec.grad_bucket, dtype::fp32, dtype::bf16, dtype::fp16);
    }
};

struct opt_in_main_grads {
    static constexpr auto about = policy_field::main_grads;
    static constexpr std::string_view sentence = ADAMANT_SAYS_OPT_IN_MAIN_GRADS;
    static constexpr bool holds(const policy_spec& spec) {
        return spec.precision_aware || spec.main_grads == dtype::fp32;
    }
};

struct opt_in_main_params {
    static constexpr auto about = policy_field::main_params;
    static constexpr std::string_view sentence = ADAMANT_SAYS_OPT_IN_MAIN_PARAMS;
    static constexpr bool holds(const policy_spec& spec) {
        return spec.precision_aware ||
               spec.main_params.kind == (spec.mode == dtype::fp32 ? dtype::none : dtype::fp32);
    }
};

struct opt_in_exp_avg {
    static constexpr auto about = policy_field::exp_avg;
    static constexpr std::string_view sentence = ADAMANT_SAYS_OPT_IN_EXP_AVG;
    static constexpr bool holds(const policy_spec& spec) {
        return spec.precision_aware || spec.exp_avg.kind == dtype::fp32;
    }
};

struct opt_in_exp_avg_sq {
    static constexpr auto about = policy_field::exp_avg_sq;
    static constexpr std::string_view sentence = ADAMANT_SAYS_OPT_IN_EXP_AVG_SQ;
    static constexpr bool holds(const policy_spec& spec) {
        return spec.precision_aware || spec.exp_avg_sq.kind == dtype::fp32;
    }
};

struct fp32_has_no_master {
    static constexpr auto about = policy_field::main_params;
    static constexpr std::string_view sentence = ADAMANT_SAYS_FP32_HAS_NO_MASTER;
    static constexpr bool holds(const policy_spec& spec) {
        return spec.mode != dtype::fp32 || spec.main_params.kind == dtype::none;
    }
};

struct remainder_needs_bf16 {
    static constexpr auto about = policy_field::main_params;
    static constexpr std::string_view sentence = ADAMANT_SAYS_REMAINDER_NEEDS_BF16;
    static constexpr bool holds(const policy_spec& spec) {
        return spec.mode == dtype::bf16 ||
               !is_one_of(spec.main_params.kind, dtype::remainder16, dtype::remainder8);
    }
};

struct none_needs_bf16 {
    static constexpr auto about = policy_field::main_params;
    static constexpr std::string_view sentence = ADAMANT_SAYS_NONE_NEEDS_BF16;
    static constexpr bool holds(const policy_spec& spec) {
        return spec.mode != dtype::fp16 || spec.main_params.kind != dtype::none;
    }
};

struct none_is_stochastic {
    static constexpr auto about = policy_field::main_params;
    static constexpr std::string_view sentence = ADAMANT_SAYS_NONE_IS_STOCHASTIC;
    static constexpr bool holds(const policy_spec& spec) {
        return spec.mode != dtype::bf16 || spec.main_params.kind != dtype::none ||
               spec.main_params.how == rounding::stochastic;
    }
};

struct rounding_fits {
    static constexpr auto about = policy_field::options;
    static constexpr std::string_view sentence = ADAMANT_SAYS_ROUNDING_FITS;
    static constexpr bool fits(stored_as field) {
        return (field.how == rounding::exact) == (default_rounding(field.kind) == rounding::exact);
    }
    static constexpr bool holds(const policy_spec& spec) {
        const bool master_fits =
            spec.mode == dtype::fp32 ? spec.main_params.how == rounding::exact : fits(spec.main_params);
        return master_fits && fits(spec.exp_avg) && fits(spec.exp_avg_sq);
    }
};

struct bucket_holds_grads {
    static constexpr auto about = policy_field::bucket;
    static constexpr std::string_view sentence = ADAMANT_SAYS_BUCKET_HOLDS_GRADS;
    static constexpr bool holds(const policy_spec& spec) {
        return !has_narrow_bucket(spec) || (spec.narrow_bucket && spec.grad_bucket == spec.mode);
    }
};

}  // namespace rules

//! A rule as data: its sentence and what it is about.
struct rule_text {
    std::string_view sentence;
    policy_field about;
};

//! Rules in the order in which they speak.
template <class... Rules>
struct rule_list {
    static constexpr int size = sizeof...(Rules);
    static constexpr std::array<rule_text, sizeof...(Rules)> texts{{{Rules::sentence, Rules::about}...}};

    //! The place of Rule in the list.
    template <class Rule>
    static constexpr int index_of = [] {
        int index = 0;
        (void)((std::is_same_v<Rule, Rules> || (++index, false)) || ...);
        return index;
    }();

    //! The index of the first rule that does not hold, or -1.
    template <class Subject>
    static constexpr int first_broken(const Subject& subject) {
        int index = -1;
        const bool broken = ((++index, !Rules::holds(subject)) || ...);
        return broken ? index : -1;
    }
};

using word_rules = rule_list<rules::known_options, rules::one_mode, rules::options_once, rules::bucket_once,
                             rules::no_idle_reduce>;
using spec_rules = rule_list<rules::known_mode, rules::known_main_grads, rules::known_main_params,
                             rules::known_moments, rules::known_bucket, rules::opt_in_main_grads,
                             rules::opt_in_main_params, rules::opt_in_exp_avg, rules::opt_in_exp_avg_sq,
                             rules::fp32_has_no_master, rules::remainder_needs_bf16, rules::none_needs_bf16,
                             rules::none_is_stochastic, rules::rounding_fits, rules::bucket_holds_grads>;

//! The first rule that a spec breaks, or nothing.
constexpr std::optional<rule_text> first_broken(const policy_spec& spec) {
    const int index = spec_rules::first_broken(spec);
    return index < 0 ? std::nullopt : std::optional(spec_rules::texts[static_cast<std::size_t>(index)]);
}

//! The first rule that the words break, those about the words before those about what they mean.
constexpr std::optional<rule_text> first_broken(const policy_words& words) {
    const int index = word_rules::first_broken(words);
    return index < 0 ? first_broken(with_defaults(words))
                     : std::optional(word_rules::texts[static_cast<std::size_t>(index)]);
}

constexpr bool is_valid(const policy_spec& spec) { return spec_rules::first_broken(spec) < 0; }

//! The one way to say what a valid spec stores: its two switches are on only where the storage needs them.
constexpr policy_spec canonical(policy_spec spec) {
    spec.narrow_bucket = has_narrow_bucket(spec);
    spec.precision_aware = false;
    spec.precision_aware = !is_valid(spec);
    return spec;
}

}  // namespace adamant::inline v0
