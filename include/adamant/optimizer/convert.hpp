// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! convert: the state of one policy in another, and whether that loses anything.
#pragma once

#include <span>
#include <vector>

#include <adamant/optimizer/state_access.hpp>

namespace adamant::inline v0 {

//! Whether every value of a moment in one kind is a value of the other.
constexpr bool holds_moment(dtype from, dtype to) { return to == dtype::fp32 || to == from; }

//! The bits of a master beyond its bf16 or fp16 weight, or -1 where the kind has a grid of its own.
constexpr int master_bits(dtype mode, dtype kind) {
    switch (kind) {
        case dtype::none: return 0;
        case dtype::remainder8: return 8;
        case dtype::remainder16: return 16;
        case dtype::fp32: return mode == dtype::bf16 ? 16 : 13;
        default: return -1;
    }
}

constexpr bool holds_master(dtype mode, dtype from, dtype to) {
    return from == to || to == dtype::fp32 ||
           (master_bits(mode, from) >= 0 && master_bits(mode, from) <= master_bits(mode, to));
}

//! Whether the state of one policy fits another without rounding. Both have the same mode.
constexpr bool is_lossless(const policy_spec& from, const policy_spec& to) {
    return from.mode == to.mode && holds_master(from.mode, from.main_params.kind, to.main_params.kind) &&
           holds_moment(from.exp_avg.kind, to.exp_avg.kind) &&
           holds_moment(from.exp_avg_sq.kind, to.exp_avg_sq.kind);
}
template <class From, class To>
inline constexpr bool is_lossless_v = is_lossless(From::spec, To::spec);

//! Permission to round.
struct narrowing_t {};
inline constexpr narrowing_t narrowing{};

//! Masters, moments, step count and loss scale of `from` in `to`, which was built for the same tensors. The
//! weights are written where the master says more than they do. What does not fit is rounded, as the policy
//! of `to` stores it.
template <class From, class To, memory FromMemory, memory ToMemory, tensor_list Params>
void convert(const basic_adam<From, FromMemory>& from, basic_adam<To, ToMemory>& to, const Params& params,
             narrowing_t) {
    static_assert(
        From::spec.mode == To::spec.mode,
        "[adamant] a state is converted between policies of one mode: change the weights' dtype first.");
    const std::size_t count = from.tensor_count();
    if (to.tensor_count() != count || std::ranges::size(params) != count)
        throw shape_error("[adamant] a state is converted between optimizers of the same tensors: expected " +
                          std::to_string(count) + ", got " + std::to_string(to.tensor_count()) + " and " +
                          std::to_string(std::ranges::size(params)) + " parameters.");
    std::vector<std::vector<float>> masters, exp_avg, exp_avg_sq;
    for (std::size_t i = 0; i < count; ++i) {
        const tensor_view weights = std::ranges::begin(params)[static_cast<std::ptrdiff_t>(i)];
        masters.push_back(from.export_fp32(slot::main_params, i, weights));
        exp_avg.push_back(from.export_fp32(slot::exp_avg, i));
        exp_avg_sq.push_back(from.export_fp32(slot::exp_avg_sq, i));
    }
    to.init_masters(params, std::vector<std::span<const float>>(masters.begin(), masters.end()));
    for (std::size_t i = 0; i < count; ++i) {
        to.import_fp32(slot::exp_avg, i, exp_avg[i]);
        to.import_fp32(slot::exp_avg_sq, i, exp_avg_sq[i]);
    }
    run_state run = access_state(const_cast<basic_adam<From, FromMemory>&>(from))->run();
    run.seed = to.hyper().seed;
    // Bounds on the update count from when betas changed.
    if (from.hyper().beta1 != to.hyper().beta1 || from.hyper().beta2 != to.hyper().beta2)
        run.state_is_history = false;
    access_state(to)->restore(run);
}

//! The same where nothing is rounded.
template <class From, class To, memory FromMemory, memory ToMemory, tensor_list Params>
void convert(const basic_adam<From, FromMemory>& from, basic_adam<To, ToMemory>& to, const Params& params) {
    static_assert(
        is_lossless_v<From, To> || From::spec.mode != To::spec.mode,  // of modes the other speaks
        "[adamant] a state is converted without loss: choose a policy that holds it, or pass narrowing.");
    convert(from, to, params, narrowing);
}

}  // namespace adamant::inline v0
