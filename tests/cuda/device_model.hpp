// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! device_model: tensors on host and device with an optimizer on a stream of its own.
#pragma once

#include "device_adam.hpp"

#include <digest.hpp>
#include <unjudged.hpp>

#include <memory>
#include <vector>

namespace device_tests {

using namespace adamant;

template <class Policy>
struct device_model {
    std::vector<std::vector<bfloat16>> params, grads;
    std::unique_ptr<device_tensors> on_device, gradients;
    cudaStream_t stream = nullptr;
    std::unique_ptr<adam<Policy, cuda::memory>> optimizer;

    explicit device_model(const std::vector<std::size_t>& sizes, const hyperparameters& hyper = {},
                          const optimizer_options& options = {}) {
        for (const std::size_t size : sizes) {
            auto& p = params.emplace_back();
            auto& g = grads.emplace_back();
            for (std::size_t i = 0; i < size; ++i) {
                p.push_back(to_bfloat16(adamant_test::random_float(params.size(), i, 0, 8)));
                g.push_back(to_bfloat16(adamant_test::random_float(99 + params.size(), i, 0, 8)));
            }
        }
        on_device = std::make_unique<device_tensors>(
            std::vector<std::span<bfloat16>>(params.begin(), params.end()), false);
        gradients = std::make_unique<device_tensors>(
            std::vector<std::span<bfloat16>>(grads.begin(), grads.end()), false);
        on_device->upload();
        gradients->upload();
        check(cudaStreamCreate(&stream));
        optimizer = std::make_unique<adam<Policy, cuda::memory>>(on_device->views(), hyper, unjudged(options),
                                                                 stream);
    }
    ~device_model() {
        optimizer.reset();
        static_cast<void>(cudaStreamDestroy(stream));
    }
    device_model(const device_model&) = delete;

    void step(const step_options& options = {}) {
        optimizer->step(on_device->views(), gradients->views(), options);
    }
    std::vector<std::vector<bfloat16>>& values() {
        optimizer->result();  // waits for the stream
        on_device->download();
        return params;
    }
};

}  // namespace device_tests
