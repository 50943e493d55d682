// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! adam: the optimizer. It owns the state; parameters and gradients stay the caller's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <adamant/optimizer/tensor_registry.hpp>
#include <adamant/state/optimizer_state.hpp>
#include <adamant/step/chunk_plan.hpp>
#include <adamant/step/float_environment.hpp>
#include <adamant/step/step_cpu.hpp>
#include <adamant/train/grad_norm.hpp>

namespace adamant::inline v0 {

//! Adam for a resolved policy. Lists have the order and the sizes given at construction, each time;
//! pointers may change between steps, none is kept, and gradients are never written.
//! Errors: config_error (hyperparameters), shape_error (tensors); both leave everything as it was.
template <class Resolved, memory Memory = host_memory>
class basic_adam {
public:
    using param_t = typename Resolved::param_t;
    using grad_t = typename Resolved::grad_t;
    static constexpr policy_spec spec = Resolved::spec;

    //! Masters start from the parameters.
    template <parameter_list Params>
    basic_adam(std::span<const tensor_info> tensors, const Params& params, const hyperparameters& hyper,
               optimizer_options options = {}, Memory memory = {})
        : hyper_((require_valid(hyper), hyper)),
          executor_(std::move(options.executor)),
          params_(std::ranges::begin(params), std::ranges::end(params)),
          grads_(params_.size()),
          tensors_(tensors, params_, dtype_of<param_t>, std::move(options.groups)),
          constants_(tensors_.groups().size()),
          state_(tensors_.sizes(), tensors_.are(dtype_of<param_t>), std::move(memory)),
          plan_(tensors_.sizes()) {
        if (options.loss_scaler) scaler_.emplace(*options.loss_scaler);
        else if (spec.mode == dtype::fp16) scaler_.emplace(loss_scaler_settings{});
        const pointer_loan loan{*this};
        start_masters();
    }
    template <parameter_list Params>
    basic_adam(std::span<const tensor_info> tensors, const Params& params, const hyperparameters& hyper,
               executor runner)
        : basic_adam(tensors, params, hyper, optimizer_options{.executor = std::move(runner)}) {}
    //! Without names and shapes: every tensor decays.
    template <parameter_list Params>
    basic_adam(const Params& params, const hyperparameters& hyper, optimizer_options options = {},
               Memory memory = {})
        : basic_adam(std::span<const tensor_info>{}, params, hyper, std::move(options), std::move(memory)) {}

    basic_adam(basic_adam&&) noexcept = default;
    basic_adam& operator=(basic_adam&&) noexcept = default;

    //! One read-only pass over the gradients (norm and found_inf; none where options.grad_norm is given) and
    //! one fused pass. Allocates nothing.
    template <parameter_list Params, tensor_list Grads>
    step_result step(const Params& params, const Grads& grads, const step_options& options = {}) {
        const pointer_loan loan{*this};
        take_params(params);
        tensors_.take(grads, grads_, "gradients", [](std::size_t) { return dtype_of<grad_t>; });
        const default_float_environment environment;
        return step_on_views(options);
    }

    //! Multiply the loss with it before the backward pass; 1 without a scaler.
    double loss_scale() const { return scaler_ ? scaler_->scale() : 1; }
    std::optional<loss_scaler>& scaler() { return scaler_; }
    const std::optional<loss_scaler>& scaler() const { return scaler_; }

    const hyperparameters& hyper() const { return hyper_; }
    std::int64_t step_count() const { return step_; }
    //! Goes on from a checkpoint, after its state was set: `step` is the number of steps that led to it.
    void set_step_count(std::int64_t step) {
        if (step < 0)
            throw state_error("[adamant] a step count is not negative: got " + std::to_string(step) + ".");
        step_ = step;
        state_is_history_ = true;
    }

    std::size_t tensor_count() const { return tensors_.size(); }
    std::size_t state_bytes() const { return state_.bytes(); }
    //! What an optimizer for tensors of these sizes will allocate for its state, if all have the mode's
    //! dtype: an allocation for the codes and one for the scales of each slot that has them, each aligned to
    //! 64 bytes.
    static std::size_t state_bytes(std::span<const std::int64_t> sizes) {
        return optimizer_state<Resolved, Memory>::bytes(sizes);
    }
    static constexpr double bytes_per_param() { return Resolved::bytes_per_param(); }
    static std::string describe() { return Resolved::describe(); }

