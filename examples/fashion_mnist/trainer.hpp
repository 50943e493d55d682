// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! trainer: trains the network with an optimizer whose policy is known at run time.
//!
//! What a policy asks of a training program is in basic_trainer::step, line by line: the loss is multiplied
//! by loss_scale(), gradients come out in the dtype of the weights, the bucket holds them in its own, and a
//! step may be skipped.
#pragma once

#include <algorithm>
#include <chrono>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <adamant/optimizer/any_optimizer.hpp>
#include <adamant/train/grad_bucket.hpp>

#include "history.hpp"
#include "network.hpp"
#include "stored_tensors.hpp"

namespace fashion_mnist {

struct training_options {
    int epochs = 8;
    int batch = 128;
    std::uint64_t seed = 1;

    std::int64_t steps_per_epoch(std::int64_t images) const { return (images + batch - 1) / batch; }
    std::int64_t total_steps(std::int64_t images) const { return epochs * steps_per_epoch(images); }
};

//! Who holds gradients and takes steps: a process by itself. examples/mpi_train has the other one.
class local_steps {
public:
    local_steps(adamant::dtype bucket, std::span<const adamant::tensor_view> params,
                adamant::any_optimizer optimizer)
        : bucket_(bucket, sizes_of(params)), optimizer_(std::move(optimizer)) {}

    double loss_scale() const { return optimizer_.loss_scale(); }
    void init_masters(std::span<const adamant::tensor_view> params,
                      std::span<const adamant::tensor_view> values) {
        optimizer_.init_masters(params, values);
    }
    //! Whether this process computes a step's micro-batch.
    static bool owns(std::size_t) { return true; }
    void zero_grads() { bucket_.zero(); }
    void accumulate(std::size_t tensor, const adamant::tensor_view& gradient) {
        bucket_.accumulate(tensor, gradient);
    }
    //! Each gradient is a mean over its micro-batch, so the sum times 1 / micro_batches is the mean over the
    //! batch.
    adamant::step_result step(std::span<const adamant::tensor_view> params, std::size_t micro_batches) {
        return optimizer_.step(params, bucket_.views(),
                               {.grad_scale = 1.0 / static_cast<double>(micro_batches)});
    }
    //! Of all processes.
    static double sum(double value) { return value; }

private:
    static std::vector<std::int64_t> sizes_of(std::span<const adamant::tensor_view> tensors) {
        std::vector<std::int64_t> sizes;
        for (const auto& tensor : tensors) sizes.push_back(tensor.size);
        return sizes;
    }

    adamant::any_grad_bucket bucket_;
    adamant::any_optimizer optimizer_;
};

template <class Steps>
class basic_trainer {
public:
    //! make_steps(tensors, params) yields the Steps for `spec`.
    template <class MakeSteps>
    basic_trainer(const adamant::policy_spec& spec, MakeSteps&& make_steps, const dataset& data,
                  const training_options& options)
        : data_(data),
          options_(options),
          tensors_(network_tensors()),
          values_(initial_values(options.seed)),
          grads_(zero_values()),
          weights_(spec.mode, values_),
          weight_grads_(spec.mode, grads_),
          params_(weights_.views()),
          weight_grad_views_(weight_grads_.views()),
          steps_(make_steps(std::span<const adamant::tensor_info>(tensors_),
                            std::span<const adamant::tensor_view>(params_))) {
        // Masters start from the unrounded values, so that every policy starts from the same network.
        std::vector<adamant::tensor_view> initial;
        for (auto& values : values_) initial.emplace_back(std::span(values));
        steps_.init_masters(params_, initial);
        weights_.load(values_);
        history_.spec = spec;
    }

    //! `display` is told of points and epochs, as progress is.
    template <class Display>
    history train(std::string name, Display&& display) {
        history_.name = std::move(name);
        const auto start = std::chrono::steady_clock::now();
        for (int epoch = 0; epoch < options_.epochs; ++epoch) {
            epoch_summary summary = train_epoch(epoch, display);
            summary.test = test();
            summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            history_.epochs.push_back(summary);
            display.epoch(summary);
        }
        history_.seconds = history_.last().seconds;
        return history_;
    }

private:
    static constexpr std::int64_t steps_per_point = 20;
    static constexpr std::size_t micro_batches_per_step = 2;
    static constexpr int skipped_in_a_row_limit = 100;  // from 2^32 a loss scale falls to 1 in 33 steps

