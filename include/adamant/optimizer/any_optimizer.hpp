// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! any_optimizer: an optimizer whose policy is known at run time only, with its schedule.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <adamant/optimizer/state_access.hpp>
#include <adamant/policy/catalogue.hpp>
#include <adamant/train/schedule.hpp>

namespace adamant::inline v0 {

//! The stored codes of a slot: bytes of the policy's storage kind.
struct slot_view {
    dtype kind = dtype::none;
    const void* data = nullptr;
    std::int64_t size = 0;                 //!< elements
    const std::uint8_t* scales = nullptr;  //!< one byte per group of 32, where the kind has them
};

//! adam<Policy> behind a run-time interface. With a schedule, the k-th applied step uses lr(k - 1); a skipped
//! step does not advance it. step_options.lr and .weight_decay win over both. With cuda::memory tensors are
//! in device memory and a step waits for its result. Move-only.
class any_optimizer {
public:
    //! `increment` is what a step adds to the schedule's position: 1, or the samples of a step.
    template <class Policy, memory Memory = host_memory>
    static any_optimizer of(std::type_identity<Policy>, std::span<const tensor_info> tensors,
                            std::span<const param_view> params, const hyperparameters& hyper,
                            optimizer_options options = {}, std::optional<class schedule> plan = std::nullopt,
                            std::int64_t increment = 1, Memory memory = {}) {
        using model_type = model<adam<Policy, Memory>>;
        if (increment < 1)
            throw config_error(
                "[adamant] a schedule moves forward: write an increment of 1, or the samples of a step.");
        any_optimizer result;
        result.spec_ = Policy::resolved::spec;
        for (const tensor_info& tensor : tensors) result.names_.push_back(tensor.name);
        result.schedule_ = plan;
        result.increment_ = increment;
        result.model_ =
            std::make_unique<model_type>(tensors, params, hyper, std::move(options), std::move(memory));
        return result;
    }

    //! Views whose dtype, size or number differ from what was registered: shape_error naming tensor, expected
    //! and got; nothing is changed.
    step_result step(std::span<const tensor_view> params, std::span<const tensor_view> grads,
                     step_options options = {}) {
        if (schedule_) {
            const default_float_environment environment;
            if (!options.lr) options.lr = schedule_->lr(position_);
            if (!options.weight_decay) options.weight_decay = schedule_->weight_decay(position_);
        }
        const step_result result = model_->step(params, grads, options);
        if (result.status == step_status::applied)
            position_ = position_ > std::numeric_limits<std::int64_t>::max() - increment_
                            ? std::numeric_limits<std::int64_t>::max()
                            : position_ + increment_;
        return result;
    }

    const policy_spec& spec() const { return spec_; }
    std::string describe() const { return adamant::describe(spec_); }
    double bytes_per_param() const { return adamant::bytes_per_param(spec_); }
    std::size_t state_bytes() const { return model_->state_bytes(); }
    const hyperparameters& hyper() const { return model_->hyper(); }

    double loss_scale() const { return model_->scaler() ? model_->scaler()->scale() : 1; }
    //! As it is now; a copy.
    std::optional<loss_scaler> scaler() const { return model_->scaler(); }

    std::int64_t step_count() const { return model_->step_count(); }
    void set_step_count(std::int64_t step) { model_->set_step_count(step); }
    const std::optional<class schedule>& schedule() const { return schedule_; }
    void set_schedule(const std::optional<class schedule>& plan) { schedule_ = plan; }
    std::int64_t schedule_position() const { return position_; }
    void set_schedule_position(std::int64_t position) {
        if (position < 0)
            throw state_error("[adamant] a schedule's position is not negative: got " +
                              std::to_string(position) + ".");
        position_ = position;
    }

    //! The index of a tensor by the name in its tensor_info; state_error where there is none.
    std::size_t tensor_index(std::string_view name) const {
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (names_[i] == name) return i;
        throw state_error("[adamant] tensors are asked for by the name in their tensor_info: there is no '" +
                          std::string(name) + "'.");
    }
    //! A slot ("main_params", "exp_avg", "exp_avg_sq") of a tensor as it is stored; empty where it keeps
    //! nothing.
    slot_view state(std::string_view slot_name, std::size_t tensor) const {
        return model_->state(known_slot(slot_name), tensor);
    }
    //! The same as fp32; main_params needs the tensor's weights, which may hold part of it.
    std::vector<float> export_fp32(std::string_view slot_name, std::size_t tensor,
                                   param_view weights = {}) const {
        return model_->export_fp32(known_slot(slot_name), tensor, weights);
    }
    void import_fp32(std::string_view slot_name, std::size_t tensor, std::span<const float> values) {
        model_->import_fp32(known_slot(slot_name), tensor, values);
    }
    template <tensor_list Values>
    void init_masters(std::span<const param_view> params, const Values& values) {
        model_->init_masters(params,
                             std::vector<tensor_view>(std::ranges::begin(values), std::ranges::end(values)));
    }
    void reload_masters(std::span<const param_view> params) { model_->reload_masters(params); }

