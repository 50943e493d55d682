// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! From words to one canonical type: policy<Options...> folds its options, judges them and resolves them.
#pragma once

#include <concepts>
#include <type_traits>

#include <adamant/base/detail/hana.hpp>
#include <adamant/policy/options.hpp>
#include <adamant/policy/rules.hpp>

namespace adamant::inline v0 {

//! A storage kind and its rounding as a type.
template <class Kind, class Rounding>
struct stored {
    using kind = Kind;
    using how = Rounding;
    static constexpr stored_as id{Kind::id, Rounding::id};
};

//! The canonical form of a valid policy: state, kernels and symbols see this type only, and two policies
//! that mean the same are the same type.
template <class Mode, class MainParams, class MainGrads, class ExpAvg, class ExpAvgSq, class GradBucket>
struct resolved_policy {
    using mode = Mode;
    using main_params = MainParams;
    using main_grads = MainGrads;
    using exp_avg = ExpAvg;
    using exp_avg_sq = ExpAvgSq;
    using grad_bucket = GradBucket;

    using param_t = element_t<Mode>;
    using grad_t = element_t<GradBucket>;

    static constexpr policy_spec spec = canonical(
        {Mode::id, false, MainParams::id, MainGrads::id, ExpAvg::id, ExpAvgSq::id, GradBucket::id, false});
    static_assert(is_valid(spec),
                  "[adamant] resolved_policy is what a policy resolves to: name policy<...>::resolved.");

    static constexpr double bytes_per_param() { return adamant::bytes_per_param(spec); }
    static std::string describe() { return adamant::describe(spec); }
};

//! What an invalid policy resolves to: plain fp32 under another name, so that all that a program does with it
//! compiles and the rule's sentence stays the only error.
struct invalid_policy
    : resolved_policy<fp32, stored<none, exact>, fp32, stored<fp32, exact>, stored<fp32, exact>, fp32> {};

namespace detail {

template <class T>
constexpr void write_once(std::optional<T>& place, T value, bool& repeated) {
    repeated = repeated || place.has_value();
    place = value;
}

template <class Kind, class Rounding>
constexpr void write_field(written_field& field, bool& repeated) {
    write_once(field.kind, Kind::id, repeated);
    if constexpr (!std::is_same_v<Rounding, by_kind>) field.how = Rounding::id;
}

template <class T>
using word = boost::hana::basic_type<T>;

template <class T>
concept kind_word = requires {
    { T::id } -> std::convertible_to<dtype>;
};
template <class T>
concept how_word = std::is_same_v<T, by_kind> || requires {
    { T::id } -> std::convertible_to<rounding>;
};

// One function per option; anything else is unknown.
template <class T>
constexpr void write(policy_words& w, word<T>) {
    w.unknown_option = true;
}
template <kind_word K>
constexpr void write(policy_words& w, word<mode<K>>) {
    write_once(w.mode, K::id, w.mode_repeated);
}
constexpr void write(policy_words& w, word<precision_aware>) {
    w.option_repeated = w.option_repeated || w.precision_aware;
    w.precision_aware = true;
}
template <kind_word K, how_word R>
constexpr void write(policy_words& w, word<main_params<K, R>>) {
    write_field<K, R>(w.main_params, w.option_repeated);
}
template <kind_word K>
constexpr void write(policy_words& w, word<main_grads<K>>) {
    write_once(w.main_grads, K::id, w.option_repeated);
}
template <kind_word K, how_word R>
constexpr void write(policy_words& w, word<exp_avg<K, R>>) {
    write_field<K, R>(w.exp_avg, w.option_repeated);
}
template <kind_word K, how_word R>
constexpr void write(policy_words& w, word<exp_avg_sq<K, R>>) {
    write_field<K, R>(w.exp_avg_sq, w.option_repeated);
}
template <kind_word K>
constexpr void write(policy_words& w, word<bucket<K>>) {
    write_once(w.bucket, K::id, w.option_repeated);
}
template <bool B>
constexpr void write(policy_words& w, word<grad_reduce_in_fp32<B>>) {
    write_once(w.grad_reduce_in_fp32, B, w.option_repeated);
}

template <class... Options>
inline constexpr policy_words words_of = boost::hana::fold_left(boost::hana::tuple_t<Options...>,
                                                                policy_words{},
                                                                [](policy_words words, auto option) {
                                                                    write(words, option);
                                                                    return words;
                                                                });

template <dtype Kind, rounding How>
using stored_t = stored<word_of_t<Kind>, typename rounding_word<How>::type>;

//! What a policy is, where its words are valid.
template <class... Options>
struct resolution {
    static constexpr policy_words words = words_of<Options...>;
    static constexpr policy_spec spec = with_defaults(words);
    static constexpr int broken_word = word_rules::first_broken(words);
    static constexpr int broken_spec = broken_word < 0 ? spec_rules::first_broken(spec) : -1;

    template <bool Valid, class Self = resolution>
    struct canonical {
        using type = invalid_policy;
    };
    template <class Self>
    struct canonical<true, Self> {
        using type = resolved_policy<
            word_of_t<Self::spec.mode>, stored_t<Self::spec.main_params.kind, Self::spec.main_params.how>,
            word_of_t<Self::spec.main_grads>, stored_t<Self::spec.exp_avg.kind, Self::spec.exp_avg.how>,
            stored_t<Self::spec.exp_avg_sq.kind, Self::spec.exp_avg_sq.how>,
            word_of_t<Self::spec.grad_bucket>>;
    };
    using type = typename canonical < broken_word < 0 && broken_spec<0>::type;

