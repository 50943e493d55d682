// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! adam: the optimizer. It owns the state; parameters and gradients stay the caller's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <adamant/optimizer/tensor_state.hpp>
#include <adamant/step/chunk_plan.hpp>
#include <adamant/step/float_environment.hpp>
#include <adamant/step/soundness.hpp>
#include <adamant/train/grad_norm.hpp>

namespace adamant::inline v0 {

namespace detail {
class telemetry_reader;  // optimizer/telemetry.hpp
template <class Optimizer>
class adam_state_access;  // optimizer/state_access.hpp
}  // namespace detail

//! Adam for a resolved policy. Lists have the order and the sizes given at construction, each time;
//! pointers may change between steps, none is kept, and gradients are never written. A vector, span or array
//! of views or spans is read where it is, by the executor's threads, and stays as it is until step returns;
//! of another list a copy is made first. Errors: config_error (hyperparameters, policies that are not sound
//! with them, ADAMANT_SIMD), shape_error (tensors); both leave everything as it was.
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
        : hyper_(judged(spec, hyper, options.accept)),
          executor_(std::move(options.executor)),
          params_(std::ranges::begin(params), std::ranges::end(params)),
          state_({tensors, params_, dtype_of<param_t>, std::move(options.groups)},
                 std::move(options.flat_starts), hyper.seed, std::move(memory)),
          constants_(state_.tensors().groups().size()),
          plan_(state_.tensors().sizes(), executor_.is_serial()) {
        if (options.loss_scaler) scaler_.emplace(*options.loss_scaler);
        else if (spec.mode == dtype::fp16) scaler_.emplace(loss_scaler_settings{});
        const pointer_loan loan(params_);
        grads_.reserve(params_.size());
        state_.start_masters(params_, step_);
        go_on_from(0, true);
        static_cast<void>(active_instruction_set());        // a wrong choice is said here, not by a thread
        executor_.run(plan_.tasks(), [](std::int64_t) {});  // a pool starts its threads now, not in a step
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
        return step(params, grads, options, std::identity{});
    }
    //! The step of a part of a model. agree(grad_statistics) takes what these gradients say and returns what
    //! those of all parts say together; it is called between the passes, before anything has changed, and not
    //! where options.grad_norm is given.
    template <parameter_list Params, tensor_list Grads, class Agree>
    step_result step(const Params& params, const Grads& grads, const step_options& options, Agree&& agree) {
        const pointer_loan loan(params_, grads_);
        tensors().check_count(params, "parameters");
        tensors().check_count(grads, "gradients");
        const auto& param_list = in_memory(params, params_);
        const auto& grad_list = in_memory(grads, grads_);
        const default_float_environment environment;
        const step_plan plan = plan_step(options, param_list, grad_list, agree);
        step_result result = plan.result;
        if (result.status == step_status::applied) apply(plan, param_list, grad_list);
        if (scaler_) scaler_->update(plan.found_inf);
        result.step = step_;
        result.loss_scale = loss_scale();
        result.loss_scale_at_floor = scaler_ && scaler_->at_floor();
        return result;
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
        go_on_from(step, true);
    }

    std::size_t tensor_count() const { return tensors().size(); }
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
        return state_.template codes<S>(tensor);
    }
    //! The scale bytes of a tensor's groups of 32, empty where its codes have none.
    template <slot S>
    std::span<const std::uint8_t> scales(std::size_t tensor) const {
        return state_.template scales<S>(tensor);
    }
    //! A slot of a tensor as fp32. main_params needs the tensor's weights, which may hold part of it.
    std::vector<float> export_fp32(slot s, std::size_t tensor, param_view weights = {}) const {
        return state_.export_fp32(s, tensor, weights);
    }
    //! Sets a moment of a tensor from fp32 values, rounded as the policy stores them.
    void import_fp32(slot s, std::size_t tensor, std::span<const float> values) {
        state_.import_fp32(s, tensor, values, step_);
        go_on_from(step_, false);
    }

    //! Starts weights and masters from fp32 values, without the detour over the weights' dtype. Both are
    //! written: where the master is a remainder the weight is half of it.
    template <parameter_list Params, tensor_list Values>
    void init_masters(const Params& params, const Values& values) {
        const pointer_loan loan(params_);
        std::vector<tensor_view> views;
        tensors().take(values, views, "values", [](std::size_t) { return dtype::fp32; });
        tensors().take_params(params, params_);
        for (std::size_t i = 0; i < views.size(); ++i)
            state_.init_master(i, params_[i].data, static_cast<const float*>(views[i].data), step_);
    }

    //! After weights were changed from outside: masters start from them again, else the next step would
    //! write the old values back.
    template <parameter_list Params>
    void reload_masters(const Params& params) {
        const pointer_loan loan(params_);
        tensors().take_params(params, params_);
        state_.start_masters(params_, step_);
    }

