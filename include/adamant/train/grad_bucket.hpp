// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! grad_bucket: the gradients of all tensors in one buffer of the policy's bucket dtype.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <adamant/state/flat_index.hpp>
#include <adamant/state/memory.hpp>
#include <adamant/state/tensor.hpp>
#include <adamant/step/float_environment.hpp>

namespace adamant::inline v0 {

//! Throws shape_error for a gradient of tensor number `tensor` that has not its size.
inline void require_gradient_size(std::size_t size, std::size_t expected, std::size_t tensor) {
    if (size != expected)
        throw shape_error("[adamant] a gradient has its tensor's size: tensor " + std::to_string(tensor) +
                          ": expected " + std::to_string(expected) + " elements, got " +
                          std::to_string(size) + ".");
}

//! A sum with a summand more: in fp32, rounded to the sum's dtype.
template <class Element, class T>
ADAMANT_HOST_DEVICE constexpr Element added(Element sum, T summand) {
    return round_to<Element>(to_float(sum) + to_float(summand));
}

template <class Element, class T>
void add_gradient(std::span<Element> sum, std::span<T> gradient, std::size_t tensor) {
    require_gradient_size(gradient.size(), sum.size(), tensor);
    const default_float_environment environment;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = added(sum[i], gradient[i]);
}

//! Tensors lie in list order, each at a multiple of 128 elements; the padding between them stays zero. The
//! backward pass of a micro-batch adds to it, the optimizer reads it, and zero() is the user's to call.
//! A mean over n micro-batches is step_options.grad_scale = 1.0 / n.
template <class Element, memory Memory = host_memory>
class basic_grad_bucket {
public:
    using value_type = Element;

    //! Zeros for tensors of these sizes. Throws shape_error for a negative size.
    explicit basic_grad_bucket(std::span<const std::int64_t> sizes, Memory memory = {})
        : sizes_(sizes.begin(), sizes.end()),
          index_(sizes),
          values_(static_cast<std::size_t>(index_.size()), std::move(memory)) {
        for (std::size_t i = 0; i < sizes_.size(); ++i) views_.push_back((*this)[i]);
    }
    basic_grad_bucket(basic_grad_bucket&&) noexcept = default;
    basic_grad_bucket& operator=(basic_grad_bucket&&) noexcept = default;

    std::size_t tensor_count() const { return sizes_.size(); }

    //! The gradient of a tensor.
    std::span<Element> operator[](std::size_t tensor) {
        return {values_.data() + index_.start(tensor), static_cast<std::size_t>(sizes_[tensor])};
    }
    //! The gradients of all tensors, as step() takes them.
    const std::vector<std::span<const Element>>& views() const { return views_; }
    //! The whole buffer, padding included.
    std::span<Element> all() { return {values_.data(), static_cast<std::size_t>(index_.size())}; }

    void zero() { std::ranges::fill(all(), Element{}); }

    //! Adds a micro-batch's gradient of a tensor: in fp32, rounded to the bucket's dtype. In a bf16 bucket
    //! small summands vanish beside a large sum (1 added 512 times ends at 256): main_grads fp32 is the
    //! default.
    template <class T>
    void accumulate(std::size_t tensor, std::span<T> gradient) {
        if (tensor >= sizes_.size())
            throw shape_error("[adamant] this bucket has " + std::to_string(sizes_.size()) +
                              " tensors: there is no tensor " + std::to_string(tensor) + ".");
        add_gradient((*this)[tensor], gradient, tensor);
    }

private:
    std::vector<std::int64_t> sizes_;
    flat_index index_;
    buffer<Element, Memory> values_;
    std::vector<std::span<const Element>> views_;
};

//! A bucket whose dtype is known at run time, policy_spec::grad_bucket.
class any_grad_bucket {
public:
    //! Throws shape_error for a dtype that no bucket has, or a negative size.
    any_grad_bucket(dtype kind, std::span<const std::int64_t> sizes) : bucket_(make(kind, sizes)) {
        std::visit([this](auto& bucket) { views_.assign(bucket.views().begin(), bucket.views().end()); },
                   bucket_);
    }

    const std::vector<tensor_view>& views() const { return views_; }
    void zero() {
        std::visit([](auto& bucket) { bucket.zero(); }, bucket_);
    }
    void accumulate(std::size_t tensor, const tensor_view& gradient) {
        std::visit(
            [&](auto& bucket) {
                visit_values(gradient, [&](auto values) { bucket.accumulate(tensor, values); });
            },
            bucket_);
    }

private:
    using any =
        std::variant<basic_grad_bucket<float>, basic_grad_bucket<bfloat16>, basic_grad_bucket<float16>>;

    static any make(dtype kind, std::span<const std::int64_t> sizes) {
        any result{std::in_place_index<0>, std::span<const std::int64_t>{}};
        visit_values({kind, nullptr, 0},
                     [&]<class T>(std::span<T>) { result.emplace<basic_grad_bucket<T>>(sizes); });
        return result;
    }

    any bucket_;
    std::vector<tensor_view> views_;
};

//! The bucket of a policy.
template <class Policy, memory Memory = host_memory>
using grad_bucket = basic_grad_bucket<typename Policy::grad_t, Memory>;

}  // namespace adamant::inline v0
