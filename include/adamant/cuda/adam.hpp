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

#include <adamant/cuda/decide_kernel.hpp>
#include <adamant/cuda/norm_kernel.hpp>
#include <adamant/cuda/start_kernel.hpp>
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
        : hyper_((require_valid(hyper), require_sound(spec, hyper, options.accept), hyper)),
          memory_(memory),
          params_(std::ranges::begin(params), std::ranges::end(params)),
          grads_(params_.size()),
          state_({tensors, params_, dtype_of<param_t>, std::move(options.groups)},
                 std::move(options.flat_starts), hyper.seed, memory),
          plan_(state_, !std::is_same_v<param_t, float>),
          table_(std::make_unique<cuda::tensor_table>()),
          chunks_(plan_.chunks().size(), memory),
          entries_(plan_.entries().size(), memory),
          groups_(state_.tensors().groups().size(), memory),
          constants_(state_.tensors().groups().size(), memory),
          control_(1, memory) {
        const pointer_loan loan{*this};
        check_pointers();
        if (options.loss_scaler) scaler_.emplace(*options.loss_scaler);
        else if (spec.mode == dtype::fp16) scaler_.emplace(loss_scaler_settings{});
        upload();
        start_masters();
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
        const pointer_loan loan{*this};
        take_params(params);
        tensors().take(grads, grads_, "gradients", [](std::size_t) { return dtype_of<grad_t>; });
        const cuda::step_request request = request_of(options);
        if (std::exchange(is_undecided_, true))  // a launch failed: what was read then is not of this step
            set(&cuda::optimizer_control::statistics, grad_statistics{});
        if (!options.grad_norm) read_gradients();
        launch("decide_kernel", nullptr, 1, 32, cuda::decide_kernel<32>, request, control_.data(),
               groups_.data(), constants_.data());
        is_undecided_ = false;
        update();
    }

    //! Of the last step; waits for it.
    step_result result() const {
        const cuda::optimizer_control now = control();
        const bool at_floor = scaler_ && (scaler_->settings().loss_scale.has_value() ||
                                          now.scaler.scale <= scaler_->settings().min_loss_scale);
        const cuda::device_result& r = now.result;
        return {r.status, r.grad_norm, r.clip_coefficient, r.lr, r.step, r.loss_scale, at_floor};
    }

    //! lr and weight_decay of the steps to come, of those in a graph too. In the order of the stream.
    void set_lr(double lr) {
        require_valid_step({.lr = lr}, hyper_, tensors().groups(), 1);
        set(&cuda::optimizer_control::lr, lr);
    }
    void set_weight_decay(double weight_decay) {
        require_valid_step({.weight_decay = weight_decay}, hyper_, tensors().groups(), 1);
        set(&cuda::optimizer_control::weight_decay, weight_decay);
    }

    //! Multiply the loss with it before the backward pass; 1 without a scaler. Waits for the device, where
    //! loss_scale_on_device() need not: it points to the value, or to nothing without a scaler.
    double loss_scale() const { return scaler_ ? control().scaler.scale : 1; }
    const double* loss_scale_on_device() const {
        return scaler_ ? &const_cast<basic_adam&>(*this).control_.data()->scaler.scale : nullptr;
    }
    //! The scaler as it is now; waits.
    std::optional<loss_scaler> scaler() const {
        std::optional<loss_scaler> now = scaler_;
        if (now) now->restore(control().scaler);
        return now;
    }
    //! Goes on from a checkpoint.
    void restore_scaler(const loss_scaler::state& saved) {
        if (!scaler_)
            throw state_error(
                "[adamant] a loss scale is restored where there is a scaler: name one in options.");
        loss_scaler checked = *scaler_;
        checked.restore(saved);
        set(&cuda::optimizer_control::scaler, checked.current());
    }

    const hyperparameters& hyper() const { return hyper_; }
    //! Applied steps so far; waits.
    std::int64_t step_count() const { return control().step; }
    void set_step_count(std::int64_t step) {
        if (step < 0)
            throw state_error("[adamant] a step count is not negative: got " + std::to_string(step) + ".");
        if (step == cuda::endless)
            throw state_error("[adamant] the step count has reached its end, 2^63 - 1.");
        set(&cuda::optimizer_control::step, step);
        set(&cuda::optimizer_control::state_is_history, true);
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
        host_copy copy = copy_of(tensor);
        if (s != slot::main_params) return copy.state.export_fp32(s, 0, {});
        tensors().check_view(weights, tensor, tensors().type(tensor), "parameters");
        memory_.copy(copy.weights.data(), weights.data, copy.weights.size());
        return copy.state.export_fp32(s, 0, copy.view());
    }
    //! Sets a moment of a tensor from fp32 values on the host, rounded as the policy stores them; waits.
    void import_fp32(slot s, std::size_t tensor, std::span<const float> values) {
        tensors().check_tensor(tensor);
        tensors().check_size(static_cast<std::int64_t>(values.size()), tensor, "values");
        host_copy copy = copy_of(tensor);
        copy.state.import_fp32(s, 0, values, step_count());
        copy.upload(*this);
        set(&cuda::optimizer_control::state_is_history, false);
    }
    //! Starts weights, in device memory, and masters from fp32 values on the host; waits.
    template <parameter_list Params, tensor_list Values>
    void init_masters(const Params& params, const Values& values) {
        const pointer_loan loan{*this};
        std::vector<tensor_view> views(tensor_count());
        tensors().take(values, views, "values", [](std::size_t) { return dtype::fp32; });
        take_params(params);
        for (std::size_t i = 0; i < views.size(); ++i) {
            host_copy copy = copy_of(i);
            copy.state.init_master(0, copy.weights.data(), static_cast<const float*>(views[i].data),
                                   step_count());
            copy.upload(*this);
            memory_.copy(params_[i].data, copy.weights.data(), copy.weights.size());
        }
    }

    //! After weights were changed from outside: masters start from them again.
    template <parameter_list Params>
    void reload_masters(const Params& params) {
        const pointer_loan loan{*this};
        take_params(params);
        start_masters();
    }

