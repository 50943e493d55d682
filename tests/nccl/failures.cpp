// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Calls to NCCL that fail, as the emulated one is told to.
#include "world.hpp"

#include <cuda/device_sharded.hpp>
#include <thrown.hpp>

#include <emulation.hpp>

#include <adamant/policy/presets.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace adamant;

TEST_CASE("what fails is said with its call") {
    all_ranks w;
    CHECK(thrown<communication_error>([&] { nccl::communicator(nullptr, w.stream()); }).find("ncclComm_t") !=
          std::string::npos);
    CHECK_THROWS_AS(nccl::communicator(w.comm(), w.stream(), {std::chrono::milliseconds(-1)}), config_error);
    nccl::communicator ranks = w.ranks();
    const char byte = 0;
    const std::vector<outgoing> out{{ranks.size(), &byte, 1}};
    CHECK(thrown<communication_error>([&] {
              ranks.exchange(out, {});
          }).find("ncclSend returned 4, invalid argument") != std::string::npos);
    nccl::communicator hasty(w.comm(), w.stream(), {std::chrono::milliseconds(20)});
    w.comm()->is_stuck = true;
    auto request = hasty.exchange({}, {});
    CHECK(thrown<communication_error>([&] { hasty.wait(request); }).find("waited 20 ms") !=
          std::string::npos);
    w.comm()->is_stuck = false;
    w.comm()->async_error = ncclRemoteError;
    CHECK(thrown<communication_error>([&] {
              ranks.wait(request);
          }).find("an exchange returned 6, remote process") != std::string::npos);
}

TEST_CASE("a sum over ranks whose launch failed is made by the step that follows") {
    const all_ranks w;
    const auto weights_after = [&](bool fails) {
        std::vector<float> weights(300, 1.0f), gradients;
        for (int i = 0; i < 300; ++i) gradients.push_back(static_cast<float>(i + 1000 * w.ranks().rank()));
        std::vector<std::span<float>> list{weights}, grad_list{gradients};
        const placed_tensors<cuda::memory> params(list), grads(grad_list);
        sharded<presets::full_fp32, nccl::communicator, cuda::memory> optimizer(
            {}, params.views, {}, w.ranks(), {}, cuda::memory(w.stream()));
        optimizer.accumulate(0, grads.views[0]);
        if (fails) {
            emulated_cuda::fail_call("cudaLaunchKernelEx", 0, cudaErrorLaunchOutOfResources);
            if (optimizer.plan().ranks() > 1)
                CHECK(thrown<cuda_error>([&] { optimizer.step(params.views); }).find("sum_kernel") !=
                      std::string::npos);
            else CHECK_THROWS_AS(optimizer.step(params.views), cuda_error);
        }
        const step_result result = optimizer.step(params.views);
        CHECK(result.status == step_status::applied);
        params.bring_back();
        return std::pair(weights, result.grad_norm);
    };
    CHECK(weights_after(true) == weights_after(false));
}