    template <class Rule>
    static constexpr bool word_rule_holds = broken_word != word_rules::index_of<Rule>;
    template <class Rule>
    static constexpr bool spec_rule_holds = broken_spec != spec_rules::index_of<Rule>;
};

}  // namespace detail

//! A precision policy, written as options in any order (policy/options.hpp). What is invalid does not
//! compile, and the first broken rule says why.
//!
//!   policy::resolved           the one canonical type behind every way of writing it
//!   policy::spec               the policy as written, as constexpr data
//!   policy::bytes_per_param()  persistent bytes per parameter: weight, bucket, state
//!   policy::describe()         the policy as text that a program can paste
template <class... Options>
struct policy : detail::resolution<Options...>::type {
private:
    using resolution = detail::resolution<Options...>;

public:
    using resolved = typename resolution::type;
    static constexpr policy_spec spec = resolution::spec;
    static constexpr double bytes_per_param() { return adamant::bytes_per_param(spec); }
    static std::string describe() { return adamant::describe(spec); }

    // One by one: a static_assert needs a literal, and this form gives one short error on every compiler.
    static_assert(resolution::template word_rule_holds<rules::known_options>, ADAMANT_SAYS_KNOWN_OPTIONS);
    static_assert(resolution::template word_rule_holds<rules::one_mode>, ADAMANT_SAYS_ONE_MODE);
    static_assert(resolution::template word_rule_holds<rules::options_once>, ADAMANT_SAYS_OPTIONS_ONCE);
    static_assert(resolution::template word_rule_holds<rules::bucket_once>, ADAMANT_SAYS_BUCKET_ONCE);
    static_assert(resolution::template word_rule_holds<rules::no_idle_reduce>, ADAMANT_SAYS_NO_IDLE_REDUCE);
    static_assert(resolution::template spec_rule_holds<rules::known_mode>, ADAMANT_SAYS_KNOWN_MODE);
    static_assert(resolution::template spec_rule_holds<rules::known_main_grads>,
                  ADAMANT_SAYS_KNOWN_MAIN_GRADS);
    static_assert(resolution::template spec_rule_holds<rules::known_main_params>,
                  ADAMANT_SAYS_KNOWN_MAIN_PARAMS);
    static_assert(resolution::template spec_rule_holds<rules::known_moments>, ADAMANT_SAYS_KNOWN_MOMENTS);
    static_assert(resolution::template spec_rule_holds<rules::known_bucket>, ADAMANT_SAYS_KNOWN_BUCKET);
    static_assert(resolution::template spec_rule_holds<rules::opt_in_main_grads>,
                  ADAMANT_SAYS_OPT_IN_MAIN_GRADS);
    static_assert(resolution::template spec_rule_holds<rules::opt_in_main_params>,
                  ADAMANT_SAYS_OPT_IN_MAIN_PARAMS);
    static_assert(resolution::template spec_rule_holds<rules::opt_in_exp_avg>, ADAMANT_SAYS_OPT_IN_EXP_AVG);
    static_assert(resolution::template spec_rule_holds<rules::opt_in_exp_avg_sq>,
                  ADAMANT_SAYS_OPT_IN_EXP_AVG_SQ);
    static_assert(resolution::template spec_rule_holds<rules::fp32_has_no_master>,
                  ADAMANT_SAYS_FP32_HAS_NO_MASTER);
    static_assert(resolution::template spec_rule_holds<rules::remainder_needs_bf16>,
                  ADAMANT_SAYS_REMAINDER_NEEDS_BF16);
    static_assert(resolution::template spec_rule_holds<rules::none_needs_bf16>, ADAMANT_SAYS_NONE_NEEDS_BF16);
    static_assert(resolution::template spec_rule_holds<rules::none_is_stochastic>,
                  ADAMANT_SAYS_NONE_IS_STOCHASTIC);
    static_assert(resolution::template spec_rule_holds<rules::rounding_fits>, ADAMANT_SAYS_ROUNDING_FITS);
    static_assert(resolution::template spec_rule_holds<rules::bucket_holds_grads>,
                  ADAMANT_SAYS_BUCKET_HOLDS_GRADS);
};

}  // namespace adamant::inline v0

#undef ADAMANT_SAYS_KNOWN_OPTIONS
#undef ADAMANT_SAYS_ONE_MODE
#undef ADAMANT_SAYS_OPTIONS_ONCE
#undef ADAMANT_SAYS_BUCKET_ONCE
#undef ADAMANT_SAYS_NO_IDLE_REDUCE
#undef ADAMANT_SAYS_KNOWN_MODE
#undef ADAMANT_SAYS_KNOWN_MAIN_GRADS
#undef ADAMANT_SAYS_KNOWN_MAIN_PARAMS
#undef ADAMANT_SAYS_KNOWN_MOMENTS
#undef ADAMANT_SAYS_KNOWN_BUCKET
#undef ADAMANT_SAYS_OPT_IN_MAIN_GRADS
#undef ADAMANT_SAYS_OPT_IN_MAIN_PARAMS
#undef ADAMANT_SAYS_OPT_IN_EXP_AVG
#undef ADAMANT_SAYS_OPT_IN_EXP_AVG_SQ
#undef ADAMANT_SAYS_FP32_HAS_NO_MASTER
#undef ADAMANT_SAYS_REMAINDER_NEEDS_BF16
#undef ADAMANT_SAYS_NONE_NEEDS_BF16
#undef ADAMANT_SAYS_NONE_IS_STOCHASTIC
#undef ADAMANT_SAYS_ROUNDING_FITS
#undef ADAMANT_SAYS_BUCKET_HOLDS_GRADS
