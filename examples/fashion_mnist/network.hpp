// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! network: a 784-256-128-10 perceptron with ReLU and softmax cross-entropy, computed in fp32 with Eigen.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <adamant/state/tensor.hpp>

#include "dataset.hpp"
#include "random.hpp"
#include "tensor_values.hpp"

namespace fashion_mnist {

using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using row_vector = Eigen::RowVectorXf;

inline constexpr std::array<int, 4> widths{image_pixels, 256, 128, classes};
inline constexpr std::size_t layers = widths.size() - 1;

//! fc1.weight [256, 784], fc1.bias [256], fc2.weight, ...
inline std::vector<adamant::tensor_info> network_tensors() {
    std::vector<adamant::tensor_info> tensors;
    for (std::size_t l = 0; l < layers; ++l) {
        const std::string name = "fc" + std::to_string(l + 1);
        tensors.push_back({.name = name + ".weight", .shape = {widths[l + 1], widths[l]}});
        tensors.push_back({.name = name + ".bias", .shape = {widths[l + 1]}});
    }
    return tensors;
}

inline tensor_values zero_values() {
    tensor_values values;
    for (std::size_t l = 0; l < layers; ++l) {
        values.emplace_back(static_cast<std::size_t>(widths[l + 1]) * static_cast<std::size_t>(widths[l]));
        values.emplace_back(static_cast<std::size_t>(widths[l + 1]));
    }
    return values;
}

//! He et al.'s uniform weights, biases of zero.
inline tensor_values initial_values(std::uint64_t seed) {
    tensor_values values = zero_values();
    for (std::size_t l = 0; l < layers; ++l) {
        const float bound = std::sqrt(6.0f / static_cast<float>(widths[l]));
        std::vector<float>& weight = values[2 * l];
        for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = random_uniform(seed, l, i, bound);
    }
    return values;
}

//! Images as the network sees them, one a row: mean 0 and deviation 1 over the training set.
struct batch {
    matrix images;
    std::vector<std::uint8_t> labels;

    void gather(const labelled_images& from, std::span<const std::int64_t> which) {
        images.resize(static_cast<Eigen::Index>(which.size()), image_pixels);
        labels.resize(which.size());
        for (std::size_t i = 0; i < which.size(); ++i) {
            labels[i] = from.labels[static_cast<std::size_t>(which[i])];
            const std::uint8_t* pixels = from.image(which[i]);
            float* row = images.data() + i * image_pixels;
            for (int p = 0; p < image_pixels; ++p)
                row[p] = (static_cast<float>(pixels[p]) / 255.0f - 0.2860f) / 0.3530f;
        }
    }
};

//! Sums over the images of a batch.
struct batch_result {
    double loss = 0;
    std::int64_t correct = 0;
};

class network {
public:
    //! Loss and right answers.
    batch_result evaluate(const tensor_values& values, const batch& input) {
        forward(values, input);
        return judge(input.labels);
    }

    //! The same, and the gradients of loss_scale * (mean loss of the batch).
    batch_result gradients(const tensor_values& values, const batch& input, float loss_scale,
                           tensor_values& grads) {
        forward(values, input);
        const batch_result result = judge(input.labels);
        // judge() left the softmax in the last layer's output; minus the one-hot labels it is the loss's
        // derivative.
        matrix& last = outputs_[layers - 1];
        for (Eigen::Index i = 0; i < last.rows(); ++i)
            last(i, input.labels[static_cast<std::size_t>(i)]) -= 1.0f;
        last *= loss_scale / static_cast<float>(last.rows());
        for (std::size_t l = layers; l-- > 0;) backward(l, values, input, grads);
        return result;
    }

private:
    using weight_map = Eigen::Map<matrix>;
    using bias_map = Eigen::Map<row_vector>;

    static Eigen::Map<const matrix> weight(const tensor_values& values, std::size_t l) {
        return {values[2 * l].data(), widths[l + 1], widths[l]};
    }
    static Eigen::Map<const row_vector> bias(const tensor_values& values, std::size_t l) {
        return {values[2 * l + 1].data(), widths[l + 1]};
    }

    void forward(const tensor_values& values, const batch& input) {
        for (std::size_t l = 0; l < layers; ++l) {
            const matrix& x = l == 0 ? input.images : outputs_[l - 1];
            outputs_[l].noalias() = x * weight(values, l).transpose();
            outputs_[l].rowwise() += bias(values, l);
            if (l + 1 < layers) outputs_[l] = outputs_[l].cwiseMax(0.0f);
        }
    }

    //! Turns the logits into their softmax.
    batch_result judge(const std::vector<std::uint8_t>& labels) {
        matrix& logits = outputs_[layers - 1];
        batch_result result;
        for (Eigen::Index i = 0; i < logits.rows(); ++i) {
            auto row = logits.row(i);
            const int label = labels[static_cast<std::size_t>(i)];
            Eigen::Index best = 0;
            const float largest = row.maxCoeff(&best);
            result.correct += best == label;
            const float at_label = row(label) - largest;
            row = (row.array() - largest).exp();
            const float sum = row.sum();
            result.loss += std::log(static_cast<double>(sum)) - static_cast<double>(at_label);
            row /= sum;
        }
        return result;
    }

    //! On entry outputs_[l] holds the loss's derivative after layer l, on return outputs_[l - 1] that before
    //! it.
    void backward(std::size_t l, const tensor_values& values, const batch& input, tensor_values& grads) {
        const matrix& x = l == 0 ? input.images : outputs_[l - 1];
        weight_map(grads[2 * l].data(), widths[l + 1], widths[l]).noalias() = outputs_[l].transpose() * x;
        bias_map(grads[2 * l + 1].data(), widths[l + 1]) = outputs_[l].colwise().sum();
        if (l == 0) return;
        before_.noalias() = outputs_[l] * weight(values, l);
        outputs_[l - 1] = (outputs_[l - 1].array() > 0.0f).select(before_, 0.0f);
    }

    std::array<matrix, layers> outputs_;
    matrix before_;
};

}  // namespace fashion_mnist
