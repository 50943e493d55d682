// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Stored codes as fp32 where the kind is known at run time only: the state of a file of another policy.
#pragma once

#include <cstdint>
#include <span>

#include <adamant/numerics/codecs.hpp>
#include <adamant/policy/policy_spec.hpp>
#include <adamant/state/slots.hpp>

namespace adamant::inline v0::safetensors {

//! Where a range of a slot was read to. It begins at a multiple of 32.
struct stored_range {
    void* weights = nullptr;  //!< for main_params
    void* codes = nullptr;
    std::uint8_t* scales = nullptr;
};

namespace detail {

template <class Codec>
void load_all(const typename Codec::view& view, std::span<float> values) {
    const auto size = static_cast<std::int64_t>(values.size());
    for (std::int64_t first = 0; first < size; first += group_size)
        Codec::load(view, first, static_cast<int>(std::min<std::int64_t>(group_size, size - first)),
                    values.data() + first);
}

template <class Codec>
void load_moment(const stored_range& from, std::span<float> values) {
    load_all<Codec>({static_cast<typename Codec::stored*>(from.codes), from.scales}, values);
}
//! The rounding of a kind does not matter to who reads it.
template <template <class, class> class Choice>
void load_moment(dtype kind, const stored_range& from, std::span<float> values) {
    switch (kind) {
        case dtype::fp32: return load_moment<typename Choice<fp32, exact>::type>(from, values);
        case dtype::bf16: return load_moment<typename Choice<bf16, nearest>::type>(from, values);
        case dtype::fp16: return load_moment<typename Choice<fp16, stochastic>::type>(from, values);
        case dtype::fp8: return load_moment<typename Choice<fp8, stochastic>::type>(from, values);
        default: return load_moment<typename Choice<fp8_fine, stochastic>::type>(from, values);
    }
}

template <class Codec>
void load_master(const stored_range& from, std::span<float> values) {
    using code = std::conditional_t<std::is_void_v<typename Codec::stored>, char, typename Codec::stored>;
    load_all<Codec>(
        {static_cast<typename Codec::weight*>(from.weights), {static_cast<code*>(from.codes), from.scales}},
        values);
}
template <class Mode>
void load_master(dtype kind, const stored_range& from, std::span<float> values) {
    if (kind == dtype::fp32) return load_master<fp32_master_codec<element_t<Mode>>>(from, values);
    if (kind == dtype::fp16)
        return load_master<typename weight_codec<Mode, fp16, stochastic>::type>(from, values);
    if constexpr (Mode::id == dtype::bf16) {
        if (kind == dtype::remainder16) return load_master<remainder16_codec>(from, values);
        if (kind == dtype::remainder8)
            return load_master<typename weight_codec<bf16, remainder8, stochastic>::type>(from, values);
    }
    load_master<weight_only_codec<element_t<Mode>>>(from, values);
}

}  // namespace detail

//! Values of a slot of a tensor whose weights are of dtype `type`, as a policy stores them.
inline void decode(slot s, const policy_spec& policy, dtype type, const stored_range& from,
                   std::span<float> values) {
    if (s == slot::exp_avg) return detail::load_moment<exp_avg_codec>(policy.exp_avg.kind, from, values);
    if (s == slot::exp_avg_sq)
        return detail::load_moment<exp_avg_sq_codec>(policy.exp_avg_sq.kind, from, values);
    // A tensor that is fp32 in a lower mode is its own master.
    const dtype kind = type == policy.mode ? policy.main_params.kind : dtype::none;
    switch (type) {
        case dtype::fp32: return detail::load_master<weight_only_codec<float>>(from, values);
        case dtype::bf16: return detail::load_master<bf16>(kind, from, values);
        default: return detail::load_master<fp16>(kind, from, values);
    }
}

}  // namespace adamant::inline v0::safetensors
