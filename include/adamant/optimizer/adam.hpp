// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! adam: the optimizer. It owns the state; parameters and gradients stay the caller's.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <adamant/optimizer/optimizer_options.hpp>
#include <adamant/state/optimizer_state.hpp>
#include <adamant/state/tensor.hpp>
#include <adamant/step/chunk_plan.hpp>
#include <adamant/step/float_environment.hpp>
#include <adamant/step/step_cpu.hpp>
#include <adamant/train/grad_norm.hpp>

namespace adamant::inline v0 {

//! A list of tensors: spans of values, or tensor_view where the dtype is known at run time.
template <class R>
concept tensor_list = std::ranges::sized_range<const R> && std::ranges::random_access_range<const R> &&
                      std::convertible_to<std::ranges::range_reference_t<const R>, tensor_view>;

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
    template <tensor_list Params>
    basic_adam(std::span<const tensor_info> tensors, const Params& params, const hyperparameters& hyper,
               optimizer_options options = {}, Memory memory = {})
        : hyper_((require_valid(hyper), hyper)),
          executor_(std::move(options.executor)),
          groups_(std::move(options.groups)),
          tensors_(tensors.begin(), tensors.end()),
          params_(views_of(params)),
          state_(register_params(), masters_of(params_), std::move(memory)),
          plan_(sizes_) {
        if (options.loss_scaler) scaler_.emplace(*options.loss_scaler);
        else if (spec.mode == dtype::fp16) scaler_.emplace(loss_scaler_settings{});
        grads_.resize(params_.size());
        start_masters();
        forget_pointers();
    }
    template <tensor_list Params>
    basic_adam(std::span<const tensor_info> tensors, const Params& params, const hyperparameters& hyper, executor runner)
        : basic_adam(tensors, params, hyper, optimizer_options{.executor = std::move(runner)}) {}
    //! Without names and shapes: every tensor decays.
    template <tensor_list Params>
    basic_adam(const Params& params, const hyperparameters& hyper, optimizer_options options = {}, Memory memory = {})
        : basic_adam(std::span<const tensor_info>{}, params, hyper, std::move(options), std::move(memory)) {}

    basic_adam(basic_adam&&) = default;
    basic_adam& operator=(basic_adam&&) = default;

    //! One read-only pass over the gradients (norm and found_inf; none where options.grad_norm is given) and
    //! one fused pass. Allocates nothing.
    template <tensor_list Params, tensor_list Grads>
    step_result step(const Params& params, const Grads& grads, const step_options& options = {}) {
        take<Params>(params, params_, "parameters", [this](std::size_t i) { return types_[i]; });
        take<Grads>(grads, grads_, "gradients", [](std::size_t) { return dtype_of<grad_t>; });
        const default_float_environment environment;
        const step_result result = step_on_views(options);
        forget_pointers();
        return result;
    }

    //! Multiply the loss with it before the backward pass; 1 without a scaler.
    double loss_scale() const { return scaler_ ? scaler_->scale() : 1; }
    std::optional<loss_scaler>& scaler() { return scaler_; }
    const std::optional<loss_scaler>& scaler() const { return scaler_; }

    const hyperparameters& hyper() const { return hyper_; }
    std::int64_t step_count() const { return step_; }
    //! Goes on from a checkpoint: `step` is the number of steps applied so far.
    void set_step_count(std::int64_t step) {
        if (step < 0) throw state_error("[adamant] a step count is not negative: got " + std::to_string(step) + ".");
        step_ = step;
    }

    std::size_t tensor_count() const { return sizes_.size(); }
    std::size_t state_bytes() const { return state_.bytes(); }
    //! What an optimizer for tensors of these sizes will allocate for its state, if all have the mode's dtype:
    //! up to three allocations, each aligned to 64 bytes.
    static std::size_t state_bytes(std::span<const std::int64_t> sizes) {
        return optimizer_state<Resolved, Memory>::bytes(sizes);
    }
    static constexpr double bytes_per_param() { return Resolved::bytes_per_param(); }
    static std::string describe() { return Resolved::describe(); }