    friend std::unique_ptr<state_access> access_state(any_optimizer& optimizer) {
        return optimizer.model_->access();
    }

private:
    any_optimizer() = default;

    static slot known_slot(std::string_view name) {
        if (const auto known = slot_named(name)) return *known;
        throw state_error("[adamant] a slot is main_params, exp_avg or exp_avg_sq: got '" +
                          std::string(name) + "'.");
    }

    struct interface {
        virtual ~interface() = default;
        virtual step_result step(std::span<const tensor_view>, std::span<const tensor_view>,
                                 const step_options&) = 0;
        virtual const hyperparameters& hyper() const = 0;
        virtual std::size_t state_bytes() const = 0;
        virtual std::optional<loss_scaler> scaler() const = 0;
        virtual std::int64_t step_count() const = 0;
        virtual void set_step_count(std::int64_t) = 0;
        virtual slot_view state(slot, std::size_t) const = 0;
        virtual std::vector<float> export_fp32(slot, std::size_t, param_view) const = 0;
        virtual void import_fp32(slot, std::size_t, std::span<const float>) = 0;
        virtual void init_masters(std::span<const param_view>, std::span<const tensor_view>) = 0;
        virtual void reload_masters(std::span<const param_view>) = 0;
        virtual std::unique_ptr<state_access> access() = 0;
    };

    template <class Optimizer>
    struct model final : interface {
        //! On a GPU a step is enqueued, and its result is waited for.
        static constexpr bool steps_later = requires(Optimizer & o) { o.result(); };

        template <class... Arguments>
        explicit model(Arguments&&... arguments) : optimizer(std::forward<Arguments>(arguments)...) {}

        step_result step(std::span<const tensor_view> params, std::span<const tensor_view> grads,
                         const step_options& options) override {
            if constexpr (steps_later) {
                optimizer.step(params, grads, options);
                return optimizer.result();
            } else {
                return optimizer.step(params, grads, options);
            }
        }
        const hyperparameters& hyper() const override { return optimizer.hyper(); }
        std::size_t state_bytes() const override { return optimizer.state_bytes(); }
        std::optional<loss_scaler> scaler() const override { return optimizer.scaler(); }
        std::int64_t step_count() const override { return optimizer.step_count(); }
        void set_step_count(std::int64_t step) override { optimizer.set_step_count(step); }
        slot_view state(slot s, std::size_t tensor) const override {
            const auto view = [&]<slot S>(dtype kind, std::integral_constant<slot, S>) {
                const auto codes = optimizer.template state<S>(tensor);
                return slot_view{kind, codes.data(), static_cast<std::int64_t>(codes.size()),
                                 optimizer.template scales<S>(tensor).data()};
            };
            constexpr policy_spec spec = Optimizer::spec;
            switch (s) {
                case slot::main_params:
                    return view(spec.main_params.kind, std::integral_constant<slot, slot::main_params>{});
                case slot::exp_avg:
                    return view(spec.exp_avg.kind, std::integral_constant<slot, slot::exp_avg>{});
                default: return view(spec.exp_avg_sq.kind, std::integral_constant<slot, slot::exp_avg_sq>{});
            }
        }
        std::vector<float> export_fp32(slot s, std::size_t tensor, param_view weights) const override {
            return optimizer.export_fp32(s, tensor, weights);
        }
        void import_fp32(slot s, std::size_t tensor, std::span<const float> values) override {
            optimizer.import_fp32(s, tensor, values);
        }
        void init_masters(std::span<const param_view> params, std::span<const tensor_view> values) override {
            optimizer.init_masters(params, values);
        }
        void reload_masters(std::span<const param_view> params) override { optimizer.reload_masters(params); }
        std::unique_ptr<state_access> access() override { return access_state(optimizer); }

        Optimizer optimizer;
    };

    policy_spec spec_{};
    std::vector<std::string> names_;
    std::unique_ptr<interface> model_;
    std::optional<class schedule> schedule_;
    std::int64_t increment_ = 1;
    std::int64_t position_ = 0;
};

//! The policy of the catalogue that stores what `spec` says. Errors: those of visit and of adam.
template <class Catalogue, memory Memory = host_memory>
any_optimizer make_optimizer(const policy_spec& spec, std::span<const tensor_info> tensors,
                             std::span<const param_view> params, const hyperparameters& hyper,
                             const optimizer_options& options = {},
                             const std::optional<schedule>& plan = std::nullopt, std::int64_t increment = 1,
                             Memory memory = {}) {
    return visit(spec, Catalogue{}, [&](auto policy) {
        return any_optimizer::of(policy, tensors, params, hyper, options, plan, increment, memory);
    });
}

}  // namespace adamant::inline v0
