// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! soundness: policies that are valid and still train badly with certain numbers. tests/convergence
//! measures what the rules say.
//!
//!   square_to_nearest    exp_avg_sq rounded to nearest with p significant bits (bf16 8, fp16 11) needs
//!                        1 - beta2 >= 2^(3-p), else it stands still when gradients fall
//!   byte_square_nearest  a 1-byte exp_avg_sq is never rounded to nearest
//!   byte_mean_nearest    a 1-byte exp_avg is never rounded to nearest: it freezes when gradients stop
//!   mean_reaches_square  fp8 exp_avg_sq reaches further than fp8_fine exp_avg: updates far too large
//!   short_remainder      remainder8 rounded to nearest loses movement below a learning rate of 1e-5
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <adamant/step/float_environment.hpp>
#include <adamant/step/hyperparameters.hpp>

#define ADAMANT_SAYS_SQUARE_TO_NEAREST                                                                 \
    "[adamant] exp_avg_sq rounded to nearest needs 1 - beta2 >= 2^-5 in bf16 and 2^-8 in fp16: lower " \
    "beta2, or round it stochastically."
#define ADAMANT_SAYS_BYTE_SQUARE_NEAREST \
    "[adamant] an exp_avg_sq of one byte is rounded stochastically: leave its rounding out."
#define ADAMANT_SAYS_BYTE_MEAN_NEAREST \
    "[adamant] an exp_avg of one byte is rounded stochastically: leave its rounding out."
#define ADAMANT_SAYS_MEAN_REACHES_SQUARE                                                               \
    "[adamant] exp_avg reaches as far as exp_avg_sq in fp8: use fp8, bf16, fp16 or fp32 for exp_avg, " \
    "or fp8_fine for both."
#define ADAMANT_SAYS_SHORT_REMAINDER                                                            \
    "[adamant] remainder8 rounded to nearest needs lr >= 1e-5, smaller steps vanish: round it " \
    "stochastically, or use remainder16."

namespace adamant::inline v0 {

namespace soundness_rules {

constexpr bool is_nearest(stored_as field, dtype kind) {
    return field.kind == kind && field.how == rounding::nearest;
}
constexpr bool is_byte_nearest(stored_as field) {
    return is_nearest(field, dtype::fp8) || is_nearest(field, dtype::fp8_fine);
}

struct square_to_nearest {
    static constexpr std::string_view name = "square_to_nearest";
    static constexpr policy_field about = policy_field::exp_avg_sq;
    static constexpr std::string_view sentence = ADAMANT_SAYS_SQUARE_TO_NEAREST;
    static constexpr bool holds(const policy_spec& spec, const hyperparameters& h) {
        const float left = 1.0f - static_cast<float>(h.beta2);
        return !(is_nearest(spec.exp_avg_sq, dtype::bf16) && left < 0x1p-5f) &&
               !(is_nearest(spec.exp_avg_sq, dtype::fp16) && left < 0x1p-8f);
    }
};
struct byte_square_nearest {
    static constexpr std::string_view name = "byte_square_nearest";
    static constexpr policy_field about = policy_field::exp_avg_sq;
    static constexpr std::string_view sentence = ADAMANT_SAYS_BYTE_SQUARE_NEAREST;
    static constexpr bool holds(const policy_spec& spec, const hyperparameters&) {
        return !is_byte_nearest(spec.exp_avg_sq);
    }
};
struct byte_mean_nearest {
    static constexpr std::string_view name = "byte_mean_nearest";
    static constexpr policy_field about = policy_field::exp_avg;
    static constexpr std::string_view sentence = ADAMANT_SAYS_BYTE_MEAN_NEAREST;
    static constexpr bool holds(const policy_spec& spec, const hyperparameters&) {
        return !is_byte_nearest(spec.exp_avg);
    }
};
struct mean_reaches_square {
    static constexpr std::string_view name = "mean_reaches_square";
    static constexpr policy_field about = policy_field::exp_avg;
    static constexpr std::string_view sentence = ADAMANT_SAYS_MEAN_REACHES_SQUARE;
    static constexpr bool holds(const policy_spec& spec, const hyperparameters&) {
        return spec.exp_avg_sq.kind != dtype::fp8 || spec.exp_avg.kind != dtype::fp8_fine;
    }
};
struct short_remainder {
    static constexpr std::string_view name = "short_remainder";
    static constexpr policy_field about = policy_field::main_params;
    static constexpr std::string_view sentence = ADAMANT_SAYS_SHORT_REMAINDER;
    static constexpr bool holds(const policy_spec& spec, const hyperparameters& h) {
        return !is_nearest(spec.main_params, dtype::remainder8) || h.lr >= 1e-5;
    }
};

}  // namespace soundness_rules

//! The soundness rules in the order in which they speak.
template <class... Rules>
struct soundness_rule_list {
    static constexpr std::array<std::string_view, sizeof...(Rules)> names{Rules::name...};

