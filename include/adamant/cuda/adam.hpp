// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! adam<Policy, cuda::memory>: the optimizer with its state on a GPU. The same words as on the CPU and the
//! same bits; a step is a few launches and never waits for the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <adamant/cuda/bucket_work.hpp>
#include <adamant/cuda/host_copy.hpp>
#include <adamant/cuda/step_queue.hpp>
#include <adamant/optimizer/adam.hpp>

namespace adamant::inline v0 {

//! Parameters and gradients are in device memory, in lists that have the order and the sizes given at
//! construction; pointers may change between steps and gradients are never written. What was enqueued on the
//! stream before a call is seen by it; the destructor gives memory back in the stream's order.
//! A step can be captured in a CUDA graph: step count, loss scale, norm and lr stay on the device. Pointers,
//! the seed and what step_options say are the graph's then; lr, if not among them, is what set_lr set last.
//! Errors: those of adam on the CPU, and cuda_error. Pointers of parameters are looked at when the optimizer
//! is built, and not in a step.
template <class Resolved>
class basic_adam<Resolved, cuda::memory> {
public:
    using param_t = typename Resolved::param_t;
    using grad_t = typename Resolved::grad_t;
    static constexpr policy_spec spec = Resolved::spec;

    //! Masters start from the parameters; waits. options.executor is not used.
    template <parameter_list Params>
    basic_adam(std::span<const tensor_info> tensors, const Params& params, const hyperparameters& hyper,
               optimizer_options options, cuda::memory memory)
        : hyper_(judged(spec, hyper, options.accept)),
          memory_(memory),
          params_(std::ranges::begin(params), std::ranges::end(params)),
          grads_(params_.size()),
          scaler_(scaler_of(options)),
          state_({tensors, params_, dtype_of<param_t>, std::move(options.groups)},
                 std::move(options.flat_starts), hyper.seed, memory),
          queue_((check_pointers(), state_), control_at_start(), memory) {
        const pointer_loan loan(params_, grads_);
        queue_.start_masters(state_, params_, 0);
        memory_.wait();
    }

    template <parameter_list Params>
    basic_adam(std::span<const tensor_info> tensors, const Params& params, const hyperparameters& hyper,
               cuda::memory memory = {})
        : basic_adam(tensors, params, hyper, optimizer_options{}, memory) {}
    //! Without names and shapes: every tensor decays.
    template <parameter_list Params>
    basic_adam(const Params& params, const hyperparameters& hyper, optimizer_options options,
               cuda::memory memory)
        : basic_adam(std::span<const tensor_info>{}, params, hyper, std::move(options), memory) {}
    template <parameter_list Params>
    basic_adam(const Params& params, const hyperparameters& hyper, cuda::memory memory = {})
        : basic_adam(std::span<const tensor_info>{}, params, hyper, optimizer_options{}, memory) {}

    basic_adam(basic_adam&&) noexcept = default;
    basic_adam& operator=(basic_adam&&) noexcept = default;

    //! One read-only pass over the gradients (none where options.grad_norm is given) and one fused pass,
    //! enqueued. What came of it: result().
    template <parameter_list Params, tensor_list Grads>
    void step(const Params& params, const Grads& grads, const step_options& options = {}) {
        enqueue_step(params, grads, options, [] {});
    }
    //! The step of a part of a model, as on the CPU: agree(grad_statistics) is called when the device has
    //! read the gradients. Waits.
    template <parameter_list Params, tensor_list Grads, class Agree>
    step_result step(const Params& params, const Grads& grads, const step_options& options, Agree&& agree) {
        enqueue_step(params, grads, options, [&] {
            queue_.set(&cuda::optimizer_control::statistics, agree(queue_.control().statistics));
        });
        return result();
    }

    //! Of the last step; waits for it.
    step_result result() const {
        const cuda::optimizer_control now = queue_.control();
        const bool at_floor = scaler_ && (scaler_->settings().loss_scale.has_value() ||
                                          now.scaler.scale <= scaler_->settings().min_loss_scale);
        const cuda::device_result& r = now.result;
        return {r.status, r.grad_norm, r.clip_coefficient, r.lr, r.step, r.loss_scale, at_floor};
    }