    //! The stored codes of a tensor, empty where it has none.
    template <slot S>
    auto state(std::size_t tensor) const {
        using element = std::add_const_t<std::remove_pointer_t<decltype(state_.template at<S>(0))>>;
        return std::span<element>(state_.template at<S>(tensor), stored_size<S>(tensor));
    }

    //! A slot of a tensor as fp32. main_params needs the tensor's weights, which may hold part of it.
    std::vector<float> export_fp32(slot s, std::size_t tensor, param_view weights = {}) const {
        check_tensor(tensor);
        std::vector<float> values(static_cast<std::size_t>(sizes_[tensor]));
        if (s == slot::main_params) {
            check_view(weights, tensor, types_[tensor], "parameters");
            with_weights(*this, tensor, weights.data, [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
                for_each_group(sizes_[tensor], [&](std::int64_t first, int count) { Codec::load(view, first, count, values.data() + first); });
            });
        } else {
            with_moment(*this, s, tensor, [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
                for_each_group(sizes_[tensor], [&](std::int64_t first, int count) { Codec::load(view, first, count, values.data() + first); });
            });
        }
        return values;
    }

    //! Sets a moment of a tensor from fp32 values, rounded as the policy stores them.
    void import_fp32(slot s, std::size_t tensor, std::span<const float> values) {
        check_tensor(tensor);
        if (s == slot::main_params)
            throw state_error("[adamant] masters are set together with the weights: call init_masters.");
        check_size(values.size(), tensor, "values");
        with_moment(*this, s, tensor, [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
            for_each_group(sizes_[tensor], [&](std::int64_t first, int count) { Codec::store(view, first, count, values.data() + first); });
        });
    }

    //! Starts weights and masters from fp32 values, without the detour over the weights' dtype. Both are written:
    //! where the master is a remainder the weight is half of it.
    template <tensor_list Params, tensor_list Values>
    void init_masters(const Params& params, const Values& values) {
        std::vector<tensor_view> views(tensor_count());
        take<Values>(values, views, "values", [](std::size_t) { return dtype::fp32; });
        take<Params>(params, params_, "parameters", [this](std::size_t i) { return types_[i]; });
        for (std::size_t i = 0; i < views.size(); ++i)
            with_weights(*this, i, params_[i].data, [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
                const auto* start = static_cast<const float*>(views[i].data);
                for_each_group(sizes_[i], [&](std::int64_t first, int count) { Codec::store(view, first, count, start + first); });
            });
        forget_pointers();
    }

    //! After weights were changed from outside: masters start from them again, else the next step would
    //! write the old values back.
    template <tensor_list Params>
    void reload_masters(const Params& params) {
        take<Params>(params, params_, "parameters", [this](std::size_t i) { return types_[i]; });
        start_masters();
        forget_pointers();
    }

private:
    template <slot S>
    using codec = slot_codec_t<Resolved, S>;
    using main_grad_t = element_t<typename Resolved::main_grads>;

    // A tensor that is fp32 in a lower mode is its own master.
    template <class Self, class F>
    static void with_weights(Self& self, std::size_t tensor, void* weights, F&& f) {
        using own = weight_only_codec<float>;
        using mode_codec = codec<slot::main_params>;
        if constexpr (!std::is_same_v<param_t, float>)
            if (self.types_[tensor] == dtype::fp32)
                return f(std::type_identity<own>{}, typename own::view{static_cast<float*>(weights), nullptr});
        // The const of an optimizer that only reads is dropped here: codecs have one view for both ways.
        auto* masters = const_cast<optimizer_state<Resolved, Memory>&>(self.state_).template at<slot::main_params>(tensor);
        f(std::type_identity<mode_codec>{}, typename mode_codec::view{static_cast<param_t*>(weights), masters});
    }

    template <class Self, class F>
    static void with_moment(Self& self, slot s, std::size_t tensor, F&& f) {
        auto& state = const_cast<optimizer_state<Resolved, Memory>&>(self.state_);
        if (s == slot::exp_avg) f(std::type_identity<codec<slot::exp_avg>>{}, state.template at<slot::exp_avg>(tensor));
        else f(std::type_identity<codec<slot::exp_avg_sq>>{}, state.template at<slot::exp_avg_sq>(tensor));
    }

