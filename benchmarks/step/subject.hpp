// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! subject: a model of given tensor sizes under one policy, whose step is to be timed.
#pragma once

#include "memory_twin.hpp"
#include "tensor_lists.hpp"

#include <adamant/optimizer/adam.hpp>

#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

//! How far the gradients of a group lie apart: wide ones end on the small codes of the short formats.
enum class spread { wide, narrow };

//! What is timed; the policy is behind it.
class any_subject {
public:
    virtual ~any_subject() = default;
    //! The fused pass alone: the norm is handed in.
    virtual void step() = 0;
    //! Both passes.
    virtual void step_with_norm() = 0;
    //! The reading pass alone: the step is skipped for its norm.
    virtual void read_gradients() = 0;
};

//! Elements of any type, each tensor at a multiple of 64 bytes.
template <class T>
class tensors_of {
public:
    explicit tensors_of(const sizes& list) {
        std::size_t end = 0;
        std::vector<std::size_t> starts;
        for (const std::int64_t size : list) {
            starts.push_back(end);
            end = (end + static_cast<std::size_t>(size) + 63) / 64 * 64;
        }
        memory_.reset(static_cast<T*>(::operator new (end * sizeof(T), std::align_val_t{64})));
        std::memset(static_cast<void*>(memory_.get()), 0, end * sizeof(T));
        for (std::size_t i = 0; i < list.size(); ++i)
            spans_.emplace_back(memory_.get() + starts[i], static_cast<std::size_t>(list[i]));
    }
    const std::vector<std::span<T>>& spans() const { return spans_; }

private:
    struct release {
        void operator()(T* p) const { ::operator delete (p, std::align_val_t{64}); }
    };
    std::unique_ptr<T, release> memory_;
    std::vector<std::span<T>> spans_;
};

//! A cheap sequence; benchmarks need no more.
class sequence {
public:
    float next() {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<float>(static_cast<std::int32_t>(state_ >> 32)) * 0x1p-31f;
    }

private:
    std::uint64_t state_ = 88172645463325252ull;
};

template <class Policy>
class subject : public any_subject {
public:
    using optimizer_type = adamant::adam<Policy>;
    using param_t = typename optimizer_type::param_t;
    using grad_t = typename optimizer_type::grad_t;

    subject(const sizes& list, spread s, adamant::executor executor)
        : params_(list), grads_(list), optimizer_(start(s), hyper(), options(std::move(executor))) {
        step_with_norm();
    }

    void step() override { optimizer_.step(params_.spans(), grads_.spans(), {.grad_norm = 1.0}); }
    void step_with_norm() override { optimizer_.step(params_.spans(), grads_.spans()); }
    void read_gradients() override {
        const auto result = optimizer_.step(params_.spans(), grads_.spans(), {.grad_scale = 1e20});
        if (result.status == adamant::step_status::applied)
            throw std::logic_error("the step was not skipped");
    }

    //! The streams of its step. Gradients are read, all else is stored too.
    static std::vector<memory_twin::stream> streams() {
        using adamant::slot;
        std::vector<memory_twin::stream> result{{128 * sizeof(param_t), true, false},
                                                {128 * sizeof(grad_t), false, false}};
        add_slot<slot::main_params>(result);
        add_slot<slot::exp_avg>(result);
        add_slot<slot::exp_avg_sq>(result);
        return result;
    }

private:
    template <adamant::slot S>
    static void add_slot(std::vector<memory_twin::stream>& streams) {
        using resolved = typename Policy::resolved;
        if constexpr (adamant::has_slot<resolved, S>)
            streams.push_back(
                {128 * static_cast<int>(sizeof(adamant::slot_code_t<resolved, S>)), true, true});
        if constexpr (adamant::has_scales<resolved, S>)
            streams.push_back({128 / adamant::group_size, true, true});
    }

    static adamant::hyperparameters hyper() {
        return {.lr = 1e-6, .beta2 = 0.95, .clip_grad = 0, .grad_norm_skip_threshold = 1e10};
    }
    static adamant::optimizer_options options(adamant::executor executor) {
        adamant::optimizer_options result;
        result.executor = std::move(executor);
        result.loss_scaler =
            adamant::loss_scaler_settings{.loss_scale = 1.0};  // a dynamic one would grow for ever
        return result;
    }

    const std::vector<std::span<param_t>>& start(spread s) {
        sequence random;
        for (const auto& tensor : params_.spans()) fill(tensor, [&] { return 0.05f * random.next(); });
        for (const auto& tensor : grads_.spans())
            fill(tensor, [&] {
                // A product of uniform numbers: its squares, as exp_avg_sq has them, spread over the small
                // codes.
                const float near_zero =
                    s == spread::wide ? random.next() * random.next() * random.next() : 1.0f;
                return 1e-3f * near_zero * random.next();
            });
        return params_.spans();
    }
    //! The same again after 65,536 elements, which saves half of the program's time.
    template <class T, class F>
    static void fill(std::span<T> tensor, F&& next) {
        constexpr std::size_t period = 65536;
        for (std::size_t i = 0; i < tensor.size(); ++i)
            tensor[i] = i < period ? adamant::round_to<T>(next()) : tensor[i - period];
    }

    tensors_of<param_t> params_;
    tensors_of<grad_t> grads_;
    optimizer_type optimizer_;
};

}  // namespace bench
