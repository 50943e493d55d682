// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What a step on a device does besides computing: it neither waits nor allocates, can be captured in a
//! graph, and says what went wrong.
#include "device_adam.hpp"

#include <digest.hpp>
#include <optimizer/narrow_catalogue.hpp>
#include <unjudged.hpp>

#include <doctest/doctest.h>

#include <emulation.hpp>
#include <memory>
#include <string>

namespace {

using namespace adamant;
using namespace device_tests;

using lean = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>;
using tiny = no_master_fp8;

//! Tensors on host and device with an optimizer.
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
        optimizer = std::make_unique<adam<Policy, cuda::memory>>(on_device->views(), hyper, stream,
                                                                 unjudged(options));
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

template <class Error, class F>
std::string thrown(F&& f) {
    try {
        f();
    } catch (const Error& error) { return error.what(); }
    return "nothing was thrown";
}

TEST_CASE("a step enqueues three launches, waits for nothing and allocates nothing") {
    device_model<tiny> model({300, 4096});
    emulated_cuda::reset();
    model.step();
    CHECK(emulated_cuda::launches() == 3);
    CHECK(emulated_cuda::kernels_run() == 0);
    CHECK(emulated_cuda::synchronisations() == 0);
    CHECK(emulated_cuda::allocations() == 0);
    CHECK(model.optimizer->result().status == step_status::applied);
    CHECK(emulated_cuda::kernels_run() == 3);
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

template <class Policy>
void compare_graph_with_steps() {
    const hyperparameters hyper{.lr = 1e-2, .beta2 = 0.95, .seed = 3};
    const optimizer_options options{
        .loss_scaler = loss_scaler_settings{.initial_loss_scale = 4, .loss_scale_window = 2}};
    device_model<Policy> direct({4096, 300, 31}, hyper, options), captured({4096, 300, 31}, hyper, options);

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(captured.stream, cudaStreamCaptureModeGlobal));
    captured.step();
    check(cudaStreamEndCapture(captured.stream, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(captured.optimizer->step_count() == 0);

    for (int i = 0; i < 5; ++i) {
        if (i == 3) {
            direct.optimizer->set_lr(5e-3);
            captured.optimizer->set_lr(5e-3);
        }
        if (i == 2 || i == 4) {  // a skipped step, and the next good one
            const bfloat16 value = to_bfloat16(i == 2 ? INFINITY : 0.5f);
            direct.grads[1][7] = captured.grads[1][7] = value;
            check(cudaStreamSynchronize(direct.stream));
            check(cudaStreamSynchronize(captured.stream));
            direct.gradients->upload();
            captured.gradients->upload();
        }
        direct.step();
        check(cudaGraphLaunch(executable, captured.stream));
        const step_result a = direct.optimizer->result(), b = captured.optimizer->result();
        CHECK(a.status == b.status);
        CHECK(a.status == (i == 2 || i == 3 ? step_status::skipped_found_inf : step_status::applied));
        CHECK(a.grad_norm == b.grad_norm);
        CHECK(a.loss_scale == b.loss_scale);
        CHECK(a.lr == b.lr);
        CHECK(a.step == b.step);
        CHECK(direct.values() == captured.values());
    }
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
}

TEST_CASE("steps from a graph are the steps, skips, loss scale and a new lr among them") {
    compare_graph_with_steps<lean>();
    compare_graph_with_steps<tiny>();
    compare_graph_with_steps<remainder8_fp8>();
}

TEST_CASE("moments and masters go to the host as fp32 and come back") {
    using Policy = remainder8_fp8;
    const hyperparameters hyper{.lr = 1e-2, .beta2 = 0.95, .seed = 3};
    device_model<Policy> model({100, 257}, hyper);
    adam<Policy> host(std::vector<std::span<bfloat16>>(model.params.begin(), model.params.end()), hyper,
                      unjudged());
    model.step();
    host.step(std::vector<std::span<bfloat16>>(model.params.begin(), model.params.end()),
              std::vector<std::span<bfloat16>>(model.grads.begin(), model.grads.end()));
    const auto on_device = model.on_device->views();
    for (std::size_t t = 0; t < 2; ++t) {
        for (const slot s : {slot::exp_avg, slot::exp_avg_sq})
            CHECK(model.optimizer->export_fp32(s, t) == host.export_fp32(s, t));
        CHECK(model.optimizer->export_fp32(slot::main_params, t, on_device[t]) ==
              host.export_fp32(slot::main_params, t, std::span(model.params[t])));
    }
    const std::vector<float> moments(257, 0.125f);
    model.optimizer->import_fp32(slot::exp_avg, 1, moments);
    CHECK(model.optimizer->export_fp32(slot::exp_avg, 1) == moments);
    CHECK_THROWS_AS(model.optimizer->import_fp32(slot::exp_avg, 0, moments), shape_error);
    CHECK_THROWS_AS(static_cast<void>(model.optimizer->export_fp32(slot::exp_avg, 2)), state_error);

    const std::vector<std::vector<float>> masters{std::vector<float>(100, 1.0f + 0x1p-15f),
                                                  std::vector<float>(257, -3.0f)};
    model.optimizer->init_masters(on_device,
                                  std::vector<std::span<const float>>(masters.begin(), masters.end()));
    CHECK(model.optimizer->export_fp32(slot::main_params, 0, on_device[0]) == masters[0]);
    CHECK(model.values()[1] == std::vector<bfloat16>(257, to_bfloat16(-3.0f)));
}

TEST_CASE("parameters on the host are refused by name") {
    std::vector<bfloat16> values(64);
    const std::vector<tensor_info> infos{{.name = "layer.weight"}};
    const std::string text = thrown<shape_error>(
        [&] { adam<tiny, cuda::memory>(infos, std::vector{std::span(values)}, hyperparameters{}); });
    CHECK(text.find("'layer.weight' are in the host's") != std::string::npos);
}

TEST_CASE("a call that fails is named with its error, and nothing leaks") {
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
}

//! A user's resource that counts.
class counting_resource final : public cuda::memory_resource {
public:
    std::size_t bytes = 0;
    void* allocate(std::size_t size, cudaStream_t) override {
        void* pointer = nullptr;
        check(cudaMalloc(&pointer, size));
        bytes += size;
        return pointer;
    }
    void deallocate(void* pointer, std::size_t size, cudaStream_t) noexcept override {
        static_cast<void>(cudaFree(pointer));
        bytes -= size;
    }
};

TEST_CASE("memory comes from the user's resource and goes back") {
    counting_resource resource;
    device_model<tiny> model({1000, 7});
    {
        adam<tiny, cuda::memory> optimizer(model.on_device->views(), {},
                                           cuda::memory(model.stream, resource));
        CHECK(resource.bytes > optimizer.state_bytes());
        CHECK(optimizer.state_bytes() == adam<tiny>::state_bytes(std::vector<std::int64_t>{1000, 7}));
        optimizer.step(model.on_device->views(), model.gradients->views());
        CHECK(optimizer.result().step == 1);
    }
    CHECK(resource.bytes == 0);
}

}  // namespace