    template <class F>
    static void for_each_group(std::int64_t size, F&& f) {
        for (std::int64_t first = 0; first < size; first += group_size)
            f(first, static_cast<int>(std::min<std::int64_t>(group_size, size - first)));
    }

    template <slot S>
    std::size_t stored_size(std::size_t tensor) const {
        check_tensor(tensor);
        const bool stores = S == slot::main_params ? masters_of(tensor) : true;
        return stores ? static_cast<std::size_t>(sizes_[tensor]) : 0;
    }

    bool masters_of(std::size_t tensor) const {
        return has_slot<Resolved, slot::main_params> && types_[tensor] == dtype_of<param_t>;
    }
    static std::vector<bool> masters_of(const std::vector<param_view>& params) {
        std::vector<bool> result(params.size());
        for (std::size_t i = 0; i < params.size(); ++i) result[i] = params[i].type == dtype_of<param_t>;
        return result;
    }

    // --- what is checked ---------------------------------------------------------------------------------

    std::string name(std::size_t tensor) const { return name_of(tensor, tensors_); }

    void check_tensor(std::size_t tensor) const {
        if (tensor >= sizes_.size())
            throw state_error("[adamant] this optimizer has " + std::to_string(sizes_.size()) + " tensors: there is no tensor " +
                              std::to_string(tensor) + ".");
    }
    void check_count(std::size_t count, const char* what) const {
        if (count != sizes_.size())
            throw shape_error("[adamant] a list of " + std::string(what) + " has one entry per tensor: expected " +
                              std::to_string(sizes_.size()) + ", got " + std::to_string(count) + ".");
    }
    void check_size(std::size_t size, std::size_t tensor, const char* what) const {
        if (size != static_cast<std::size_t>(sizes_[tensor]))
            throw shape_error("[adamant] sizes stay as they were at construction: " + std::string(what) + " of " + name(tensor) +
                              ": expected " + std::to_string(sizes_[tensor]) + " elements, got " + std::to_string(size) + ".");
    }
    void check_view(const tensor_view& view, std::size_t tensor, dtype expected, const char* what) const {
        if (view.type != expected)
            throw shape_error("[adamant] dtypes stay as they were at construction: " + std::string(what) + " of " + name(tensor) +
                              ": expected " + std::string(to_string(expected)) + ", got " + std::string(to_string(view.type)) + ".");
        check_size(static_cast<std::size_t>(view.size), tensor, what);
        if (view.size > 0 && view.data == nullptr)
            throw shape_error("[adamant] a tensor with elements has a pointer: " + std::string(what) + " of " + name(tensor) +
                              " are at nullptr.");
    }

    //! Checks a list against what was registered and keeps its views for the length of a call.
    template <tensor_list List, class TypeOf>
    void take(const List& list, std::vector<tensor_view>& views, const char* what, TypeOf type_of) {
        check_count(std::ranges::size(list), what);
        for (std::size_t i = 0; i < views.size(); ++i) {
            const tensor_view view = std::ranges::begin(list)[static_cast<std::ptrdiff_t>(i)];
            check_view(view, i, type_of(i), what);
            views[i] = view;
        }
    }
    void forget_pointers() {
        for (tensor_view& view : params_) view.data = nullptr;
        for (tensor_view& view : grads_) view.data = nullptr;
    }

    template <tensor_list List>
    static std::vector<tensor_view> views_of(const List& list) {
        std::vector<tensor_view> views;
        views.reserve(std::ranges::size(list));
        for (const auto& entry : list) views.emplace_back(entry);
        return views;
    }