private:
    template <class Optimizer>
    friend class detail::adam_state_access;
    template <slot S>
    using codec = slot_codec_t<Resolved, S>;
    using weight_codec = codec<slot::main_params>;
    using fp32_weight_codec = weight_only_codec<float>;
    using main_grad_t = element_t<typename Resolved::main_grads>;

    struct pointer_loan {
        basic_adam& optimizer;
        ~pointer_loan() {
            for (tensor_view& view : optimizer.params_) view.data = nullptr;
            for (tensor_view& view : optimizer.grads_) view.data = nullptr;
        }
    };

    template <parameter_list Params>
    void take_params(const Params& params) {
        tensors().take(params, params_, "parameters", [this](std::size_t i) { return tensors().type(i); });
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

    void upload() {
        std::vector<cuda::group_multipliers> groups;
        for (const param_group& group : tensors().groups()) groups.push_back({group.lr_mult, group.wd_mult});
        cuda::optimizer_control control{};
        control.lr = hyper_.lr;
        control.weight_decay = hyper_.weight_decay;
        control.state_is_history = true;
        if (scaler_) control.scaler = scaler_->current();
        control.result = {step_status::applied, 0, 1, hyper_.lr, 0, scaler_ ? scaler_->scale() : 1};
        const auto copy = [this](auto& buffer, const auto* values) {
            memory_.copy(buffer.data(), values, buffer.bytes());
        };
        copy(chunks_, plan_.chunks().data());
        copy(entries_, plan_.entries().data());
        copy(groups_, groups.data());
        copy(control_, &control);
    }

    cuda::optimizer_control control() const {
        cuda::optimizer_control now{};
        memory_.copy(&now, const_cast<basic_adam&>(*this).control_.data(), sizeof now);
        return now;
    }
    template <class T>
    void set(T cuda::optimizer_control::*member, T value) {
        launch("set_kernel", nullptr, 1, 1, cuda::set_kernel<T>, &(control_.data()->*member), value);
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

    //! The pointers of a launch's tensors, by slot.
    const cuda::tensor_table& table_of(const cuda::launch& l) {
        for (std::size_t slot = 0; slot < l.tensors.size(); ++slot) {
            table_->params[slot] = params_[l.tensors[slot]].data;
            table_->grads[slot] = grads_[l.tensors[slot]].data;
        }
        return *table_;
    }

    void read_gradients() {
        constexpr std::size_t most_blocks = 2048;
        for (const cuda::launch& l : plan_.launches())
            launch("norm_kernel", &l, std::min(l.chunks, most_blocks), cuda::threads,
                   cuda::norm_kernel<main_grad_t, grad_t>, table_of(l), chunks_.data() + l.first_chunk,
                   static_cast<int>(l.chunks), entries_.data() + l.first_entry, &control_.data()->statistics);
    }

    void update() {
        for (const cuda::launch& l : plan_.launches())
            with_weights(l, [&]<class W>(std::type_identity<W>) {
                using exp_avg = codec<slot::exp_avg>;
                using exp_avg_sq = codec<slot::exp_avg_sq>;
                const cuda::update_state<W, exp_avg, exp_avg_sq> state{
                    .chunks = chunks_.data() + l.first_chunk,
                    .entries = entries_.data() + l.first_entry,
                    .masters = masters_of<W>(),
                    .exp_avg = state_.storage().template all<slot::exp_avg>(),
                    .exp_avg_sq = state_.storage().template all<slot::exp_avg_sq>(),
                    .status = &control_.data()->result.status,
                    .constants = constants_.data(),
                    .lasting = constants_of_step(hyper_, 1, 0, 0, 1)};
                launch("update_kernel", &l, l.chunks, cuda::threads,
                       cuda::update_kernel<main_grad_t, W, grad_t, exp_avg, exp_avg_sq>, table_of(l), state);
            });
    }

    void start_masters() {
        const auto step = static_cast<std::uint64_t>(step_count());
        for (const cuda::launch& l : plan_.launches())
            with_weights(l, [&]<class W>(std::type_identity<W>) {
                if constexpr (W::has_master)
                    launch("start_kernel", &l, l.chunks, cuda::threads, cuda::start_kernel<W>, table_of(l),
                           chunks_.data() + l.first_chunk, entries_.data() + l.first_entry, masters_of<W>(),
                           hyper_.seed, step);
            });
    }

    //! Calls f with the codec of a launch's weights. Those that are fp32 in a lower mode are their own
    //! masters.
    template <class F>
    static void with_weights(const cuda::launch& l, F&& f) {
        if constexpr (!std::is_same_v<param_t, float>)
            if (l.is_fp32) return f(std::type_identity<fp32_weight_codec>{});
        f(std::type_identity<weight_codec>{});
    }
    template <class W>
    auto masters_of() {
        if constexpr (std::is_same_v<W, weight_codec>)
            return state_.storage().template all<slot::main_params>();
        else return coded<char>{};
    }

    //! `of`: whose tensors, for errors.
    template <class... Parameters, class... Arguments>
    void launch(const char* name, const cuda::launch* of, std::size_t blocks, int threads,
                void (*kernel)(Parameters...), const Arguments&... arguments) {
        static_assert((sizeof(Parameters) + ...) <= 32764,
                      "[adamant] parameters of a kernel fit CUDA's limit.");
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(static_cast<unsigned>(blocks));
        config.blockDim = dim3(static_cast<unsigned>(threads));
        config.stream = memory_.stream();
        const cudaError_t result = cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
        if (result == cudaSuccess) return;
        std::string about = "cudaLaunchKernelEx of " + std::string(name);
        if (of != nullptr)
            about +=
                " for " + tensors().name(of->tensors.front()) + " to " + tensors().name(of->tensors.back());
        cuda::check(result, about);
    }

    //! What the optimizer keeps of `count` elements of a tensor from `first` on, a multiple of 128, and room
    //! for their weights, on the host.
    struct host_copy {
        std::size_t tensor;
        std::int64_t first;
        std::vector<unsigned char> weights;
        tensor_state<Resolved, host_memory> state;

        host_copy(const basic_adam& from, std::size_t index, std::int64_t begin, std::int64_t count)
            : tensor(index),
              first(begin),
              weights(static_cast<std::size_t>(count * from.weight_bytes(index))),
              state({{},
                     std::vector{param_view(from.tensors().type(index), weights.data(), count)},
                     dtype_of<param_t>,
                     {}},
                    {from.state_.start(index) + begin}, from.hyper_.seed, host_memory{}) {
            for_each_slot([&]<slot S>(std::integral_constant<slot, S>) {
                const auto own = state.template at<S>(0);
                from.memory_.copy(own.codes, on_device<S>(from).codes,
                                  state.template codes<S>(0).size_bytes());
                from.memory_.copy(own.scales, on_device<S>(from).scales, state.template scales<S>(0).size());
            });
        }
        void upload(basic_adam& to) {
            for_each_slot([&]<slot S>(std::integral_constant<slot, S>) {
                const auto codes = state.template codes<S>(0);
                const auto scale_bytes = state.template scales<S>(0);
                to.memory_.copy(on_device<S>(to).codes, codes.data(), codes.size_bytes());
                to.memory_.copy(on_device<S>(to).scales, scale_bytes.data(), scale_bytes.size());
            });
        }
        param_view view() { return {state.tensors().type(0), weights.data(), state.tensors().sizes()[0]}; }

    private:
        //! Null pointers where the slot keeps nothing of the tensor.
        template <slot S>
        auto on_device(const basic_adam& optimizer) const {
            auto found = const_cast<basic_adam&>(optimizer).state_.template at<S>(tensor);
            if (found.codes != nullptr) found.codes += first;
            if (found.scales != nullptr) found.scales += first / group_size;
            return found;
        }
        template <class F>
        static void for_each_slot(F&& f) {
            f(std::integral_constant<slot, slot::main_params>{});
            f(std::integral_constant<slot, slot::exp_avg>{});
            f(std::integral_constant<slot, slot::exp_avg_sq>{});
        }
    };
    std::int64_t weight_bytes(std::size_t tensor) const {
        return tensors().type(tensor) == dtype::fp32 ? 4 : sizeof(param_t);
    }
    host_copy copy_of(std::size_t tensor) const {
        tensors().check_tensor(tensor);
        return {*this, tensor, 0, tensors().sizes()[tensor]};
    }

    const tensor_registry& tensors() const { return state_.tensors(); }

    hyperparameters hyper_;
    cuda::memory memory_;
    std::vector<param_view> params_;  // both lists: what a call was handed, for the length of the call
    std::vector<tensor_view> grads_;
    tensor_state<Resolved, cuda::memory> state_;
    cuda::launch_plan plan_;
    std::unique_ptr<cuda::tensor_table> table_;
    buffer<cuda::chunk, cuda::memory> chunks_;
    buffer<cuda::tensor_entry, cuda::memory> entries_;
    buffer<cuda::group_multipliers, cuda::memory> groups_;
    buffer<step_constants, cuda::memory> constants_;
    buffer<cuda::optimizer_control, cuda::memory> control_;
    bool is_undecided_ = false;          // a step has begun, and its decision is not enqueued
    std::optional<loss_scaler> scaler_;  // settings and the state at the start; what it is now is in control_
};

}  // namespace adamant::inline v0

#include <adamant/cuda/state_access.hpp>  // last: it needs the class, whose users need it
