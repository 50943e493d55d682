// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! tensor_info and tensor_view: what the optimizer is told about a tensor, and where its values are.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <adamant/base/error.hpp>
#include <adamant/numerics/dtype.hpp>

namespace adamant::inline v0 {

//! A tensor as the model knows it. Without name and shape only its number is known in errors, and the
//! default weight decay cannot tell a bias.
struct tensor_info {
    std::string name{};
    std::vector<std::int64_t> shape{};
    int group = 0;        //!< index of its parameter group
    bool in_norm = true;  //!< whether its gradient counts in the gradient norm
};

//! Where a tensor's values are, with the dtype known at run time. A view of gradients is read only,
//! whatever its pointer says.
struct tensor_view {
    dtype type = dtype::fp32;
    void* data = nullptr;
    std::int64_t size = 0;

    std::size_t bytes() const {
        return static_cast<std::size_t>(size) * static_cast<std::size_t>(element_bytes(type));
    }

    tensor_view() = default;
    tensor_view(dtype kind, void* values, std::int64_t count) : type(kind), data(values), size(count) {}
    template <class T>
    requires(dtype_of<std::remove_const_t<T>> != dtype::none)
        tensor_view(std::span<T> values)  // NOLINT(google-explicit-constructor): spans are meant to convert
        : type(dtype_of<std::remove_const_t<T>>),
          data(const_cast<std::remove_const_t<T>*>(values.data())),
          size(static_cast<std::int64_t>(values.size())) {}
};

//! Calls f with a span of the view's elements: span<float>, span<bfloat16> or span<float16>. Throws
//! shape_error for a view of another dtype.
template <class F>
decltype(auto) visit_values(const tensor_view& view, F&& f) {
    const auto span_of = [&]<class T>(std::type_identity<T>) {
        return std::span<T>(static_cast<T*>(view.data), static_cast<std::size_t>(view.size));
    };
    switch (view.type) {
        case dtype::fp32: return f(span_of(std::type_identity<float>{}));
        case dtype::bf16: return f(span_of(std::type_identity<bfloat16>{}));
        case dtype::fp16: return f(span_of(std::type_identity<float16>{}));
        default:
            throw shape_error("[adamant] a tensor is fp32, bf16 or fp16: got " +
                              std::string(to_string(view.type)) + ".");
    }
}

//! Parameters: fp32 or the mode's dtype.
using param_view = tensor_view;

//! A list of tensors: spans of values, or tensor_view where the dtype is known at run time.
template <class R>
concept tensor_list = std::ranges::sized_range<const R> && std::ranges::random_access_range<const R> &&
    std::convertible_to<std::ranges::range_reference_t<const R>, tensor_view>;

template <tensor_list List>
tensor_view view_at(const List& list, std::size_t tensor) {
    return std::ranges::begin(list)[static_cast<std::ptrdiff_t>(tensor)];
}

template <class T>
inline constexpr bool is_read_only = false;
template <class T, std::size_t Extent>
inline constexpr bool is_read_only<std::span<const T, Extent>> = true;

//! Lists that several threads may read at once: views or spans side by side in memory. Nothing of a caller is
//! called to read an entry.
template <class T>
inline constexpr bool is_view = std::is_same_v<T, tensor_view>;
template <class T, std::size_t Extent>
inline constexpr bool is_view<std::span<T, Extent>> = true;
template <class List>
inline constexpr bool is_list_in_memory = false;
template <std::ranges::contiguous_range List>
inline constexpr bool is_list_in_memory<List> = is_view<std::ranges::range_value_t<List>>;

//! A list of tensors that are written: spans of const values are not.
template <class R>
concept parameter_list = tensor_list<R> && !is_read_only<std::ranges::range_value_t<const R>>;

//! "tensor 3 'decoder.bias'", for errors.
inline std::string name_of(std::size_t index, std::span<const tensor_info> tensors) {
    std::string text = "tensor " + std::to_string(index);
    if (index < tensors.size() && !tensors[index].name.empty()) text += " '" + tensors[index].name + "'";
    return text;
}

}  // namespace adamant::inline v0
