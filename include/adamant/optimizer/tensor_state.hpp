// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! tensor_state: the tensors of an optimizer and what it keeps of them, seen through the codecs of a policy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <adamant/optimizer/tensor_registry.hpp>
#include <adamant/state/optimizer_state.hpp>
#include <adamant/step/step_cpu.hpp>

namespace adamant::inline v0 {

template <class Resolved, memory Memory>
class tensor_state {
public:
    using param_t = typename Resolved::param_t;
    template <slot S>
    using codec = slot_codec_t<Resolved, S>;

    //! `flat_starts`: as in optimizer_options; shape_error where they are not that.
    tensor_state(tensor_registry tensors, std::vector<std::int64_t> flat_starts, std::uint64_t seed,
                 Memory memory)
        : tensors_(std::move(tensors)),
          flat_starts_((check_flat_starts(flat_starts), std::move(flat_starts))),
          seed_(seed),
          state_(tensors_.sizes(), tensors_.are(dtype_of<param_t>), std::move(memory)) {}

    const tensor_registry& tensors() const { return tensors_; }
    std::uint64_t seed() const { return seed_; }
    //! Of the noise from now on.
    void set_seed(std::uint64_t seed) { seed_ = seed; }
    std::size_t bytes() const { return state_.bytes(); }
    //! For who computes with all of it at once.
    optimizer_state<Resolved, Memory>& storage() { return state_; }
    const optimizer_state<Resolved, Memory>& storage() const { return state_; }
    //! The flat index of a tensor's first element.
    std::int64_t start(std::size_t tensor) const {
        return flat_starts_.empty() ? state_.index().start(tensor) : flat_starts_[tensor];
    }
    template <slot S>
    auto at(std::size_t tensor) {
        return state_.template at<S>(tensor);
    }

    //! The stored codes of a tensor, empty where it has none.
    template <slot S>
    std::span<const slot_code_t<Resolved, S>> codes(std::size_t tensor) const {
        const std::size_t size = stored_size<S>(tensor);  // checks the index before anything is read
        return {state_.template at<S>(tensor).codes, size};
    }
    template <slot S>
    std::span<const std::uint8_t> scales(std::size_t tensor) const {
        const std::size_t size = stored_size<S>(tensor);  // as above
        const std::size_t groups = has_scales<Resolved, S> ? (size + group_size - 1) / group_size : 0;
        return {state_.template at<S>(tensor).scales, groups};
    }

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
          typename mode_codec::view{static_cast<param_t*>(weights), at<slot::main_params>(tensor)});
    }

    //! A slot of a tensor as fp32. main_params needs the tensor's weights, which may hold part of it.
    std::vector<float> export_fp32(slot s, std::size_t tensor, param_view weights) const {
        tensors_.check_tensor(tensor);
        if (s == slot::main_params) tensors_.check_view(weights, tensor, tensors_.type(tensor), "parameters");
        std::vector<float> values(static_cast<std::size_t>(tensors_.sizes()[tensor]));
        export_range(s, tensor, 0, values, weights.data);
        return values;
    }

    //! The elements of a slot from `first` on, a multiple of 32, as fp32. `weights` has the tensor's first
    //! element.
    void export_range(slot s, std::size_t tensor, std::int64_t first, std::span<float> values,
                      const void* weights) const {
        const auto load = [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
            for_each_group(first, values.size(), [&](std::int64_t at, int count) {
                Codec::load(view, at, count, values.data() + (at - first));
            });
        };
        // Codecs have one view for reading and writing: the const of who only reads ends here.
        auto& self = const_cast<tensor_state&>(*this);
        if (s == slot::main_params) self.with_weights(tensor, const_cast<void*>(weights), load);
        else if (s == slot::exp_avg)
            load(std::type_identity<codec<slot::exp_avg>>{}, self.template at<slot::exp_avg>(tensor));
        else load(std::type_identity<codec<slot::exp_avg_sq>>{}, self.template at<slot::exp_avg_sq>(tensor));
    }

    //! Sets a moment of a tensor from fp32 values, rounded with the noise of `step`.
    void import_fp32(slot s, std::size_t tensor, std::span<const float> values, std::int64_t step) {
        tensors_.check_tensor(tensor);
        if (s == slot::main_params)
            throw state_error("[adamant] masters are set together with the weights: call init_masters.");
        tensors_.check_size(static_cast<std::int64_t>(values.size()), tensor, "values");
        import_range(s, tensor, 0, values, nullptr, step);
    }

    //! Weights and master of a tensor from fp32 values.
    void init_master(std::size_t tensor, void* weights, const float* values, std::int64_t step) {
        const auto size = static_cast<std::size_t>(tensors_.sizes()[tensor]);
        import_range(slot::main_params, tensor, 0, {values, size}, weights, step);
    }

    //! Sets the elements of a slot from `first` on, a multiple of 32; of main_params with the weights, whose
    //! first element is at `weights`.
    void import_range(slot s, std::size_t tensor, std::int64_t first, std::span<const float> values,
                      void* weights, std::int64_t step) {
        const auto store = [&]<slot S, class Codec>(std::integral_constant<slot, S>,
                                                    std::type_identity<Codec>, typename Codec::view view) {
            for_each_group(first, values.size(), [&](std::int64_t at, int count) {
                Codec::store(view, at, count, values.data() + (at - first), noise<S>(tensor, at, step));
            });
        };
        if (s == slot::main_params)
            with_weights(tensor, weights,
                         [&]<class Codec>(std::type_identity<Codec> which, typename Codec::view view) {
                             store(std::integral_constant<slot, slot::main_params>{}, which, view);
                         });
        else if (s == slot::exp_avg)
            store(std::integral_constant<slot, slot::exp_avg>{}, std::type_identity<codec<slot::exp_avg>>{},
                  at<slot::exp_avg>(tensor));
        else
            store(std::integral_constant<slot, slot::exp_avg_sq>{},
                  std::type_identity<codec<slot::exp_avg_sq>>{}, at<slot::exp_avg_sq>(tensor));
    }

    //! Masters that say what the weights say.
    void start_masters(std::span<const param_view> params, std::int64_t step) {
        for (std::size_t i = 0; i < params.size(); ++i) {
            const auto size = static_cast<std::size_t>(params[i].size);
            with_weights(i, params[i].data,
                         [&]<class Codec>(std::type_identity<Codec>, typename Codec::view view) {
                             for_each_group(0, size, [&](std::int64_t first, int count) {
                                 Codec::start(view, first, count, noise<slot::main_params>(i, first, step));
                             });
                         });
        }
    }