    template <class Display>
    epoch_summary train_epoch(int epoch, Display& display) {
        const std::int64_t images = data_.train.size(), steps = options_.steps_per_epoch(images);
        // Streams 0 to 2 are the initial weights of the three layers.
        const std::vector<std::int64_t> order =
            random_order(options_.seed, layers + static_cast<std::uint64_t>(epoch), images);
        double epoch_loss = 0, point_loss = 0;
        std::int64_t point_images = 0;
        adamant::step_result last;
        for (std::int64_t s = 0; s < steps; ++s) {
            const std::int64_t first = s * options_.batch,
                               count = std::min<std::int64_t>(options_.batch, images - first);
            const auto [loss, result] = step(
                std::span(order).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
            last = result;
            epoch_loss += loss;
            point_loss += loss;
            point_images += count;
            if ((s + 1) % steps_per_point == 0 || s + 1 == steps) {
                history_.curve.push_back(
                    {.step = history_.steps,
                     .epoch = epoch + static_cast<double>(s + 1) / static_cast<double>(steps),
                     .train_loss = point_loss / static_cast<double>(point_images),
                     .lr = result.lr,
                     .grad_norm = result.grad_norm,
                     .loss_scale = result.loss_scale,
                     .skipped_steps = history_.skipped_steps});
                point_loss = 0;
                point_images = 0;
                display.step(history_.steps, history_.curve.back());
            }
        }
        return {
            .step = history_.steps, .train_loss = epoch_loss / static_cast<double>(images), .lr = last.lr};
    }

    struct step_outcome {
        double loss;  //!< sum over the batch
        adamant::step_result result;
    };

    //! A step over micro-batches, whose gradients add up in the bucket.
    step_outcome step(std::span<const std::int64_t> images) {
        const auto loss_scale = static_cast<float>(steps_.loss_scale());
        const std::size_t micro_batches = std::min<std::size_t>(micro_batches_per_step, images.size());
        double loss = 0;
        steps_.zero_grads();
        for (std::size_t m = 0; m < micro_batches; ++m) {
            if (!steps_.owns(m)) continue;
            const std::size_t begin = images.size() * m / micro_batches,
                              end = images.size() * (m + 1) / micro_batches;
            input_.gather(data_.train, images.subspan(begin, end - begin));
            loss += network_.gradients(values_, input_, loss_scale, grads_).loss;
            weight_grads_.store(grads_);  // backward gives gradients in the dtype of the weights,
            for (std::size_t t = 0; t < tensors_.size(); ++t)
                steps_.accumulate(t, weight_grad_views_[t]);  // the bucket holds them in the policy's
        }
        const adamant::step_result result = steps_.step(params_, micro_batches);
        weights_.load(values_);
        count(result);
        return {steps_.sum(loss), result};
    }

    void count(const adamant::step_result& result) {
        ++history_.steps;
        history_.loss_scale = result.loss_scale;
        if (result.status == adamant::step_status::applied) {
            skipped_in_a_row_ = 0;
            return;
        }
        ++history_.skipped_steps;
        if (++skipped_in_a_row_ == skipped_in_a_row_limit)
            throw std::runtime_error(
                "the last " + std::to_string(skipped_in_a_row_limit) +
                " steps were skipped, the gradients are not finite: lower lr or clip_grad.");
    }

    test_result test() {
        batch_result sum;
        std::vector<std::int64_t> which;
        const std::int64_t images = data_.test.size();
        for (std::int64_t first = 0; first < images; first += 500) {
            which.resize(static_cast<std::size_t>(std::min<std::int64_t>(500, images - first)));
            std::iota(which.begin(), which.end(), first);
            input_.gather(data_.test, which);
            const batch_result part = network_.evaluate(values_, input_);
            sum.loss += part.loss;
            sum.correct += part.correct;
        }
        const auto total = static_cast<double>(images);
        return {.loss = sum.loss / total, .accuracy = 100 * static_cast<double>(sum.correct) / total};
    }

    const dataset& data_;
    training_options options_;
    std::vector<adamant::tensor_info> tensors_;
    network network_;
    batch input_;
    tensor_values values_;  // the weights as the network computes with them, decoded from weights_
    tensor_values grads_;
    stored_tensors weights_;
    stored_tensors weight_grads_;
    std::vector<adamant::tensor_view> params_;
    std::vector<adamant::tensor_view> weight_grad_views_;
    Steps steps_;
    history history_;
    int skipped_in_a_row_ = 0;
};

class trainer : public basic_trainer<local_steps> {
public:
    //! make_optimizer(tensors, params) yields the any_optimizer for `spec`.
    template <class MakeOptimizer>
    trainer(const adamant::policy_spec& spec, MakeOptimizer&& make_optimizer, const dataset& data,
            const training_options& options)
        : basic_trainer(
              spec,
              [&](auto tensors, auto params) {
                  return local_steps(spec.grad_bucket, params, make_optimizer(tensors, params));
              },
              data, options) {}
};

}  // namespace fashion_mnist
