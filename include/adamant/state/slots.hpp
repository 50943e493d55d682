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

//! Calls f(std::integral_constant<slot, S>{}) for all slots.
template <class F>
void for_each_slot(F&& f) {
    f(std::integral_constant<slot, slot::main_params>{});
    f(std::integral_constant<slot, slot::exp_avg>{});
    f(std::integral_constant<slot, slot::exp_avg_sq>{});
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
    : exp_avg_codec<typename Resolved::exp_avg::kind, typename Resolved::exp_avg::how> {};
template <class Resolved>
struct slot_codec<Resolved, slot::exp_avg_sq>
    : exp_avg_sq_codec<typename Resolved::exp_avg_sq::kind, typename Resolved::exp_avg_sq::how> {};
template <class Resolved, slot S>
using slot_codec_t = typename slot_codec<Resolved, S>::type;

//! Whether a policy keeps anything in a slot, and the element it keeps (char where it keeps nothing).
template <class Resolved, slot S>
inline constexpr bool has_slot = !std::is_void_v<typename slot_codec_t<Resolved, S>::stored>;
template <class Resolved, slot S>
inline constexpr bool has_scales = slot_codec_t<Resolved, S>::has_scales;
template <class Resolved, slot S>
using slot_code_t =
    std::conditional_t<has_slot<Resolved, S>, typename slot_codec_t<Resolved, S>::stored, char>;

}  // namespace adamant::inline v0
