// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! ngram_model: predicts a byte from the five before it. The last 1, 2, ... 5 bytes choose, by a hash, a row
//! of 16 numbers in one of five tables of 4,096; the five rows are the 80 inputs of a layer of 128 with ReLU
//! and a softmax over 256 bytes. Computed in fp32 with Eigen.
//!
//! A row has a gradient only when its n-gram comes by: gradients are sparse, and over the rows their squares
//! lie as far apart as the n-grams' frequencies. That is what a bad exp_avg_sq cannot live with.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <adamant/state/tensor.hpp>
#include <fashion_mnist/random.hpp>
#include <fashion_mnist/tensor_values.hpp>

namespace convergence {

using fashion_mnist::tensor_values;

inline constexpr int tables = 5, table_rows = 4096, row_size = 16;
inline constexpr int inputs = tables * row_size, hidden_size = 128, symbols = 256;

//! table1.weight to table5.weight [4096, 16], hidden.weight [128, 80], hidden.bias, output.weight [256, 128],
//! output.bias.
inline std::vector<adamant::tensor_info> model_tensors() {
    std::vector<adamant::tensor_info> tensors;
    for (int n = 1; n <= tables; ++n)
        tensors.push_back({.name = "table" + std::to_string(n) + ".weight", .shape = {table_rows, row_size}});
    tensors.push_back({.name = "hidden.weight", .shape = {hidden_size, inputs}});
    tensors.push_back({.name = "hidden.bias", .shape = {hidden_size}});
    tensors.push_back({.name = "output.weight", .shape = {symbols, hidden_size}});
    tensors.push_back({.name = "output.bias", .shape = {symbols}});
    return tensors;
}
inline constexpr std::size_t hidden_weight = tables, hidden_bias = tables + 1, output_weight = tables + 2,
                             output_bias = tables + 3;

inline std::vector<std::int64_t> model_sizes() {
    std::vector<std::int64_t> sizes;
    for (const adamant::tensor_info& tensor : model_tensors()) {
        sizes.push_back(1);
        for (const std::int64_t extent : tensor.shape) sizes.back() *= extent;
    }
    return sizes;
}

//! Uniform weights: tables of deviation 1, layers of He et al.'s, biases of zero.
inline tensor_values initial_weights(std::uint64_t seed) {
    tensor_values values;
    for (const std::int64_t size : model_sizes()) values.emplace_back(static_cast<std::size_t>(size));
    const auto fill = [&](std::size_t tensor, float deviation) {
        for (std::size_t i = 0; i < values[tensor].size(); ++i)
            values[tensor][i] = fashion_mnist::random_uniform(seed, tensor, i, std::sqrt(3.0f) * deviation);
    };
    for (std::size_t table = 0; table < tables; ++table) fill(table, 1.0f);
    fill(hidden_weight, std::sqrt(2.0f / inputs));
    fill(output_weight, std::sqrt(2.0f / hidden_size));
    return values;
}

//! The row of each table that the bytes before `position` choose.
inline std::array<std::int32_t, tables> rows_of(std::string_view text, std::size_t position) {
    std::array<std::int32_t, tables> rows{};
    std::uint32_t hash = 0x811C9DC5u;
    for (std::size_t n = 1; n <= tables; ++n) {
        hash = (hash ^ static_cast<unsigned char>(text[position - n])) * 0x01000193u;  // FNV-1a
        rows[n - 1] = static_cast<std::int32_t>((hash * 0x9E3779B1u) >> 20);           // Knuth's, top 12 bits
    }
    return rows;
}

struct examples {
    std::vector<std::array<std::int32_t, tables>> rows;
    std::vector<std::uint8_t> next;

    //! `count` places of the text, by chance.
    void draw(std::string_view text, std::size_t count, std::uint64_t seed, std::uint64_t step) {
        rows.clear();
        next.clear();
        constexpr std::uint64_t stream = 100;  // those below are the initial weights'
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t word = fashion_mnist::random_word(seed, stream, step * count + i);
            const std::size_t position =
                tables + static_cast<std::size_t>((std::uint64_t{word} * (text.size() - tables)) >> 32);
            rows.push_back(rows_of(text, position));
            next.push_back(static_cast<std::uint8_t>(text[position]));
        }
    }
};

