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
        const cuda::optimizer_control now = optimizer_.control();
        run_state run{now.step, now.state_is_history, optimizer_.hyper_.seed, {}};
        if (optimizer_.scaler_) run.scaler = now.scaler;
        return run;
    }
    void restore(const run_state& run) override {
        if (run.scaler && optimizer_.scaler_) optimizer_.restore_scaler(*run.scaler);
        optimizer_.set_step_count(run.step);
        optimizer_.set(&cuda::optimizer_control::state_is_history, run.state_is_history);
        optimizer_.hyper_.seed = run.seed;
        optimizer_.state_.set_seed(run.seed);
    }

    stored_slot at(slot s, std::size_t tensor) override {
        if (s == slot::main_params)
            return at<slot::main_params>(optimizer_type::spec.main_params.kind, tensor);
        if (s == slot::exp_avg) return at<slot::exp_avg>(optimizer_type::spec.exp_avg.kind, tensor);
        return at<slot::exp_avg_sq>(optimizer_type::spec.exp_avg_sq.kind, tensor);
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
        if (s == slot::main_params)
            optimizer_.memory_.copy(copy.weights.data(),
                                    at_element(const_cast<void*>(weights), tensor, first),
                                    copy.weights.size());
        copy.state.export_range(s, 0, 0, values, copy.weights.data());
    }
    void import_range(slot s, std::size_t tensor, std::int64_t first, std::span<const float> values,
                      void* weights, std::int64_t step) override {
        auto copy = copy_of(tensor, first, values.size());
        copy.state.import_range(s, 0, 0, values, copy.weights.data(), step);
        copy.upload(optimizer_);
        if (s == slot::main_params)
            optimizer_.memory_.copy(at_element(weights, tensor, first), copy.weights.data(),
                                    copy.weights.size());
    }

private:
    template <slot S>
    stored_slot at(dtype kind, std::size_t tensor) {
        if (optimizer_.template state<S>(tensor).empty()) return {};
        const auto found = optimizer_.state_.template at<S>(tensor);
        return {kind, found.codes, found.scales};
    }
    auto copy_of(std::size_t tensor, std::int64_t first, std::size_t count) {
        return
            typename optimizer_type::host_copy(optimizer_, tensor, first, static_cast<std::int64_t>(count));
    }
    void* at_element(void* weights, std::size_t tensor, std::int64_t element) const {
        return static_cast<std::byte*>(weights) + element * optimizer_.weight_bytes(tensor);
    }

    optimizer_type& optimizer_;
};

}  // namespace adamant::inline v0::detail
