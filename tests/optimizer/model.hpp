// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A small model with its optimizer, the digest of all that an optimizer may change, and what it throws.
#pragma once

#include <digest.hpp>
#include <thrown.hpp>
#include <train/inputs.hpp>
#include <unjudged.hpp>

#include <adamant/optimizer/adam.hpp>

#include <limits>
#include <string>
#include <vector>

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

using adamant_test::digest;

template <class Policy>
struct model {
    using optimizer_type = adamant::adam<Policy>;
    using param_t = typename optimizer_type::param_t;
    using grad_t = typename optimizer_type::grad_t;

    std::vector<adamant::tensor_info> tensors{{.name = "layer.weight", .shape = {20, 15}},
                                              {.name = "layer.bias", .shape = {64}},
                                              {.name = "empty", .shape = {0, 7}},
                                              {.name = "scale", .shape = {}},
                                              {.name = "head"}};
    std::vector<std::size_t> sizes;
    std::vector<std::vector<param_t>> params;
    std::vector<std::vector<grad_t>> grads;
    optimizer_type optimizer;

    explicit model(const adamant::hyperparameters& hyper = {}, adamant::optimizer_options options = {},
                   std::size_t head = 5000)
        : sizes{300, 64, 0, 1, head},
          params(rounded<param_t>(1, 0.5)),
          optimizer(tensors, param_spans(), hyper, unjudged(std::move(options))) {
        new_grads(0);
    }

    std::vector<std::span<param_t>> param_spans() { return {params.begin(), params.end()}; }
    std::vector<std::span<const grad_t>> grad_spans() const { return {grads.begin(), grads.end()}; }
    std::vector<adamant::tensor_view> param_views() { return views(param_spans()); }
    std::vector<adamant::tensor_view> grad_views() const { return views(grad_spans()); }

    //! Gradients of backward pass number `number`.
    void new_grads(std::uint64_t number, double scale = 0.01) {
        grads = rounded<grad_t>(100 * (number + 1), scale);
    }

    adamant::step_result step(const adamant::step_options& options = {}) {
        return optimizer.step(param_spans(), grad_spans(), options);
    }
    adamant::step_result step_with_new_grads(std::uint64_t number) {
        new_grads(number);
        return step();
    }

    //! Parameters, then slots in declared order: codes, then scales.
    std::uint64_t digest() const {
        ::digest hash;
        for (const auto& values : params) hash.add(std::span(values));
        add_slot<adamant::slot::main_params>(hash);
        add_slot<adamant::slot::exp_avg>(hash);
        add_slot<adamant::slot::exp_avg_sq>(hash);
        return hash.value();
    }

private:
    template <adamant::slot S>
    void add_slot(::digest& hash) const {
        for (std::size_t i = 0; i < params.size(); ++i) hash.add(optimizer.template state<S>(i));
        for (std::size_t i = 0; i < params.size(); ++i) hash.add(optimizer.template scales<S>(i));
    }
    template <class T>
    std::vector<std::vector<T>> rounded(std::uint64_t seed, double scale) const {
        std::vector<std::vector<T>> result;
        for (const std::size_t size : sizes) {
            std::vector<T>& tensor = result.emplace_back();
            for (const float value : inputs::spread(size, ++seed, scale))
                tensor.push_back(adamant::round_to<T>(value));
        }
        return result;
    }
    template <class Spans>
    static std::vector<adamant::tensor_view> views(const Spans& spans) {
        return {spans.begin(), spans.end()};
    }
};

//! Whether a text has all the words, in any order.
inline bool says(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
        if (text.find(word) == std::string::npos) return false;
    return text.starts_with("[adamant] ");
}