    //! The stored codes of a tensor, empty where it has none.
    template <slot S>
    std::span<const slot_code_t<Resolved, S>> state(std::size_t tensor) const {
        const std::size_t size = stored_size<S>(tensor);  // checks the index before anything is read
        return {state_.template at<S>(tensor).codes, size};
    }
    //! The scale bytes of a tensor's groups of 32, empty where its codes have none.
    template <slot S>
    std::span<const std::uint8_t> scales(std::size_t tensor) const {
        const std::size_t size = stored_size<S>(tensor);  // as above
        const std::size_t groups = has_scales<Resolved, S> ? (size + group_size - 1) / group_size : 0;
        return {state_.template at<S>(tensor).scales, groups};
    }

    //! A slot of a tensor as fp32. main_params needs the tensor's weights, which may hold part of it.
    std::vector<float> export_fp32(slot s, std::size_t tensor, param_view weights = {}) const {
        tensors_.check_tensor(tensor);
        std::vector<float> values(static_cast<std::size_t>(tensors_.sizes()[tensor]));
        const auto load = [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
            for_each_group(tensors_.sizes()[tensor], [&](std::int64_t first, int count) {
                Codec::load(view, first, count, values.data() + first);
            });
        };
        // Codecs have one view for reading and writing: the const of an optimizer that only reads ends here.
        auto& self = const_cast<basic_adam&>(*this);
        if (s == slot::main_params) {
            tensors_.check_view(weights, tensor, tensors_.type(tensor), "parameters");
            self.with_weights(tensor, weights.data, load);
        } else if (s == slot::exp_avg) {
            load(std::type_identity<codec<slot::exp_avg>>{}, self.state_.template at<slot::exp_avg>(tensor));
        } else {
            load(std::type_identity<codec<slot::exp_avg_sq>>{},
                 self.state_.template at<slot::exp_avg_sq>(tensor));
        }
        return values;
    }

    //! Sets a moment of a tensor from fp32 values, rounded as the policy stores them.
    void import_fp32(slot s, std::size_t tensor, std::span<const float> values) {
        tensors_.check_tensor(tensor);
        if (s == slot::main_params)
            throw state_error("[adamant] masters are set together with the weights: call init_masters.");
        tensors_.check_size(static_cast<std::int64_t>(values.size()), tensor, "values");
        if (s == slot::exp_avg)
            store<slot::exp_avg, codec<slot::exp_avg>>(state_.template at<slot::exp_avg>(tensor), tensor,
                                                       values.data());
        else
            store<slot::exp_avg_sq, codec<slot::exp_avg_sq>>(state_.template at<slot::exp_avg_sq>(tensor),
                                                             tensor, values.data());
        state_is_history_ = false;
    }

    //! Starts weights and masters from fp32 values, without the detour over the weights' dtype. Both are
    //! written: where the master is a remainder the weight is half of it.
    template <parameter_list Params, tensor_list Values>
    void init_masters(const Params& params, const Values& values) {
        const pointer_loan loan{*this};
        std::vector<tensor_view> views(tensor_count());
        tensors_.take(values, views, "values", [](std::size_t) { return dtype::fp32; });
        take_params(params);
        for (std::size_t i = 0; i < views.size(); ++i)
            with_weights(
                i, params_[i].data, [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
                    store<slot::main_params, Codec>(view, i, static_cast<const float*>(views[i].data));
                });
    }

    //! After weights were changed from outside: masters start from them again, else the next step would
    //! write the old values back.
    template <parameter_list Params>
    void reload_masters(const Params& params) {
        const pointer_loan loan{*this};
        take_params(params);
        start_masters();
    }

private:
    template <slot S>
    using codec = slot_codec_t<Resolved, S>;
    using main_grad_t = element_t<typename Resolved::main_grads>;

