// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! ngram_trainer: trains the byte model with a candidate's optimizer. The same seed gives every candidate the
//! same initial weights and the same examples.
//!
//! The model computes with the master (export_fp32), so that only what the optimizer stores differs from fp32
//! arithmetic: a lossless master gives the losses of fp32, bit for bit.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <fashion_mnist/stored_tensors.hpp>

#include "candidates.hpp"
#include "ngram_model.hpp"

namespace convergence {

struct ngram_options {
    int steps = 4000;
    double beta2 = 0.999;
    std::uint64_t seed = 1;  //!< of initial weights, examples and rounding
    std::size_t batch = 64;
    double lr = 1e-3;
    bool on_master = true;  //!< false: the model computes with the weights as they are stored
};

struct ngram_run {
    std::vector<double> losses;   //!< of every step
    double largest_movement = 0;  //!< of a master's element in a step, its rounding included, over lr

    //! The mean of the last eighth of the steps: 500 of 4,000.
    double final_loss() const {
        const auto count = std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(losses.size()) / 8);
        return std::accumulate(losses.end() - count, losses.end(), 0.0) / static_cast<double>(count);
    }
};

class ngram_trainer {
public:
    ngram_trainer(const candidate& c, std::string_view text, const ngram_options& options)
        : text_(text),
          options_(options),
          rounds_weights_(c.rounds_weights()),
          tensors_(model_tensors()),
          masters_(initial_weights(options.seed)),
          weights_(c.optimizer_spec().mode, masters_),
          params_(weights_.views()),
          bucket_(model_sizes()),
          grad_views_(bucket_.views().begin(), bucket_.views().end()),
          optimizer_(optimizer_of(c, tensors_, params_, hyper_of(options.lr, options.beta2, options.seed))) {
        for (std::size_t t = 0; t < tensors_.size(); ++t) grads_.push_back(bucket_[t]);
        std::vector<adamant::tensor_view> initial;
        for (auto& values : masters_) initial.emplace_back(std::span(values));
        optimizer_.init_masters(params_, initial);
        read_masters();
    }

    ngram_run train() {
        ngram_run run;
        for (int step = 0; step < options_.steps; ++step) {
            batch_.draw(text_, options_.batch, options_.seed, static_cast<std::uint64_t>(step));
            bucket_.zero();
            run.losses.push_back(model_.gradients(values(), batch_, grads_));
            optimizer_.step(params_, grad_views_);
            run.largest_movement = std::max(run.largest_movement, read_masters() / options_.lr);
        }
        return run;
    }

private:
    const tensor_values& values() const { return options_.on_master ? masters_ : stored_; }

    //! The largest difference to those before.
    double read_masters() {
        double largest = 0;
        for (std::size_t t = 0; t < tensors_.size(); ++t) {
            const std::vector<float> now = optimizer_.export_fp32("main_params", t, params_[t]);
            largest = std::max(largest, double{largest_difference(now, masters_[t])});
            std::ranges::copy(now, masters_[t].begin());
        }
        if (rounds_weights_) {
            for (auto& values : masters_)
                for (float& value : values)
                    value = adamant::to_float(adamant::round_to<adamant::bfloat16>(value));
            weights_.store(masters_);
        }
        if (!options_.on_master) {
            stored_ = masters_;
            weights_.load(stored_);
        }
        return largest;
    }

    std::string_view text_;
    ngram_options options_;
    bool rounds_weights_;
    std::vector<adamant::tensor_info> tensors_;
    tensor_values masters_;
    tensor_values stored_;
    fashion_mnist::stored_tensors weights_;
    std::vector<adamant::tensor_view> params_;
    adamant::basic_grad_bucket<float> bucket_;
    std::vector<adamant::tensor_view> grad_views_;
    std::vector<std::span<float>> grads_;
    adamant::any_optimizer optimizer_;
    ngram_model model_;
    examples batch_;
};

}  // namespace convergence
