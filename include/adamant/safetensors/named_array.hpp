// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! named_array: weights, codes and scales of a tensor under the names that they have in files, and where they
//! are in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <adamant/optimizer/state_access.hpp>
#include <adamant/safetensors/element_type.hpp>

namespace adamant::inline v0::safetensors {

struct named_array {
    std::string name;
    element_type type{};
    std::vector<std::int64_t> shape;  //!< of the whole, wherever its parts are
    element_range part;               //!< that is in memory here
    void* data = nullptr;             //!< the part's first element

    std::int64_t bytes() const { return part.size() * type.bytes; }
};

//! The name that a tensor has in files: its own, or tensor_0007.
inline std::string file_name_of(const tensor_registry& tensors, std::size_t tensor) {
    if (!tensors.info(tensor).name.empty()) return tensors.info(tensor).name;
    const std::string number = std::to_string(tensor);
    return "tensor_" + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') + number;
}

inline std::vector<std::int64_t> shape_of(const tensor_registry& tensors, std::size_t tensor) {
    const std::vector<std::int64_t>& shape = tensors.info(tensor).shape;
    return shape.empty() ? std::vector{tensors.sizes()[tensor]} : shape;
}

inline std::string weights_name(std::string_view tensor) { return "params." + std::string(tensor); }
inline std::string codes_name(slot s, std::string_view tensor) {
    return std::string(to_string(s)) + "." + std::string(tensor);
}
inline std::string scales_name(slot s, std::string_view tensor) {
    return std::string(to_string(s)) + ".scale." + std::string(tensor);
}

//! The groups of 32 of some elements.
constexpr element_range groups_of(element_range elements) {
    const auto ceiling = [](std::int64_t n) { return (n + group_size - 1) / group_size; };
    return {ceiling(elements.begin), ceiling(elements.end)};  // no elements, no groups
}

//! Weights of a tensor: all of them, whatever part of the state is held here.
inline named_array weights_of(const state_access& state, std::size_t tensor, const param_view& weights) {
    const tensor_registry& tensors = state.tensors();
    return {weights_name(file_name_of(tensors, tensor)),
            element_type_of(tensors.type(tensor)),
            shape_of(tensors, tensor),
            {0, tensors.sizes()[tensor]},
            weights.data};
}

constexpr dtype kind_of(const policy_spec& policy, slot s) {
    return s == slot::main_params ? policy.main_params.kind
           : s == slot::exp_avg   ? policy.exp_avg.kind
                                  : policy.exp_avg_sq.kind;
}

//! Codes and scales of a slot of a tensor as a policy stores them, as far as they are held here; where the
//! optimizer stores them alike, with their memory. None where the policy keeps nothing.
inline std::vector<named_array> slot_arrays(state_access& state, std::size_t tensor, slot s,
                                            const policy_spec& policy) {
    const tensor_registry& tensors = state.tensors();
    const dtype kind = kind_of(policy, s);
    if (kind == dtype::none || (s == slot::main_params && tensors.type(tensor) != policy.mode)) return {};
    const bool is_own = kind == kind_of(state.spec(), s);
    const stored_slot stored = is_own ? state.at(s, tensor) : stored_slot{};
    const std::string name = file_name_of(tensors, tensor);
    const element_range held = state.held(tensor);
    std::vector<named_array> arrays{
        {codes_name(s, name), element_type_of(kind), shape_of(tensors, tensor), held, stored.codes}};
    if (has_group_scale(kind))
        arrays.push_back({scales_name(s, name),
                          scale_bytes,
                          {groups_of({0, tensors.sizes()[tensor]}).end},
                          groups_of(held),
                          stored.scales});
    return arrays;
}

}  // namespace adamant::inline v0::safetensors
