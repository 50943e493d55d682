// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What a step on a device does besides computing: it neither waits nor allocates, can be captured in a
//! graph, and says what went wrong.
#include "device_model.hpp"

#include <optimizer/narrow_catalogue.hpp>
#include <thrown.hpp>

#include <doctest/doctest.h>

#include <emulation.hpp>

#include <cmath>
#include <string>

namespace {

using namespace adamant;
using namespace device_tests;

using lean = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>;
using tiny = no_master_fp8;

TEST_CASE("a step enqueues three launches, waits for nothing and allocates nothing") {
    device_model<tiny> model({300, 4096});
    emulated_cuda::reset();
    const std::uint64_t before = emulated_cuda::kernels_run();
    model.step();
    CHECK(emulated_cuda::launches() == 3);
    CHECK(emulated_cuda::kernels_run() == before);
    CHECK(emulated_cuda::synchronisations() == 0);
    CHECK(emulated_cuda::allocations() == 0);
    CHECK(model.optimizer->result().status == step_status::applied);
    CHECK(emulated_cuda::kernels_run() == before + 3);
    CHECK(emulated_cuda::synchronisations() == 1);
}

TEST_CASE("a norm from outside saves the reading pass") {
    device_model<tiny> model({300});
    emulated_cuda::reset();
    model.step({.grad_norm = 2});
    CHECK(emulated_cuda::launches() == 2);
    const step_result result = model.optimizer->result();
    CHECK(result.grad_norm == 2);
    CHECK(result.clip_coefficient == 1 / (2 + 1e-6));
}

TEST_CASE("a gradient that is NaN makes the norm NaN, an infinite one makes it infinite") {
    for (const float value : {NAN, INFINITY, -INFINITY}) {
        device_model<lean> model({300, 4096});
        model.grads[1][4000] = to_bfloat16(value);
        model.gradients->upload();
        model.step();
        const step_result result = model.optimizer->result();
        CHECK(result.status == step_status::skipped_found_inf);
        CHECK(std::isnan(result.grad_norm) == std::isnan(value));
        CHECK(std::isinf(result.grad_norm) == std::isinf(value));
    }
}

TEST_CASE("1,000 tensors take 3 launches, 1,001 take 5") {
    for (const auto& [tensors, launches] : {std::pair{1000, 3}, std::pair{1001, 5}}) {
        device_model<tiny> model(std::vector<std::size_t>(static_cast<std::size_t>(tensors), 3));
        emulated_cuda::reset();
        model.step();
        CHECK(emulated_cuda::launches() == static_cast<std::uint64_t>(launches));
        CHECK(model.optimizer->result().step == 1);
    }
}

TEST_CASE("a step that does not fit the numbers is refused and enqueues nothing") {
    device_model<lean> model({64});
    emulated_cuda::reset();
    CHECK_THROWS_AS(model.step({.lr = -1}), config_error);
    CHECK_THROWS_AS(model.step({.grad_scale = std::numeric_limits<double>::infinity()}), config_error);
    CHECK_THROWS_AS(model.step({.grad_norm = -1}), config_error);
    CHECK_THROWS_AS(model.optimizer->step(model.on_device->views(), std::vector<tensor_view>{}), shape_error);
    CHECK_THROWS_AS(model.optimizer->set_lr(-1), config_error);
    CHECK_THROWS_AS(model.optimizer->set_step_count(-1), state_error);
    CHECK_THROWS_AS(model.optimizer->restore_scaler({}), state_error);
    CHECK(emulated_cuda::launches() == 0);
    CHECK(model.optimizer->step_count() == 0);
}

TEST_CASE("parameters on the host are refused by name") {
    std::vector<bfloat16> values(64);
    const std::vector<tensor_info> infos{{.name = "layer.weight"}};
    const std::string text = thrown<shape_error>(
        [&] { adam<tiny, cuda::memory>(infos, std::vector{std::span(values)}, hyperparameters{}); });
    CHECK(text.find("'layer.weight' are in the host's") != std::string::npos);
}

TEST_CASE("a call that fails is named with its error, and nothing leaks") {
    check(cudaDeviceSynchronize());
    const std::uint64_t before = emulated_cuda::live_allocations();
    for (const char* function : {"cudaMallocAsync", "cudaMemsetAsync", "cudaMemcpyAsync",
                                 "cudaLaunchKernelEx", "cudaStreamSynchronize", "cudaPointerGetAttributes"}) {
        CAPTURE(function);
        emulated_cuda::reset();
        const std::string text = thrown<cuda_error>([&] {
            emulated_cuda::fail_call(function, 0, cudaErrorMemoryAllocation);
            device_model<remainder8_fp8> model({64});
        });
        CHECK(text.find(function) != std::string::npos);
        CHECK(text.find("error 2, cudaErrorMemoryAllocation") != std::string::npos);
    }
    emulated_cuda::reset();
    check(cudaDeviceSynchronize());
    CHECK(emulated_cuda::live_allocations() == before);
    device_model<lean> model({64});
    emulated_cuda::fail_call("cudaLaunchKernelEx", 1, cudaErrorInvalidConfiguration);
    const std::string text = thrown<cuda_error>([&] { model.step(); });
    CHECK(text.find("cudaLaunchKernelEx of decide_kernel failed with error 9") != std::string::npos);
    emulated_cuda::fail_call("cudaLaunchKernelEx", 3,
                             cudaErrorInvalidConfiguration);  // zeros, norm, decision before
    CHECK(thrown<cuda_error>([&] { model.step(); }).find("update_kernel for tensor 0 to tensor 0 failed") !=
          std::string::npos);
}

TEST_CASE("a launch that failed leaves nothing behind in the step that follows") {
    device_model<tiny> broken({300}), good({300});
    broken.step();
    good.step();
    emulated_cuda::fail_call("cudaLaunchKernelEx", 1, cudaErrorInvalidConfiguration);  // the decision
    CHECK_THROWS_AS(broken.step(), cuda_error);
    broken.step();
    good.step();
    const step_result a = broken.optimizer->result(), b = good.optimizer->result();
    CHECK(a.grad_norm == b.grad_norm);
    CHECK(a.clip_coefficient == b.clip_coefficient);
    CHECK(a.step == 2);
    CHECK(broken.values() == good.values());
}

TEST_CASE("before the first step the result is that of none") {
    device_model<tiny> model({64}, {.lr = 0.5},
                             {.loss_scaler = loss_scaler_settings{.initial_loss_scale = 32}});
    const step_result result = model.optimizer->result();
    CHECK(result.status == step_status::applied);
    CHECK(result.step == 0);
    CHECK(result.lr == 0.5);
    CHECK(result.clip_coefficient == 1);
    CHECK(result.loss_scale == 32);
}

TEST_CASE("numbers at the end of what is possible are refused or skipped, and no weight becomes NaN") {
    device_model<tiny> model({64});
    CHECK_THROWS_AS(model.optimizer->set_step_count(std::numeric_limits<std::int64_t>::max()), state_error);
    device_model<tiny> tiny_scale({64}, {}, {.loss_scaler = loss_scaler_settings{.loss_scale = 1e-40}});
    CHECK_THROWS_AS(tiny_scale.step(), config_error);
    const loss_scaler_settings falling{.initial_loss_scale = 1e-40, .min_loss_scale = 1e-45};
    device_model<tiny> dynamic({64}, {.clip_grad = 0}, {.loss_scaler = falling});
    const auto before = dynamic.values();
    dynamic.step();
    CHECK(dynamic.optimizer->result().status == step_status::skipped_found_inf);
    CHECK(dynamic.values() == before);
}

}  // namespace