    //! Calls f with the codec and the view of a tensor's weights. One that is fp32 in a lower mode is its own
    //! master.
    template <class F>
    void with_weights(std::size_t tensor, void* weights, F&& f) {
        using own = weight_only_codec<float>;
        using mode_codec = codec<slot::main_params>;
        if constexpr (!std::is_same_v<param_t, float>)
            if (tensors_.type(tensor) == dtype::fp32)
                return f(std::type_identity<own>{}, typename own::view{static_cast<float*>(weights)});
        f(std::type_identity<mode_codec>{},
          typename mode_codec::view{static_cast<param_t*>(weights),
                                    state_.template at<slot::main_params>(tensor)});
    }

    //! The noise with which values are stored outside of a step: that of the steps so far.
    template <slot S>
    noise_for<S> noise(std::size_t tensor, std::int64_t first) const {
        return {
            noise_of(hyper_.seed, state_.index().start(tensor) + first, static_cast<std::uint64_t>(step_))};
    }

    template <slot S, class Codec>
    void store(typename Codec::view view, std::size_t tensor, const float* values) {
        for_each_group(tensors_.sizes()[tensor], [&](std::int64_t first, int count) {
            Codec::store(view, first, count, values + first, noise<S>(tensor, first));
        });
    }

    template <class F>
    static void for_each_group(std::int64_t size, F&& f) {
        for (std::int64_t first = 0; first < size; first += group_size)
            f(first, static_cast<int>(std::min<std::int64_t>(group_size, size - first)));
    }

    template <slot S>
    std::size_t stored_size(std::size_t tensor) const {
        tensors_.check_tensor(tensor);
        const bool stores =
            has_slot<Resolved, S> && (S != slot::main_params || tensors_.type(tensor) == dtype_of<param_t>);
        return stores ? static_cast<std::size_t>(tensors_.sizes()[tensor]) : 0;
    }

    template <parameter_list Params>
    void take_params(const Params& params) {
        tensors_.take(params, params_, "parameters", [this](std::size_t i) { return tensors_.type(i); });
    }
    //! Pointers are the caller's: they are forgotten when the call ends, however it ends.
    struct pointer_loan {
        basic_adam& optimizer;
        ~pointer_loan() {
            for (tensor_view& view : optimizer.params_) view.data = nullptr;
            for (tensor_view& view : optimizer.grads_) view.data = nullptr;
        }
    };

    void start_masters() {
        for (std::size_t i = 0; i < params_.size(); ++i)
            with_weights(i, params_[i].data,
                         [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
                             for_each_group(tensors_.sizes()[i], [&](std::int64_t first, int count) {
                                 Codec::start(view, first, count, noise<slot::main_params>(i, first));
                             });
                         });
    }

    step_result step_on_views(const step_options& options) {
        const double lr = options.lr.value_or(hyper_.lr);
        const double weight_decay = options.weight_decay.value_or(hyper_.weight_decay);
        require_valid_numbers(lr, weight_decay);
        const double unscale = options.grad_scale / loss_scale();
        if (!(options.grad_scale >= 0) || !hyperparameter_rules::is_finite(options.grad_scale) ||
            !hyperparameter_rules::is_finite(unscale))
            throw config_error(
                "[adamant] grad_scale is finite and not negative, also over the loss scale: write 1 for "
                "gradients as they are.");
        if (options.grad_norm && *options.grad_norm < 0)
            throw config_error("[adamant] grad_norm is not negative: hand in the norm, or nothing.");
        if (step_ == std::numeric_limits<std::int64_t>::max())
            throw state_error("[adamant] the step count has reached its end, 2^63 - 1.");

        step_result result{.lr = lr};
        double largest = 0;  // no gradient is larger, once unscaled
        if (options.grad_norm) {
            result.grad_norm = largest = *options.grad_norm;
        } else {
            const grad_statistics statistics = read_all_gradients();
            result.grad_norm = rounded(statistics.norm() * unscale);
            largest = std::sqrt(statistics.largest_block) * unscale;
        }
        result.clip_coefficient = clip_coefficient(result.grad_norm, hyper_.clip_grad);
        // Gradients may be finite and too large for fp32 once they are unscaled.
        const bool found_inf =
            !std::isfinite(result.grad_norm) ||
            !(largest * result.clip_coefficient <= double{std::numeric_limits<float>::max()});
        if (found_inf) {
            result.status = step_status::skipped_found_inf;
        } else if (result.grad_norm > hyper_.grad_norm_skip_threshold) {
            result.status = step_status::skipped_norm;
        } else {
            apply(lr, weight_decay, rounded(unscale * result.clip_coefficient));
        }
        if (result.status != step_status::applied) result.clip_coefficient = 1;
        if (scaler_) scaler_->update(found_inf);
        result.step = step_;
        result.loss_scale = loss_scale();
        result.loss_scale_at_floor = scaler_ && scaler_->at_floor();
        return result;
    }