private:
    friend class detail::telemetry_reader;
    template <class Optimizer>
    friend class detail::adam_state_access;
    using main_grad_t = element_t<typename Resolved::main_grads>;
    static constexpr bool bounded =
        is_bounded<slot_codec_t<Resolved, slot::exp_avg>, slot_codec_t<Resolved, slot::exp_avg_sq>>;
    static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

    const tensor_registry& tensors() const { return state_.tensors(); }

    template <class List>
    static const auto& in_memory(const List& list, std::vector<tensor_view>& copy) {
        if constexpr (is_list_in_memory<List>) return list;
        else {
            for (std::size_t i = 0; i < std::ranges::size(list); ++i) copy.push_back(view_at(list, i));
            return std::as_const(copy);
        }
    }

    //! What a step is about to do.
    struct step_plan {
        step_result result;
        bool found_inf;
        double weight_decay;
        double grad_factor;
    };

    //! Judges numbers, lists and gradients; changes nothing.
    template <class Params, class Grads, class Agree>
    step_plan plan_step(const step_options& options, const Params& params, const Grads& grads,
                        Agree&& agree) const {
        const std::optional<double> given_norm = options.grad_norm;
        const double lr = options.lr.value_or(hyper_.lr);
        const double weight_decay = options.weight_decay.value_or(hyper_.weight_decay);
        require_valid_step(options, hyper_, tensors().groups(), loss_scale());
        const double unscale = options.grad_scale / loss_scale();
        if (step_ == endless) throw state_error("[adamant] the step count has reached its end, 2^63 - 1.");

        step_result result{.lr = lr};
        double largest = 0;  // no gradient is larger, once unscaled
        if (given_norm) {
            check_lists(params, grads, [](std::int64_t) {});
            result.grad_norm = largest = *given_norm;
        } else {
            const grad_statistics statistics = agree(read_lists(params, grads));
            result.grad_norm = product(statistics.norm(), unscale);
            largest = std::sqrt(statistics.largest_block) * unscale;
        }
        const step_decision decision = decide_step(result.grad_norm, largest, unscale, hyper_);
        result.status = decision.status;
        result.clip_coefficient = decision.clip_coefficient;
        return {result, decision.found_inf, weight_decay, decision.grad_factor};
    }

    //! Checks both lists, and does more for each task of the plan while all is well.
    template <class Params, class Grads, class More>
    void check_lists(const Params& params, const Grads& grads, More&& more) const {
        std::atomic<bool> all_fit = true;
        executor_.run(plan_.tasks(), [&](std::int64_t number) {
            if (!task_fits(number, params, grads)) all_fit = false;
            if (all_fit) more(number);
        });
        for (std::size_t i = 0; !all_fit && i < tensor_count(); ++i) {  // tasks do not throw
            tensors().check_view(view_at(params, i), i, tensors().type(i), "parameters");
            tensors().check_view(view_at(grads, i), i, dtype_of<grad_t>, "gradients");
        }
    }

    //! Checks both lists and reads the gradients.
    template <class Params, class Grads>
    grad_statistics read_lists(const Params& params, const Grads& grads) const {
        grad_statistics total;
        std::mutex mutex;
        check_lists(params, grads, [&](std::int64_t number) {
            const default_float_environment environment;
            grad_statistics part;
            for (const chunk& c : plan_.task(number))
                read_gradients<main_grad_t>(static_cast<const grad_t*>(view_at(grads, c.tensor).data),
                                            c.begin, c.end, tensors().in_norm(c.tensor), part);
            const std::lock_guard lock(mutex);
            total.add(part);
        });
        return total;
    }

    template <class Params, class Grads>
    bool task_fits(std::int64_t number, const Params& params, const Grads& grads) const {
        for (const chunk& c : plan_.task(number))
            if (!tensors().fits(view_at(grads, c.tensor), c.tensor, dtype_of<grad_t>) ||
                !tensors().fits(view_at(params, c.tensor), c.tensor, tensors().type(c.tensor)))
                return false;
        return true;
    }

    //! After `step` steps; `state_is_history`: they led from zero to the moments that there are.
    void go_on_from(std::int64_t step, bool state_is_history) {
        const default_float_environment environment;
        step_ = step;
        state_is_history_ = state_is_history;
        next_ = next_constants();
        settled_from_ = bounded ? endless : first_step_without_corrections(hyper_);
    }
    step_constants next_constants() const {
        const std::int64_t step = std::min(step_, endless - 1) + 1;
        // Moments of unknown origin may be as far apart as any number of steps brings them.
        return constants_of_step<bounded>(hyper_, step, state_is_history_ ? step : endless);
    }

    step_constants constants_of(const step_plan& plan, const param_group& group) const {
        return completed(next_, product(plan.result.lr, group.lr_mult),
                         product(plan.weight_decay, group.wd_mult), plan.grad_factor);
    }

    template <class Params, class Grads>
    void apply(const step_plan& plan, const Params& params, const Grads& grads) {
        for (std::size_t g = 0; g < constants_.size(); ++g)
            constants_[g] = constants_of(plan, tensors().groups()[g]);
        executor_.run(plan_.tasks(), [&](std::int64_t number) {
            const default_float_environment environment;
            for (const chunk& c : plan_.task(number))
                with_streams(c.tensor, view_at(params, c.tensor), view_at(grads, c.tensor),
                             [&](const auto& streams) {
                                 update_chunk<main_grad_t>(streams, c.begin, c.end,
                                                           constants_[tensors().group_of(c.tensor)]);
                             });
        });
        ++step_;
        // Once for all groups, and beside the kernels' last divisions.
        if (step_ < settled_from_) next_ = next_constants();
        else ++next_.step;
    }

    //! Calls f with the step_streams of a tensor.
    template <class F>
    void with_streams(std::size_t tensor, const tensor_view& param, const tensor_view& grad, F&& f) {
        using exp_avg = slot_codec_t<Resolved, slot::exp_avg>;
        using exp_avg_sq = slot_codec_t<Resolved, slot::exp_avg_sq>;
        state_.with_weights(
            tensor, param.data, [&]<class Weight>(std::type_identity<Weight>, typename Weight::view weights) {
                f(step_streams<Weight, grad_t, exp_avg, exp_avg_sq>{
                    weights, static_cast<const grad_t*>(grad.data), state_.template at<slot::exp_avg>(tensor),
                    state_.template at<slot::exp_avg_sq>(tensor), state_.start(tensor)});
            });
    }

    hyperparameters hyper_;
    executor executor_;
    std::vector<param_view> params_;  // both lists: copies of what a call was handed, while it lasts
    std::vector<tensor_view> grads_;
    tensor_state<Resolved, Memory> state_;
    std::vector<step_constants> constants_;  // by group
    chunk_plan plan_;
    std::optional<loss_scaler> scaler_;
    std::int64_t step_ = 0;
    bool state_is_history_ = true;  // the moments are what step_ steps from zero led to
    step_constants next_;           // of step number step_ + 1
    std::int64_t settled_from_;     // constants of this step and later ones differ in their number only
};

//! adam<policy<...>>: two policies that mean the same share one optimizer type.
template <class Policy, memory Memory = host_memory>
using adam = basic_adam<typename Policy::resolved, Memory>;

}  // namespace adamant::inline v0
