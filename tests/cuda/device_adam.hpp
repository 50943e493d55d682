// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! device_adam: adam<Policy, cuda::memory> for tests that keep their tensors on the host. Each step copies
//! parameters and gradients to the device and parameters back.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <adamant/cuda/adam.hpp>

namespace device_tests {

inline void check(cudaError_t error) { adamant::cuda::check(error, "a test's call"); }

//! Bytes in device memory, some way into an allocation.
class device_bytes {
public:
    device_bytes(std::size_t bytes, std::size_t offset) : bytes_(bytes) {
        check(cudaMalloc(&base_, bytes + offset));
        at_ = static_cast<char*>(base_) + offset;
    }
    device_bytes(device_bytes&& other) noexcept
        : base_(std::exchange(other.base_, nullptr)), at_(other.at_), bytes_(other.bytes_) {}
    device_bytes& operator=(device_bytes&&) = delete;
    ~device_bytes() {
        if (base_ != nullptr) static_cast<void>(cudaFree(base_));
    }
    void* data() const { return at_; }
    std::size_t size() const { return bytes_; }
    void take(const void* from) const { check(cudaMemcpy(at_, from, bytes_, cudaMemcpyHostToDevice)); }
    void give(void* to) const { check(cudaMemcpy(to, at_, bytes_, cudaMemcpyDeviceToHost)); }

private:
    void* base_ = nullptr;
    void* at_ = nullptr;
    std::size_t bytes_;
};

//! Copies on the device of tensors on the host. `spread`: every other one starts at an odd element.
class device_tensors {
public:
    template <class List>
    explicit device_tensors(const List& list, bool spread) {
        for (const adamant::tensor_view view : list) {
            const bool is_odd = spread && tensors_.size() % 2 == 1;
            tensors_.emplace_back(view.bytes(),
                                  is_odd ? static_cast<std::size_t>(adamant::element_bytes(view.type)) : 0);
            views_.emplace_back(view.type, tensors_.back().data(), view.size);
            host_.push_back(view.data);
        }
    }
    void upload() const {
        for (std::size_t t = 0; t < tensors_.size(); ++t) tensors_[t].take(host_[t]);
    }
    void download() const {
        for (std::size_t t = 0; t < tensors_.size(); ++t) tensors_[t].give(host_[t]);
    }
    const std::vector<adamant::tensor_view>& views() const { return views_; }

private:
    std::vector<device_bytes> tensors_;
    std::vector<adamant::tensor_view> views_;
    std::vector<void*> host_;
};

template <class Policy>
class device_adam {
public:
    using optimizer_type = adamant::adam<Policy, adamant::cuda::memory>;
    using param_t = typename optimizer_type::param_t;
    using grad_t = typename optimizer_type::grad_t;

    template <class Params>
    device_adam(std::span<const adamant::tensor_info> tensors, const Params& params,
                const adamant::hyperparameters& hyper, adamant::optimizer_options options, bool spread = true)
        : spread_(spread),
          optimizer_((check(cudaStreamCreate(&stream_)), tensors), uploaded(params).views(), hyper,
                     std::move(options), stream_) {}
    device_adam(const device_adam&) = delete;
    device_adam& operator=(const device_adam&) = delete;

    template <class Params, class Grads>
    adamant::step_result step(const Params& params, const Grads& grads,
                              const adamant::step_options& options = {}) {
        const device_tensors on_device = uploaded(params), gradients = uploaded(grads);
        optimizer_.step(on_device.views(), gradients.views(), options);
        const adamant::step_result result = optimizer_.result();
        on_device.download();
        return result;
    }
    double loss_scale() const { return optimizer_.loss_scale(); }
    std::int64_t step_count() const { return optimizer_.step_count(); }
    optimizer_type& optimizer() { return optimizer_; }

    //! As on the host, until the next call.
    template <adamant::slot S>
    auto state(std::size_t tensor) {
        return copied(optimizer_.template state<S>(tensor));
    }
    template <adamant::slot S>
    auto scales(std::size_t tensor) {
        return copied(optimizer_.template scales<S>(tensor));
    }

private:
    template <class List>
    device_tensors uploaded(const List& list) const {
        device_tensors result(list, spread_);
        result.upload();
        return result;
    }
    template <class T>
    std::span<const T> copied(std::span<const T> on_device) {
        bytes_.resize(on_device.size_bytes());
        check(cudaMemcpy(bytes_.data(), on_device.data(), bytes_.size(), cudaMemcpyDeviceToHost));
        return {reinterpret_cast<const T*>(bytes_.data()), on_device.size()};
    }

    bool spread_;
    cudaStream_t stream_ = nullptr;
    optimizer_type optimizer_;
    std::vector<unsigned char> bytes_;
};

}  // namespace device_tests