    template <class F>
    static constexpr void for_each(F f) {
        (f(std::type_identity<Rules>{}), ...);
    }
};
using all_soundness_rules =
    soundness_rule_list<soundness_rules::square_to_nearest, soundness_rules::byte_square_nearest,
                        soundness_rules::byte_mean_nearest, soundness_rules::mean_reaches_square,
                        soundness_rules::short_remainder>;

//! The first soundness rule that a policy breaks with these numbers, or nothing.
constexpr std::optional<rule_text> first_unsound(const policy_spec& spec, const hyperparameters& h) {
    std::optional<rule_text> first;
    all_soundness_rules::for_each([&]<class Rule>(std::type_identity<Rule>) {
        if (!first && !Rule::holds(spec, h)) first = rule_text{Rule::sentence, Rule::about};
    });
    return first;
}

//! The same for a policy type: nothing where the pair is sound.
template <class Policy>
constexpr std::optional<rule_text> soundness(const hyperparameters& h) {
    return first_unsound(Policy::spec, h);
}

//! Throws config_error with the sentence of the first rule that a policy breaks with these numbers, unless
//! `accepted` names it; and for a name there that is no rule's.
inline void require_sound(const policy_spec& spec, const hyperparameters& h,
                          std::span<const std::string> accepted) {
    for (const std::string& name : accepted)
        if (std::ranges::find(all_soundness_rules::names, name) == all_soundness_rules::names.end()) {
            std::string sentence = "[adamant] accept names soundness rules: write one of ";
            for (const std::string_view rule : all_soundness_rules::names)
                sentence.append(rule).append(rule == all_soundness_rules::names.back() ? ", not '" : ", ");
            throw config_error(sentence.append(name).append("'."));
        }
    all_soundness_rules::for_each([&]<class Rule>(std::type_identity<Rule>) {
        if (!Rule::holds(spec, h) && std::ranges::find(accepted, Rule::name) == accepted.end())
            throw config_error(std::string(Rule::sentence) + " To train so all the same: .accept = {\"" +
                               std::string(Rule::name) + "\"}.");
    });
}

//! The numbers, if they are valid and sound: in fp32 as steps see it, however the program rounds.
inline const hyperparameters& judged(const policy_spec& spec, const hyperparameters& h,
                                     std::span<const std::string> accepted) {
    const default_float_environment environment;
    require_valid(h);
    require_sound(spec, h, accepted);
    return h;
}

//! A policy with hyperparameters that are known when the program is built, judged there: numbers out of range
//! and pairs that are not sound do not compile. checked<P, hyperparameters{.lr = 3e-4}> is used like P, and
//! its numbers are `checked::values`.
template <class Policy, hyperparameters H>
struct checked : Policy {
    static constexpr hyperparameters values = H;

    // Only the first broken rule speaks, ranges before soundness.
    static constexpr std::string_view range = first_broken(H) ? first_broken(H)->key : std::string_view{};
    static_assert(range != hyperparameter_rules::lr::key, ADAMANT_SAYS_LR);
    static_assert(range != hyperparameter_rules::beta1::key, ADAMANT_SAYS_BETA1);
    static_assert(range != hyperparameter_rules::beta2::key, ADAMANT_SAYS_BETA2);
    static_assert(range != hyperparameter_rules::eps::key, ADAMANT_SAYS_EPS);
    static_assert(range != hyperparameter_rules::weight_decay::key, ADAMANT_SAYS_WEIGHT_DECAY);
    static_assert(range != hyperparameter_rules::clip_grad::key, ADAMANT_SAYS_CLIP_GRAD);
    static_assert(range != hyperparameter_rules::skip_threshold::key, ADAMANT_SAYS_SKIP_THRESHOLD);

    static constexpr std::string_view unsound =
        range.empty() && soundness<Policy>(H) ? soundness<Policy>(H)->sentence : std::string_view{};
    static_assert(unsound != soundness_rules::square_to_nearest::sentence, ADAMANT_SAYS_SQUARE_TO_NEAREST);
    static_assert(unsound != soundness_rules::byte_square_nearest::sentence,
                  ADAMANT_SAYS_BYTE_SQUARE_NEAREST);
    static_assert(unsound != soundness_rules::byte_mean_nearest::sentence, ADAMANT_SAYS_BYTE_MEAN_NEAREST);
    static_assert(unsound != soundness_rules::mean_reaches_square::sentence,
                  ADAMANT_SAYS_MEAN_REACHES_SQUARE);
    static_assert(unsound != soundness_rules::short_remainder::sentence, ADAMANT_SAYS_SHORT_REMAINDER);
};

}  // namespace adamant::inline v0

#undef ADAMANT_SAYS_SQUARE_TO_NEAREST
#undef ADAMANT_SAYS_BYTE_SQUARE_NEAREST
#undef ADAMANT_SAYS_BYTE_MEAN_NEAREST
#undef ADAMANT_SAYS_MEAN_REACHES_SQUARE
#undef ADAMANT_SAYS_SHORT_REMAINDER
#undef ADAMANT_SAYS_LR
#undef ADAMANT_SAYS_BETA1
#undef ADAMANT_SAYS_BETA2
#undef ADAMANT_SAYS_EPS
#undef ADAMANT_SAYS_WEIGHT_DECAY
#undef ADAMANT_SAYS_CLIP_GRAD
#undef ADAMANT_SAYS_SKIP_THRESHOLD
