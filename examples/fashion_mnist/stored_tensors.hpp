// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! stored_tensors: the tensors of a network in a dtype that is known at run time, as a framework holds
//! weights and gradients.
#pragma once

#include <variant>
#include <vector>

#include <adamant/state/tensor.hpp>

#include "tensor_values.hpp"

namespace fashion_mnist {

class stored_tensors {
public:
    //! Zeros in the sizes of `like`. The dtype is one of weights or gradients: fp32, bf16, fp16.
    stored_tensors(adamant::dtype kind, const tensor_values& like) {
        for (const std::vector<float>& values : like) {
            switch (kind) {
                case adamant::dtype::bf16:
                    tensors_.emplace_back(std::vector<adamant::bfloat16>(values.size()));
                    break;
                case adamant::dtype::fp16:
                    tensors_.emplace_back(std::vector<adamant::float16>(values.size()));
                    break;
                default: tensors_.emplace_back(std::vector<float>(values.size())); break;
            }
        }
    }

    //! What the optimizer is given. Valid as long as the tensors are.
    std::vector<adamant::tensor_view> views() {
        std::vector<adamant::tensor_view> result;
        for (auto& tensor : tensors_)
            std::visit([&](auto& elements) { result.emplace_back(std::span(elements)); }, tensor);
        return result;
    }

    //! Rounds to nearest, as a cast does: what is too large for fp16 becomes infinite.
    void store(const tensor_values& values) {
        for (std::size_t i = 0; i < tensors_.size(); ++i)
            std::visit([&](auto& elements) { round_into(elements, values[i]); }, tensors_[i]);
    }

    void load(tensor_values& values) const {
        for (std::size_t i = 0; i < tensors_.size(); ++i)
            std::visit(
                [&](const auto& elements) {
                    for (std::size_t k = 0; k < elements.size(); ++k)
                        values[i][k] = adamant::to_float(elements[k]);
                },
                tensors_[i]);
    }

private:
    template <class T>
    static void round_into(std::vector<T>& elements, const std::vector<float>& values) {
        for (std::size_t k = 0; k < elements.size(); ++k) elements[k] = adamant::round_to<T>(values[k]);
    }

    std::vector<
        std::variant<std::vector<float>, std::vector<adamant::bfloat16>, std::vector<adamant::float16>>>
        tensors_;
};

}  // namespace fashion_mnist
