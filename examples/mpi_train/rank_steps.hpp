// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! rank_steps: the steps of a training on several processes, for basic_trainer. Each computes some of a
//! batch's micro-batches, and adamant does the rest.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include <adamant/optimizer/sharded.hpp>
#include <adamant/train/schedule.hpp>

namespace fashion_mnist {

template <class Policy, adamant::communicator Ranks>
class rank_steps {
public:
    using optimizer_type = adamant::sharded<Policy, Ranks>;

    rank_steps(optimizer_type optimizer, std::optional<adamant::schedule> plan)
        : optimizer_(std::move(optimizer)), schedule_(std::move(plan)) {}

    double loss_scale() const { return optimizer_.loss_scale(); }
    void init_masters(std::span<const adamant::tensor_view> params,
                      std::span<const adamant::tensor_view> values) {
        optimizer_.init_masters(params, values);
    }
    bool owns(std::size_t micro_batch) {
        const auto ranks = static_cast<std::size_t>(optimizer_.ranks().size());
        return micro_batch % ranks == static_cast<std::size_t>(optimizer_.ranks().rank());
    }
    void zero_grads() { optimizer_.zero_grads(); }
    void accumulate(std::size_t tensor, const adamant::tensor_view& gradient) {
        optimizer_.accumulate(tensor, gradient);
    }
    //! The buckets hold means over the ranks, of sums over their micro-batches. A program whose backward pass
    //! gives one gradient after the other calls mark_ready() for each, and the reduction goes on meanwhile.
    adamant::step_result step(std::span<const adamant::tensor_view> params, std::size_t micro_batches) {
        adamant::step_options options;
        options.grad_scale = optimizer_.ranks().size() / static_cast<double>(micro_batches);
        if (schedule_) {
            options.lr = schedule_->lr(optimizer_.step_count());
            options.weight_decay = schedule_->weight_decay(optimizer_.step_count());
        }
        return optimizer_.step(params, options);
    }
    double sum(double value) {
        double total = 0;
        for (const double of_rank : adamant::gather_values(optimizer_.ranks(), value)) total += of_rank;
        return total;
    }

private:
    optimizer_type optimizer_;
    std::optional<adamant::schedule> schedule_;
};

}  // namespace fashion_mnist