//! The largest |a - b|, for vectors of one size.
inline float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    const auto array = [](const std::vector<float>& v) {
        return Eigen::Map<const Eigen::ArrayXf>(v.data(), static_cast<Eigen::Index>(v.size()));
    };
    return (array(a) - array(b)).abs().maxCoeff();
}

class ngram_model {
public:
    //! The mean loss of the examples, in nats per byte; its gradients are added to `grads`, which has zeros.
    double gradients(const tensor_values& values, const examples& batch,
                     const std::vector<std::span<float>>& grads) {
        forward(values, batch);
        const double loss = judge(batch.next);
        backward(values, batch, grads);
        return loss;
    }

private:
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using row_vector = Eigen::RowVectorXf;
    using weight_map = Eigen::Map<const matrix>;
    using bias_map = Eigen::Map<const row_vector>;

    void forward(const tensor_values& values, const examples& batch) {
        input_.resize(static_cast<Eigen::Index>(batch.next.size()), inputs);
        for (std::size_t i = 0; i < batch.next.size(); ++i)
            for (std::size_t table = 0; table < tables; ++table) {
                const float* row = values[table].data() + batch.rows[i][table] * row_size;
                std::copy(row, row + row_size, input_.data() + i * inputs + table * row_size);
            }
        hidden_.noalias() =
            input_ * weight_map(values[hidden_weight].data(), hidden_size, inputs).transpose();
        hidden_.rowwise() += bias_map(values[hidden_bias].data(), hidden_size);
        hidden_ = hidden_.cwiseMax(0.0f);
        output_.noalias() =
            hidden_ * weight_map(values[output_weight].data(), symbols, hidden_size).transpose();
        output_.rowwise() += bias_map(values[output_bias].data(), symbols);
    }

    //! Turns the logits into the derivative of the mean loss.
    double judge(const std::vector<std::uint8_t>& next) {
        double loss = 0;
        for (Eigen::Index i = 0; i < output_.rows(); ++i) {
            auto row = output_.row(i);
            const Eigen::Index label = next[static_cast<std::size_t>(i)];
            const float largest = row.maxCoeff(), at_label = row(label) - largest;
            row = (row.array() - largest).exp();
            const float sum = row.sum();
            loss += std::log(double{sum}) - double{at_label};
            row /= sum;
            row(label) -= 1.0f;
        }
        const auto count = static_cast<double>(next.size());
        output_ /= static_cast<float>(count);
        return loss / count;
    }

    void backward(const tensor_values& values, const examples& batch,
                  const std::vector<std::span<float>>& grads) {
        const auto weight_grad = [&](std::size_t tensor, int rows, int columns) {
            return Eigen::Map<matrix>(grads[tensor].data(), rows, columns);
        };
        const auto bias_grad = [&](std::size_t tensor) {
            return Eigen::Map<row_vector>(grads[tensor].data(),
                                          static_cast<Eigen::Index>(grads[tensor].size()));
        };
        weight_grad(output_weight, symbols, hidden_size).noalias() += output_.transpose() * hidden_;
        bias_grad(output_bias) += output_.colwise().sum();
        before_.noalias() = output_ * weight_map(values[output_weight].data(), symbols, hidden_size);
        hidden_ = (hidden_.array() > 0.0f).select(before_, 0.0f);
        weight_grad(hidden_weight, hidden_size, inputs).noalias() += hidden_.transpose() * input_;
        bias_grad(hidden_bias) += hidden_.colwise().sum();
        before_.noalias() = hidden_ * weight_map(values[hidden_weight].data(), hidden_size, inputs);
        for (std::size_t i = 0; i < batch.next.size(); ++i)
            for (std::size_t table = 0; table < tables; ++table) {
                float* row = grads[table].data() + batch.rows[i][table] * row_size;
                const float* derivative = before_.data() + i * inputs + table * row_size;
                for (int k = 0; k < row_size; ++k) row[k] += derivative[k];
            }
    }

    matrix input_, hidden_, output_, before_;
};

}  // namespace convergence
