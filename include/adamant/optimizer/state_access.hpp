// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! state_access: all that an optimizer keeps, for who stores it and puts it back; the policy is known at run
//! time.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include <adamant/optimizer/adam.hpp>

namespace adamant::inline v0 {

//! What an optimizer keeps beside arrays.
struct run_state {
    std::int64_t step = 0;         //!< applied steps
    bool state_is_history = true;  //!< the moments are what these steps led to, from zero
    std::uint64_t seed = 0;        //!< of stochastic rounding
    std::optional<loss_scaler::state> scaler{};

    friend bool operator==(const run_state&, const run_state&) = default;
};

//! Elements begin to end - 1.
struct element_range {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - begin; }
    friend bool operator==(const element_range&, const element_range&) = default;
};

//! A slot of a tensor as it is stored, from the first element that is held here.
struct stored_slot {
    dtype kind = dtype::none;
    void* codes = nullptr;           //!< null where the slot keeps nothing
    std::uint8_t* scales = nullptr;  //!< a byte per group of 32, null where the kind has none
};

//! Valid as long as the optimizer stays where it is.
class state_access {
public:
    state_access() = default;
    state_access(const state_access&) = delete;
    state_access& operator=(const state_access&) = delete;
    virtual ~state_access() = default;

    virtual policy_spec spec() const = 0;
    virtual const tensor_registry& tensors() const = 0;
    virtual const hyperparameters& hyper() const = 0;
    virtual run_state run() const = 0;
    //! The scaler's state is kept where there is a scaler.
    virtual void restore(const run_state& run) = 0;

    //! The elements of a tensor whose state is held here: all of them, or those of a rank. It begins at a
    //! multiple of 128 and ends at one or at the tensor's end.
    virtual element_range held(std::size_t tensor) const { return {0, tensors().sizes()[tensor]}; }
    virtual stored_slot at(slot s, std::size_t tensor) = 0;

    //! Whether parameters and state are in the host's memory; else they are copied as these say.
    virtual bool is_on_host() const { return true; }
    virtual void copy_to_host(void* to, const void* from, std::int64_t bytes) const {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
    virtual void copy_from_host(void* to, const void* from, std::int64_t bytes) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }

    //! Elements of a slot from `first` on, a multiple of 128, as fp32; `weights` is the tensor's first
    //! weight, and only main_params asks for it.
    virtual void export_range(slot s, std::size_t tensor, std::int64_t first, std::span<float> values,
                              const void* weights) = 0;
    //! Sets them, rounded with the noise of `step`; main_params sets the weights too.
    virtual void import_range(slot s, std::size_t tensor, std::int64_t first, std::span<const float> values,
                              void* weights, std::int64_t step) = 0;
};

namespace detail {

//! Where an optimizer's slot of a tensor is; null pointers where it keeps nothing of it.
template <class Optimizer, class State>
stored_slot slot_at(const Optimizer& optimizer, State& state, slot wanted, std::size_t tensor) {
    stored_slot result;
    const auto look = [&]<slot S>(std::integral_constant<slot, S>, dtype kind) {
        if (wanted != S || optimizer.template state<S>(tensor).empty()) return;
        const auto found = state.template at<S>(tensor);
        result = {kind, found.codes, found.scales};
    };
    look(std::integral_constant<slot, slot::main_params>{}, Optimizer::spec.main_params.kind);
    look(std::integral_constant<slot, slot::exp_avg>{}, Optimizer::spec.exp_avg.kind);
    look(std::integral_constant<slot, slot::exp_avg_sq>{}, Optimizer::spec.exp_avg_sq.kind);
    return result;
}

template <class Optimizer>
class adam_state_access final : public state_access {
public:
    explicit adam_state_access(Optimizer& optimizer) : optimizer_(optimizer) {}

    policy_spec spec() const override { return Optimizer::spec; }
    const tensor_registry& tensors() const override { return optimizer_.tensors(); }
    const hyperparameters& hyper() const override { return optimizer_.hyper(); }

    run_state run() const override {
        run_state run{optimizer_.step_, optimizer_.state_is_history_, optimizer_.hyper_.seed, {}};
        if (optimizer_.scaler_) run.scaler = optimizer_.scaler_->current();
        return run;
    }
    void restore(const run_state& run) override {
        if (run.scaler && optimizer_.scaler_) optimizer_.scaler_->restore(*run.scaler);
        optimizer_.set_step_count(run.step);
        optimizer_.hyper_.seed = run.seed;
        optimizer_.state_.set_seed(run.seed);
        optimizer_.go_on_from(run.step, run.state_is_history);
    }

    stored_slot at(slot s, std::size_t tensor) override {
        return slot_at(optimizer_, optimizer_.state_, s, tensor);
    }
    void export_range(slot s, std::size_t tensor, std::int64_t first, std::span<float> values,
                      const void* weights) override {
        optimizer_.state_.export_range(s, tensor, first, values, weights);
    }
    void import_range(slot s, std::size_t tensor, std::int64_t first, std::span<const float> values,
                      void* weights, std::int64_t step) override {
        optimizer_.state_.import_range(s, tensor, first, values, weights, step);
    }

private:
    Optimizer& optimizer_;
};

}  // namespace detail

template <class Resolved, memory Memory>
std::unique_ptr<state_access> access_state(basic_adam<Resolved, Memory>& optimizer) {
    return std::make_unique<detail::adam_state_access<basic_adam<Resolved, Memory>>>(optimizer);
}

}  // namespace adamant::inline v0