private:
    void check_flat_starts(std::span<const std::int64_t> starts) const {
        if (!starts.empty() && starts.size() != tensors_.size())
            throw shape_error("[adamant] every tensor has a flat start or none has: expected " +
                              std::to_string(tensors_.size()) + ", got " + std::to_string(starts.size()) +
                              ".");
        for (std::size_t i = 0; i < starts.size(); ++i)
            if (starts[i] < 0 || starts[i] % flat_index::alignment != 0)
                throw shape_error("[adamant] flat starts are multiples of 128: tensor " + std::to_string(i) +
                                  " starts at " + std::to_string(starts[i]) + ".");
    }

    template <slot S>
    std::size_t stored_size(std::size_t tensor) const {
        tensors_.check_tensor(tensor);
        const bool stores =
            has_slot<Resolved, S> && (S != slot::main_params || tensors_.type(tensor) == dtype_of<param_t>);
        return stores ? static_cast<std::size_t>(tensors_.sizes()[tensor]) : 0;
    }

    template <slot S>
    noise_for<S> noise(std::size_t tensor, std::int64_t first, std::int64_t step) const {
        return {noise_of(seed_, start(tensor) + first, static_cast<std::uint64_t>(step))};
    }

    //! Calls f with the first element and the length of the groups of `count` elements from `first` on.
    template <class F>
    static void for_each_group(std::int64_t first, std::size_t count, F&& f) {
        const std::int64_t end = first + static_cast<std::int64_t>(count);
        for (; first < end; first += group_size)
            f(first, static_cast<int>(std::min<std::int64_t>(group_size, end - first)));
    }

    tensor_registry tensors_;
    std::vector<std::int64_t> flat_starts_;
    std::uint64_t seed_;
    optimizer_state<Resolved, Memory> state_;
};

}  // namespace adamant::inline v0