    //! lr and weight_decay of the steps to come, of those in a graph too. In the order of the stream.
    void set_lr(double lr) {
        require_valid_step({.lr = lr}, hyper_, tensors().groups(), 1);
        queue_.set(&cuda::optimizer_control::lr, lr);
    }
    void set_weight_decay(double weight_decay) {
        require_valid_step({.weight_decay = weight_decay}, hyper_, tensors().groups(), 1);
        queue_.set(&cuda::optimizer_control::weight_decay, weight_decay);
    }

    //! Multiply the loss with it before the backward pass; 1 without a scaler. Waits for the device, where
    //! loss_scale_on_device() need not: it points to the value, or to nothing without a scaler.
    double loss_scale() const { return scaler_ ? queue_.control().scaler.scale : 1; }
    const double* loss_scale_on_device() const {
        return scaler_ ? &queue_.control_on_device()->scaler.scale : nullptr;
    }
    //! The scaler as it is now; waits.
    std::optional<loss_scaler> scaler() const {
        std::optional<loss_scaler> now = scaler_;
        if (now) now->restore(queue_.control().scaler);
        return now;
    }
    //! Goes on from a checkpoint.
    void restore_scaler(const loss_scaler::state& saved) {
        if (!scaler_)
            throw state_error(
                "[adamant] a loss scale is restored where there is a scaler: name one in options.");
        loss_scaler checked = *scaler_;
        checked.restore(saved);
        queue_.set(&cuda::optimizer_control::scaler, checked.current());
    }

    const hyperparameters& hyper() const { return hyper_; }
    //! Applied steps so far; waits.
    std::int64_t step_count() const { return queue_.control().step; }
    void set_step_count(std::int64_t step) {
        if (step < 0)
            throw state_error("[adamant] a step count is not negative: got " + std::to_string(step) + ".");
        if (step == cuda::endless)
            throw state_error("[adamant] the step count has reached its end, 2^63 - 1.");
        queue_.set(&cuda::optimizer_control::step, step);
        queue_.set(&cuda::optimizer_control::state_is_history, true);
    }

    std::size_t tensor_count() const { return tensors().size(); }
    std::size_t state_bytes() const { return state_.bytes(); }
    static std::size_t state_bytes(std::span<const std::int64_t> sizes) {
        return optimizer_state<Resolved, cuda::memory>::bytes(sizes);
    }
    static constexpr double bytes_per_param() { return Resolved::bytes_per_param(); }
    static std::string describe() { return Resolved::describe(); }

    //! The stored codes of a tensor, in device memory; empty where it has none.
    template <slot S>
    std::span<const slot_code_t<Resolved, S>> state(std::size_t tensor) const {
        return state_.template codes<S>(tensor);
    }
    //! The scale bytes of a tensor's groups of 32, in device memory; empty where its codes have none.
    template <slot S>
    std::span<const std::uint8_t> scales(std::size_t tensor) const {
        return state_.template scales<S>(tensor);
    }
    //! A slot of a tensor as fp32, on the host; waits. main_params needs the tensor's weights, in device
    //! memory.
    std::vector<float> export_fp32(slot s, std::size_t tensor, param_view weights = {}) const {
        auto copy = copy_of(tensor);
        if (s != slot::main_params) return copy.state().export_fp32(s, 0, {});
        tensors().check_view(weights, tensor, tensors().type(tensor), "parameters");
        copy.download_weights(weights.data);
        return copy.state().export_fp32(s, 0, copy.weights());
    }
    //! Sets a moment of a tensor from fp32 values on the host, rounded as the policy stores them; waits.
    void import_fp32(slot s, std::size_t tensor, std::span<const float> values) {
        tensors().check_tensor(tensor);
        tensors().check_size(static_cast<std::int64_t>(values.size()), tensor, "values");
        auto copy = copy_of(tensor);
        copy.state().import_fp32(s, 0, values, step_count());
        copy.upload(state_);
        queue_.set(&cuda::optimizer_control::state_is_history, false);
    }
    //! Starts weights, in device memory, and masters from fp32 values on the host; waits.
    template <parameter_list Params, tensor_list Values>
    void init_masters(const Params& params, const Values& values) {
        const pointer_loan loan(params_, grads_);
        std::vector<tensor_view> views(tensor_count());
        tensors().take(values, views, "values", [](std::size_t) { return dtype::fp32; });
        tensors().take_params(params, params_);
        for (std::size_t i = 0; i < views.size(); ++i) {
            auto copy = copy_of(i);
            copy.state().init_master(0, copy.weights().data, static_cast<const float*>(views[i].data),
                                     step_count());
            copy.upload(state_);
            copy.upload_weights(params_[i].data);
        }
    }

