// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! step_queue: the launches of an optimizer's steps on its stream, and what they share on the device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <adamant/cuda/decide_kernel.hpp>
#include <adamant/cuda/norm_kernel.hpp>
#include <adamant/cuda/start_kernel.hpp>
#include <adamant/optimizer/tensor_state.hpp>

namespace adamant::inline v0::cuda {

//! Nothing here waits for the device but construction and control().
template <class Resolved>
class step_queue {
public:
    using device_state = tensor_state<Resolved, memory>;
    using views = std::span<const tensor_view>;  //!< by tensor, in device memory

    step_queue(const device_state& state, const optimizer_control& start, memory device)
        : device_(device),
          plan_(state, !std::is_same_v<param_t, float>),
          table_(std::make_unique<tensor_table>()),
          chunks_(plan_.chunks().size(), device),
          entries_(plan_.entries().size(), device),
          groups_(state.tensors().groups().size(), device),
          constants_(state.tensors().groups().size(), device),
          control_(1, device) {
        std::vector<group_multipliers> groups;
        for (const param_group& group : state.tensors().groups())
            groups.push_back({group.lr_mult, group.wd_mult});
        device_.copy(chunks_.data(), plan_.chunks().data(), chunks_.bytes());
        device_.copy(entries_.data(), plan_.entries().data(), entries_.bytes());
        device_.copy(groups_.data(), groups.data(), groups_.bytes());
        device_.copy(control_.data(), &start, control_.bytes());
    }

    //! As it is after all steps so far; waits for them.
    optimizer_control control() const {
        optimizer_control now{};
        device_.copy(&now, control_.data(), sizeof now);
        return now;
    }
    const optimizer_control* control_on_device() const { return control_.data(); }
    template <class T>
    void set(T optimizer_control::*member, T value) {
        launch({"set_kernel"}, 1, 1, set_kernel<T>, &(control_.data()->*member), value);
    }

    void start_masters(device_state& state, views params, std::uint64_t step) {
        for (const cuda::launch& l : plan_.launches())
            with_weights(l, [&]<class W>(std::type_identity<W>) {
                if constexpr (W::has_master)
                    launch({"start_kernel", &l, &state.tensors()}, l.chunks, threads, start_kernel<W>,
                           table_of(l, params, {}), chunks_of(l), entries_of(l), masters_of<W>(state),
                           state.seed(), step);
            });
    }

    //! agree() is called between the passes, and not where the request has the norm.
    template <class Agree>
    void step(device_state& state, views params, views grads, const step_request& request, Agree&& agree) {
        if (std::exchange(is_undecided_, true))  // a launch failed: what was read then is not of this step
            set(&optimizer_control::statistics, grad_statistics{});
        if (request.grad_norm < 0) {
            read_gradients(state, params, grads);
            agree();
        }
        launch({"decide_kernel"}, 1, 32, decide_kernel<32>, request, control_.data(), groups_.data(),
               constants_.data());
        is_undecided_ = false;
        update(state, params, grads, constants_of_step(request.hyper, 1, 0, 0, 1));
    }

private:
    template <slot S>
    using codec = slot_codec_t<Resolved, S>;
    using param_t = typename Resolved::param_t;
    using grad_t = typename Resolved::grad_t;
    using main_grad_t = element_t<typename Resolved::main_grads>;
    using own_weights = codec<slot::main_params>;
    using fp32_weights = weight_only_codec<float>;

    //! What errors say of a launch.
    struct subject {
        const char* kernel;
        const cuda::launch* tensors = nullptr;
        const tensor_registry* registry = nullptr;
    };

    void read_gradients(device_state& state, views params, views grads) {
        constexpr std::size_t most_blocks = 2048;
        for (const cuda::launch& l : plan_.launches())
            launch({"norm_kernel", &l, &state.tensors()}, std::min(l.chunks, most_blocks), threads,
                   norm_kernel<main_grad_t, grad_t>, table_of(l, params, grads), chunks_of(l),
                   static_cast<int>(l.chunks), entries_of(l), &control_.data()->statistics);
    }

    void update(device_state& state, views params, views grads, const step_constants& lasting) {
        using exp_avg = codec<slot::exp_avg>;
        using exp_avg_sq = codec<slot::exp_avg_sq>;
        for (const cuda::launch& l : plan_.launches())
            with_weights(l, [&]<class W>(std::type_identity<W>) {
                const update_state<W, exp_avg, exp_avg_sq> all{
                    .chunks = chunks_of(l),
                    .entries = entries_of(l),
                    .masters = masters_of<W>(state),
                    .exp_avg = state.storage().template all<slot::exp_avg>(),
                    .exp_avg_sq = state.storage().template all<slot::exp_avg_sq>(),
                    .status = &control_.data()->result.status,
                    .constants = constants_.data(),
                    .lasting = lasting};
                launch({"update_kernel", &l, &state.tensors()}, l.chunks, threads,
                       update_kernel<main_grad_t, W, grad_t, exp_avg, exp_avg_sq>, table_of(l, params, grads),
                       all);
            });
    }

    //! Calls f with the codec of a launch's weights. Those that are fp32 in a lower mode are their own
    //! masters.
    template <class F>
    static void with_weights(const cuda::launch& l, F&& f) {
        if constexpr (!std::is_same_v<param_t, float>)
            if (l.is_fp32) return f(std::type_identity<fp32_weights>{});
        f(std::type_identity<own_weights>{});
    }
    template <class W>
    static auto masters_of(device_state& state) {
        if constexpr (std::is_same_v<W, own_weights>)
            return state.storage().template all<slot::main_params>();
        else return coded<char>{};
    }

    const chunk* chunks_of(const cuda::launch& l) { return chunks_.data() + l.first_chunk; }
    const tensor_entry* entries_of(const cuda::launch& l) { return entries_.data() + l.first_entry; }
    //! The pointers of a launch's tensors, by slot.
    const tensor_table& table_of(const cuda::launch& l, views params, views grads) {
        for (std::size_t slot = 0; slot < l.tensors.size(); ++slot) {
            table_->params[slot] = params[l.tensors[slot]].data;
            table_->grads[slot] = grads.empty() ? nullptr : grads[l.tensors[slot]].data;
        }
        return *table_;
    }

    template <class... Parameters, class... Arguments>
    void launch(const subject& what, std::size_t blocks, int threads_of_block, void (*kernel)(Parameters...),
                const Arguments&... arguments) {
        const cudaError_t result = launch_on(device_.stream(), static_cast<std::int64_t>(blocks),
                                             threads_of_block, kernel, arguments...);
        if (result == cudaSuccess) return;
        std::string about = "cudaLaunchKernelEx of " + std::string(what.kernel);
        if (what.tensors != nullptr)
            about += " for " + what.registry->name(what.tensors->tensors.front()) + " to " +
                     what.registry->name(what.tensors->tensors.back());
        check(result, about);
    }

    memory device_;
    launch_plan plan_;
    std::unique_ptr<tensor_table> table_;
    buffer<chunk, memory> chunks_;
    buffer<tensor_entry, memory> entries_;
    buffer<group_multipliers, memory> groups_;
    buffer<step_constants, memory> constants_;
    buffer<optimizer_control, memory> control_;
    bool is_undecided_ = false;  // a step has begun, and its decision is not enqueued
};

}  // namespace adamant::inline v0::cuda