    //! Numbers of a step obey the rules of those of construction, in every group.
    void require_valid_numbers(double lr, double weight_decay) const {
        hyperparameters now = hyper_;
        now.lr = lr;
        now.weight_decay = weight_decay;
        require_valid(now);
        for (const param_group& group : tensors_.groups()) {
            now.lr = lr * group.lr_mult;
            now.weight_decay = weight_decay * group.wd_mult;
            require_valid(now);
        }
    }

    grad_statistics read_all_gradients() const {
        grad_statistics total;
        std::mutex mutex;
        executor_.run(plan_.tasks(), [&](std::int64_t number) {
            const default_float_environment environment;
            grad_statistics part;
            for (const chunk& c : plan_.task(number))
                read_gradients<main_grad_t>(static_cast<const grad_t*>(grads_[c.tensor].data), c.begin, c.end,
                                            tensors_.in_norm(c.tensor), part);
            const std::lock_guard lock(mutex);
            total.add(part);
        });
        return total;
    }

    void apply(double lr, double weight_decay, double factor) {
        const std::int64_t step = step_ + 1;
        // Moments of unknown origin may be as far apart as any number of steps brings them.
        const std::int64_t from_zero = state_is_history_ ? step : std::numeric_limits<std::int64_t>::max();
        for (std::size_t g = 0; g < constants_.size(); ++g) {
            const param_group& group = tensors_.groups()[g];
            constants_[g] = constants_of_step(hyper_, step, rounded(lr * group.lr_mult),
                                              rounded(weight_decay * group.wd_mult), factor, from_zero);
        }
        executor_.run(plan_.tasks(), [&](std::int64_t number) {
            const default_float_environment environment;
            for (const chunk& c : plan_.task(number)) update(c);
        });
        step_ = step;
    }

    void update(const chunk& c) {
        using exp_avg = codec<slot::exp_avg>;
        using exp_avg_sq = codec<slot::exp_avg_sq>;
        with_weights(c.tensor, params_[c.tensor].data,
                     [&]<class Weight>(std::type_identity<Weight>, typename Weight::view weights) {
                         const step_streams<Weight, grad_t, exp_avg, exp_avg_sq> streams{
                             weights, static_cast<const grad_t*>(grads_[c.tensor].data),
                             state_.template at<slot::exp_avg>(c.tensor),
                             state_.template at<slot::exp_avg_sq>(c.tensor), state_.index().start(c.tensor)};
                         update_chunk<main_grad_t>(streams, c.begin, c.end,
                                                   constants_[tensors_.group_of(c.tensor)]);
                     });
    }

    hyperparameters hyper_;
    executor executor_;
    std::vector<param_view> params_;  // both lists: what a call was handed, for the length of the call
    std::vector<tensor_view> grads_;
    tensor_registry tensors_;
    std::vector<step_constants> constants_;  // by group
    optimizer_state<Resolved, Memory> state_;
    chunk_plan plan_;
    std::optional<loss_scaler> scaler_;
    std::int64_t step_ = 0;
    bool state_is_history_ = true;  // the moments are what step_ steps from zero led to
};

//! adam<policy<...>>: two policies that mean the same share one optimizer type.
template <class Policy, memory Memory = host_memory>
using adam = basic_adam<typename Policy::resolved, Memory>;

}  // namespace adamant::inline v0