    //! After weights were changed from outside: masters start from them again.
    template <parameter_list Params>
    void reload_masters(const Params& params) {
        const pointer_loan loan(params_, grads_);
        tensors().take_params(params, params_);
        queue_.start_masters(state_, params_, static_cast<std::uint64_t>(step_count()));
    }

private:
    template <class Optimizer>
    friend class detail::adam_state_access;

    template <class Params, class Grads, class Agree>
    void enqueue_step(const Params& params, const Grads& grads, const step_options& options, Agree&& agree) {
        const pointer_loan loan(params_, grads_);
        tensors().take_params(params, params_);
        tensors().take(grads, grads_, "gradients", [](std::size_t) { return dtype_of<grad_t>; });
        const cuda::step_request request = request_of(options);
        queue_.step(state_, params_, grads_, request, agree);
    }

    //! Memory that a kernel cannot reach is found now, not by a crash of a step.
    void check_pointers() const {
        for (std::size_t i = 0; i < params_.size(); ++i) {
            if (params_[i].size == 0) continue;
            cudaPointerAttributes attributes{};
            cuda::check(cudaPointerGetAttributes(&attributes, params_[i].data),
                        "cudaPointerGetAttributes of the parameters of " + tensors().name(i));
            if (attributes.type == cudaMemoryTypeUnregistered)
                throw shape_error(
                    "[adamant] the tensors of a GPU's optimizer are in device memory: the parameters of " +
                    tensors().name(i) + " are in the host's.");
        }
    }

    static std::optional<loss_scaler> scaler_of(const optimizer_options& options) {
        if (options.loss_scaler) return loss_scaler(*options.loss_scaler);
        if (spec.mode == dtype::fp16) return loss_scaler(loss_scaler_settings{});
        return std::nullopt;
    }
    cuda::optimizer_control control_at_start() const {
        cuda::optimizer_control control{};
        control.lr = hyper_.lr;
        control.weight_decay = hyper_.weight_decay;
        control.state_is_history = true;
        if (scaler_) control.scaler = scaler_->current();
        control.result = {step_status::applied, 0, 1, hyper_.lr, 0, scaler_ ? scaler_->scale() : 1};
        return control;
    }

    //! Judges the numbers of a step.
    cuda::step_request request_of(const step_options& options) const {
        // A dynamic scale is on the device, which judges what follows from it.
        const bool is_constant = scaler_ && scaler_->settings().loss_scale;
        require_valid_step(options, hyper_, tensors().groups(), is_constant ? scaler_->scale() : 1);
        constexpr double none = -1;
        return {.hyper = hyper_,
                .grad_scale = options.grad_scale,
                .lr = options.lr.value_or(none),
                .weight_decay = options.weight_decay.value_or(none),
                .grad_norm = options.grad_norm.value_or(none),
                .scales_loss = scaler_.has_value(),
                .moves_scale = scaler_ && !scaler_->settings().loss_scale,
                .dynamics = scaler_ ? scaler_->dynamics() : loss_scale_dynamics{},
                .groups = static_cast<std::int32_t>(tensors().groups().size())};
    }

    cuda::host_copy<Resolved> copy_of(std::size_t tensor) const {
        tensors().check_tensor(tensor);
        return {state_, memory_, tensor, 0, tensors().sizes()[tensor]};
    }

    const tensor_registry& tensors() const { return state_.tensors(); }

    hyperparameters hyper_;
    cuda::memory memory_;
    std::vector<param_view> params_;  // both lists: what a call was handed, for the length of the call
    std::vector<tensor_view> grads_;
    std::optional<loss_scaler>
        scaler_;  // settings and the state at the start; what it is now is on the device
    tensor_state<Resolved, cuda::memory> state_;
    cuda::step_queue<Resolved> queue_;
};

}  // namespace adamant::inline v0

#include <adamant/cuda/state_access.hpp>  // last: it needs the class, whose users need it