    //! Judges the parameters given at construction and records sizes, dtypes and groups.
    const std::vector<std::int64_t>& register_params() {
        if (!tensors_.empty() && tensors_.size() != params_.size())
            throw shape_error("[adamant] every tensor has a tensor_info or none has: expected " + std::to_string(tensors_.size()) +
                              " parameters, got " + std::to_string(params_.size()) + ".");
        const bool by_default = groups_.empty();
        if (by_default) groups_ = {{1, 1}, {1, 0}};
        for (std::size_t i = 0; i < params_.size(); ++i) {
            const param_view& view = params_[i];
            if (view.size < 0) throw shape_error("[adamant] a size is not negative: " + name(i) + ".");
            sizes_.push_back(view.size);
            types_.push_back(view.type);
            check_view(view, i, view.type == dtype::fp32 ? dtype::fp32 : dtype_of<param_t>, "parameters");
            const tensor_info info = tensors_.empty() ? tensor_info{} : tensors_[i];
            check_shape(info, i);
            if (by_default) {
                group_of_.push_back(info.shape.size() == 1 || info.name.ends_with(".bias") ? 1 : 0);
            } else if (info.group < 0 || static_cast<std::size_t>(info.group) >= groups_.size()) {
                throw shape_error("[adamant] a tensor's group is one of options.groups: " + name(i) + " is in group " +
                                  std::to_string(info.group) + " of " + std::to_string(groups_.size()) + ".");
            } else {
                group_of_.push_back(static_cast<std::size_t>(info.group));
            }
            in_norm_.push_back(info.in_norm);
        }
        for (const param_group& group : groups_)
            if (!(std::isfinite(group.lr_mult) && group.lr_mult >= 0 && std::isfinite(group.wd_mult) && group.wd_mult >= 0))
                throw config_error("[adamant] lr_mult and wd_mult are finite and not negative: write numbers >= 0.");
        check_overlap();
        constants_.resize(groups_.size());
        return sizes_;
    }

