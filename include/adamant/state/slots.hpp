// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! slots: the named parts of the state and the codec that a policy gives each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include <adamant/numerics/codecs.hpp>
#include <adamant/policy/resolve.hpp>

namespace adamant::inline v0 {

//! In the order in which digests and files list them.
enum class slot : std::uint8_t { main_params, exp_avg, exp_avg_sq };

inline constexpr std::array all_slots{slot::main_params, slot::exp_avg, slot::exp_avg_sq};

constexpr std::string_view to_string(slot s) {
    constexpr std::array<std::string_view, all_slots.size()> names{"main_params", "exp_avg", "exp_avg_sq"};
    return names[static_cast<std::size_t>(s)];
}

constexpr std::optional<slot> slot_named(std::string_view name) {
    for (const slot s : all_slots)
        if (to_string(s) == name) return s;
    return std::nullopt;
}

//! The codec of a slot; that of main_params is the codec of the weights with their master.
template <class Resolved, slot S>
struct slot_codec;
template <class Resolved>
struct slot_codec<Resolved, slot::main_params>
    : weight_codec<typename Resolved::mode, typename Resolved::main_params::kind,
                   typename Resolved::main_params::how> {};
template <class Resolved>
struct slot_codec<Resolved, slot::exp_avg>
    : moment_codec<typename Resolved::exp_avg::kind, typename Resolved::exp_avg::how> {};
template <class Resolved>
struct slot_codec<Resolved, slot::exp_avg_sq>
    : moment_codec<typename Resolved::exp_avg_sq::kind, typename Resolved::exp_avg_sq::how> {};
template <class Resolved, slot S>
using slot_codec_t = typename slot_codec<Resolved, S>::type;

//! A policy whose every field this version can store. Others are refused by name, and plain fp32 stands in
//! for them so that the sentence stays the only error.
template <class Resolved>
struct storable {
    template <slot S>
    static constexpr bool has_codec = !std::is_same_v<slot_codec_t<Resolved, S>, no_codec>;
    static constexpr bool masters = has_codec<slot::main_params>;
    static constexpr bool exp_avgs = !masters || has_codec<slot::exp_avg>;
    static constexpr bool exp_avg_sqs = !masters || !exp_avgs || has_codec<slot::exp_avg_sq>;

    static_assert(masters,
                  "[adamant] this version stores main_params as fp32 or remainder16, and none in mode fp32: "
                  "write one of these.");
    static_assert(
        exp_avgs,
        "[adamant] this version stores exp_avg as fp32, or bf16 rounded to nearest: write one of these.");
    static_assert(
        exp_avg_sqs,
        "[adamant] this version stores exp_avg_sq as fp32, or bf16 rounded to nearest: write one of these.");

    using type = std::conditional_t<masters && exp_avgs && exp_avg_sqs, Resolved, invalid_policy>;
};

//! Whether a policy keeps anything in a slot, and the element it keeps (char where it keeps nothing).
template <class Resolved, slot S>
inline constexpr bool has_slot = !std::is_void_v<typename slot_codec_t<Resolved, S>::stored>;
template <class Resolved, slot S>
using slot_code_t =
    std::conditional_t<has_slot<Resolved, S>, typename slot_codec_t<Resolved, S>::stored, char>;

}  // namespace adamant::inline v0
