// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! state_access of an optimizer on a GPU: what it keeps goes to files and comes back by way of the host. Part
//! of cuda/adam.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <adamant/cuda/adam.hpp>
#include <adamant/optimizer/state_access.hpp>

namespace adamant::inline v0::detail {

template <class Resolved>
class adam_state_access<basic_adam<Resolved, cuda::memory>> final : public state_access {
public:
    using optimizer_type = basic_adam<Resolved, cuda::memory>;

    explicit adam_state_access(optimizer_type& optimizer) : optimizer_(optimizer) {}

    policy_spec spec() const override { return optimizer_type::spec; }
    const tensor_registry& tensors() const override { return optimizer_.tensors(); }
    const hyperparameters& hyper() const override { return optimizer_.hyper(); }

    run_state run() const override {
        const cuda::optimizer_control now = optimizer_.queue_.control();
        run_state run{now.step, now.state_is_history, optimizer_.hyper_.seed, {}};
        if (optimizer_.scaler_) run.scaler = now.scaler;
        return run;
    }
    void restore(const run_state& run) override {
        if (run.scaler && optimizer_.scaler_) optimizer_.restore_scaler(*run.scaler);
        optimizer_.set_step_count(run.step);
        optimizer_.queue_.set(&cuda::optimizer_control::state_is_history, run.state_is_history);
        optimizer_.hyper_.seed = run.seed;
        optimizer_.state_.set_seed(run.seed);
    }

    stored_slot at(slot s, std::size_t tensor) override {
        return slot_at(optimizer_, optimizer_.state_, s, tensor);
    }

    bool is_on_host() const override { return false; }
    void copy_to_host(void* to, const void* from, std::int64_t bytes) const override {
        optimizer_.memory_.copy(to, from, static_cast<std::size_t>(bytes));
    }
    void copy_from_host(void* to, const void* from, std::int64_t bytes) override {
        optimizer_.memory_.copy(to, from, static_cast<std::size_t>(bytes));
    }

    void export_range(slot s, std::size_t tensor, std::int64_t first, std::span<float> values,
                      const void* weights) override {
        auto copy = copy_of(tensor, first, values.size());
        if (s == slot::main_params) copy.download_weights(weights);
        copy.state().export_range(s, 0, 0, values, copy.weights().data);
    }
    void import_range(slot s, std::size_t tensor, std::int64_t first, std::span<const float> values,
                      void* weights, std::int64_t step) override {
        auto copy = copy_of(tensor, first, values.size());
        copy.state().import_range(s, 0, 0, values, copy.weights().data, step);
        copy.upload(optimizer_.state_);
        if (s == slot::main_params) copy.upload_weights(weights);
    }

private:
    cuda::host_copy<Resolved> copy_of(std::size_t tensor, std::int64_t first, std::size_t count) const {
        return {optimizer_.state_, optimizer_.memory_, tensor, first, static_cast<std::int64_t>(count)};
    }

    optimizer_type& optimizer_;
};

}  // namespace adamant::inline v0::detail