    void check_shape(const tensor_info& info, std::size_t tensor) const {
        if (info.shape.empty()) return;
        std::int64_t elements = 1;
        for (const std::int64_t extent : info.shape)
            if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements))
                throw shape_error("[adamant] a shape has extents >= 0 and less than 2^63 elements: " + name(tensor) + ".");
        if (elements != sizes_[tensor])
            throw shape_error("[adamant] a tensor has as many elements as its shape: " + name(tensor) + ": expected " +
                              std::to_string(elements) + ", got " + std::to_string(sizes_[tensor]) + ".");
    }

    //! Tied weights are registered once: two states would pull one weight in two directions.
    void check_overlap() const {
        struct extent {
            std::uintptr_t begin, end;
            std::size_t tensor;
        };
        std::vector<extent> extents;
        for (std::size_t i = 0; i < params_.size(); ++i) {
            const auto begin = reinterpret_cast<std::uintptr_t>(params_[i].data);
            const std::size_t bytes = static_cast<std::size_t>(params_[i].size) * (params_[i].type == dtype::fp32 ? 4 : 2);
            if (bytes > 0) extents.push_back({begin, begin + bytes, i});
        }
        std::ranges::sort(extents, [](const extent& a, const extent& b) { return std::pair(a.begin, a.tensor) < std::pair(b.begin, b.tensor); });
        for (std::size_t i = 1; i < extents.size(); ++i)
            if (extents[i].begin < extents[i - 1].end)
                throw shape_error("[adamant] parameters do not share memory: " + name(extents[i - 1].tensor) + " and " +
                                  name(extents[i].tensor) + " do; register tied weights once.");
    }

    // --- the step ----------------------------------------------------------------------------------------

    void start_masters() {
        for (std::size_t i = 0; i < params_.size(); ++i)
            with_weights(*this, i, params_[i].data, [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
                for_each_group(sizes_[i], [&](std::int64_t first, int count) { Codec::start(view, first, count); });
            });
    }

    step_result step_on_views(const step_options& options) {
        const double lr = options.lr.value_or(hyper_.lr);
        const double weight_decay = options.weight_decay.value_or(hyper_.weight_decay);
        hyperparameters now = hyper_;
        now.lr = lr;
        now.weight_decay = weight_decay;
        require_valid(now);
        const double unscale = options.grad_scale / loss_scale();
        if (!hyperparameter_rules::is_finite(options.grad_scale) || !hyperparameter_rules::is_finite(unscale))
            throw config_error("[adamant] grad_scale is finite in fp32, also over the loss scale: write 1 for gradients as they are.");
        if (options.grad_norm && *options.grad_norm < 0)
            throw config_error("[adamant] grad_norm is not negative: hand in the norm, or nothing.");
        if (step_ == std::numeric_limits<std::int64_t>::max())
            throw state_error("[adamant] the step count has reached its end, 2^63 - 1.");

        step_result result{.lr = lr};
        if (options.grad_norm) {
            result.grad_norm = *options.grad_norm;
        } else {
            result.grad_norm = std::abs(rounded(read_all_gradients().norm() * unscale));
        }
        const bool found_inf = !std::isfinite(result.grad_norm);
        if (found_inf) {
            result.status = step_status::skipped_found_inf;
        } else if (result.grad_norm > hyper_.grad_norm_skip_threshold) {
            result.status = step_status::skipped_norm;
        } else {
            result.clip_coefficient = clip_coefficient(result.grad_norm, hyper_.clip_grad);
            apply(lr, weight_decay, rounded(unscale * result.clip_coefficient));
        }
        if (scaler_) scaler_->update(found_inf);
        result.step = step_;
        result.loss_scale = loss_scale();
        result.loss_scale_at_floor = scaler_ && scaler_->at_floor();
        return result;
    }

    grad_statistics read_all_gradients() const {
        grad_statistics total;
        std::mutex mutex;
        executor_.run(plan_.tasks(), [&](std::int64_t number) {
            const default_float_environment environment;
            grad_statistics part;
            for (const chunk& c : plan_.task(number))
                read_gradients<main_grad_t>(static_cast<const grad_t*>(grads_[c.tensor].data), c.begin, c.end, in_norm_[c.tensor], part);
            const std::lock_guard lock(mutex);
            total.add(part);
        });
        return total;
    }

    void apply(double lr, double weight_decay, double factor) {
        ++step_;
        for (std::size_t g = 0; g < groups_.size(); ++g)
            constants_[g] = constants_of_step(hyper_, step_, rounded(lr * groups_[g].lr_mult), rounded(weight_decay * groups_[g].wd_mult), factor);
        executor_.run(plan_.tasks(), [&](std::int64_t number) {
            const default_float_environment environment;
            for (const chunk& c : plan_.task(number)) update(c);
        });
    }

    void update(const chunk& c) {
        using exp_avg = codec<slot::exp_avg>;
        using exp_avg_sq = codec<slot::exp_avg_sq>;
        with_weights(*this, c.tensor, params_[c.tensor].data, [&]<class Weight>(std::type_identity<Weight>, typename Weight::view weights) {
            const step_streams<Weight, grad_t, exp_avg, exp_avg_sq> streams{
                weights, static_cast<const grad_t*>(grads_[c.tensor].data), state_.template at<slot::exp_avg>(c.tensor),
                state_.template at<slot::exp_avg_sq>(c.tensor)};
            update_chunk<main_grad_t>(streams, c.begin, c.end, constants_[group_of_[c.tensor]]);
        });
    }

    hyperparameters hyper_;
    executor executor_;
    std::vector<param_group> groups_;
    std::vector<tensor_info> tensors_;
    std::vector<param_view> params_;  // sizes and dtypes stay; pointers live for the length of a call
    std::vector<std::int64_t> sizes_;
    std::vector<dtype> types_;
    std::vector<std::size_t> group_of_;
    std::vector<bool> in_norm_;
    std::vector<step_constants> constants_;  // by group
    optimizer_state<Resolved, Memory> state_;
    chunk_plan plan_;
    std::vector<tensor_view> grads_;
    std::optional<loss_scaler> scaler_;
    std::int64_t step_ = 0;
};

//! adam<policy<...>>: two policies that mean the same share one optimizer type.
template <class Policy, memory Memory = host_memory>
using adam = basic_adam<typename storable<typename Policy::resolved>::type, Memory>;

}  // namespace adamant::inline v0
