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

void use_every_kernel_of_ranks(adamant::bucket_work<adamant::cuda::memory>& work) {
    const auto use = [&]<class Grad>(Grad) {
        std::span<Grad> sum;
        work.add(sum, std::span<float>{}, 0);
        work.add(sum, std::span<adamant::bfloat16>{}, 0);
        work.add(sum, std::span<adamant::float16>{}, 0);
        work.sum(adamant::rank_gradients<Grad>{}, {});
    };
    use(float{});
    use(adamant::bfloat16{});
    use(adamant::float16{});
    work.copy({});
}
