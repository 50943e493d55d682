// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of the tested policies, for nvcc: naming them is instantiating them.
#include "policies.hpp"

#include <adamant/cuda/adam.hpp>

void use_every_kernel(const std::vector<adamant::tensor_view>& tensors) {
    device_tests::for_each_policy([&]<class Policy>(std::type_identity<Policy>) {
        adamant::adam<Policy, adamant::cuda::memory> optimizer(tensors, {});
        optimizer.step(tensors, tensors);
        optimizer.set_lr(0);
        optimizer.set_step_count(0);
        optimizer.restore_scaler({});
        optimizer.reload_masters(tensors);
    });
}
