// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! host_copy: part of a tensor's state brought to the host, where codecs read and write it, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <adamant/cuda/memory.hpp>
#include <adamant/optimizer/tensor_state.hpp>

namespace adamant::inline v0::cuda {

//! The state of `count` elements of a tensor from `first` on, a multiple of 128, and room for their weights.
//! Everything here waits for the device.
template <class Resolved>
class host_copy {
public:
    using device_state = tensor_state<Resolved, memory>;
    using param_t = typename Resolved::param_t;

    host_copy(const device_state& from, memory device, std::size_t tensor, std::int64_t first,
              std::int64_t count)
        : device_(device),
          tensor_(tensor),
          first_(first),
          weights_(static_cast<std::size_t>(count * element_bytes(from.tensors().type(tensor)))),
          state_({{},
                  std::vector{param_view(from.tensors().type(tensor), weights_.data(), count)},
                  dtype_of<param_t>,
                  {}},
                 {from.start(tensor) + first}, from.seed(), host_memory{}) {
        for_each_slot([&]<slot S>(std::integral_constant<slot, S>) {
            // Codecs have one view for reading and writing: the const of who only reads ends here.
            const auto there = on_device<S>(const_cast<device_state&>(from));
            const auto here = state_.template at<S>(0);
            device_.copy(here.codes, there.codes, state_.template codes<S>(0).size_bytes());
            device_.copy(here.scales, there.scales, state_.template scales<S>(0).size());
        });
    }

    //! One tensor, of these elements.
    tensor_state<Resolved, host_memory>& state() { return state_; }
    param_view weights() { return {state_.tensors().type(0), weights_.data(), state_.tensors().sizes()[0]}; }

    void upload(device_state& to) {
        for_each_slot([&]<slot S>(std::integral_constant<slot, S>) {
            const auto there = on_device<S>(to);
            device_.copy(there.codes, state_.template at<S>(0).codes,
                         state_.template codes<S>(0).size_bytes());
            device_.copy(there.scales, state_.template at<S>(0).scales, state_.template scales<S>(0).size());
        });
    }
    //! Between here and the tensor's weights on the device, of which `weights` is the first.
    void download_weights(const void* weights) {
        device_.copy(weights_.data(), static_cast<const std::byte*>(weights) + offset(), weights_.size());
    }
    void upload_weights(void* weights) {
        device_.copy(static_cast<std::byte*>(weights) + offset(), weights_.data(), weights_.size());
    }

private:
    std::int64_t offset() const { return first_ * element_bytes(state_.tensors().type(0)); }

    //! Null pointers where the slot keeps nothing of the tensor.
    template <slot S>
    auto on_device(device_state& state) const {
        auto found = state.template at<S>(tensor_);
        if (found.codes != nullptr) found.codes += first_;
        if (found.scales != nullptr) found.scales += first_ / group_size;
        return found;
    }

    memory device_;
    std::size_t tensor_;
    std::int64_t first_;
    std::vector<unsigned char> weights_;
    tensor_state<Resolved, host_memory> state_;
};

}  // namespace adamant::inline v0::cuda
