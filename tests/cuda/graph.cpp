// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Steps in a CUDA graph, state that goes to the host and back, and memory of the user's: on the emulated
//! device and on a real one.
#include "device_model.hpp"

#include <optimizer/narrow_catalogue.hpp>

#include <adamant/optimizer/any_optimizer.hpp>

#include <doctest/doctest.h>

namespace {

using namespace device_tests;

using lean = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>;
using tiny = no_master_fp8;

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
    // Moments of unknown origin may ask for any update, up to the bound of endless steps.
    const std::vector<float> far(257, 500.0f);
    for (const auto& moment : {moments, far}) {
        model.optimizer->import_fp32(slot::exp_avg, 1, moment);
        host.import_fp32(slot::exp_avg, 1, moment);
        model.step();
        host.step(std::vector<std::span<bfloat16>>(model.params.begin(), model.params.end()),
                  std::vector<std::span<bfloat16>>(model.grads.begin(), model.grads.end()));
        const auto expected = model.params;
        CHECK(model.values() == expected);
    }
    CHECK_THROWS_AS(model.optimizer->import_fp32(slot::exp_avg, 0, moments), shape_error);
    CHECK_THROWS_AS(static_cast<void>(model.optimizer->export_fp32(slot::exp_avg, 2)), state_error);

    const std::vector<std::vector<float>> masters{std::vector<float>(100, 1.0f + 0x1p-15f),
                                                  std::vector<float>(257, -3.0f)};
    model.optimizer->init_masters(on_device,
                                  std::vector<std::span<const float>>(masters.begin(), masters.end()));
    CHECK(model.optimizer->export_fp32(slot::main_params, 0, on_device[0]) == masters[0]);
    CHECK(model.values()[1] == std::vector<bfloat16>(257, to_bfloat16(-3.0f)));
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

TEST_CASE("an optimizer whose policy is known at run time steps on the device as on the host") {
    using catalogue_t = catalogue<lean, tiny>;
    const hyperparameters hyper{.lr = 1e-2, .beta2 = 0.95, .seed = 3};
    const schedule plan({.lr = 1e-2, .min_lr = 1e-3, .lr_warmup_steps = 2, .lr_decay_steps = 10});
    device_model<tiny> model({300, 31}, hyper);
    const std::vector<tensor_info> names{{.name = "a"}, {.name = "b"}};
    std::vector<param_view> host_params, host_grads;
    for (auto& params : model.params) host_params.emplace_back(std::span(params));
    for (auto& grads : model.grads) host_grads.emplace_back(std::span(grads));
    auto on_host = make_optimizer<catalogue_t>(tiny::spec, names, host_params, hyper, unjudged(), plan);
    auto on_device = make_optimizer<catalogue_t, cuda::memory>(tiny::spec, names, model.on_device->views(),
                                                               hyper, unjudged(), plan, 1, model.stream);
    for (int i = 0; i < 4; ++i) {
        const step_result a = on_host.step(host_params, host_grads);
        const step_result b = on_device.step(model.on_device->views(), model.gradients->views());
        CHECK(a.grad_norm == b.grad_norm);
        CHECK(a.lr == b.lr);
        CHECK(a.step == b.step);
    }
    CHECK(on_device.step_count() == 4);
    CHECK(on_host.export_fp32("exp_avg_sq", 0) == on_device.export_fp32("exp_avg_sq", 0));
    const std::vector<std::vector<bfloat16>> expected = model.params;
    CHECK(model.values() == expected);
}

//! The weights of an optimizer on the host after some steps.
template <class Policy>
std::vector<std::vector<bfloat16>> stepped_on_host(std::vector<std::vector<bfloat16>> params,
                                                   std::vector<std::vector<bfloat16>> grads,
                                                   const hyperparameters& hyper,
                                                   const optimizer_options& options, int steps) {
    const std::vector<std::span<bfloat16>> values(params.begin(), params.end());
    const std::vector<std::span<bfloat16>> gradients(grads.begin(), grads.end());
    adam<Policy> optimizer(values, hyper, unjudged(options));
    for (int i = 0; i < steps; ++i) optimizer.step(values, gradients);
    return params;
}

TEST_CASE("more tensors than a launch takes, and parts of a model, have the host's bits") {
    const hyperparameters hyper{.lr = 1e-2, .beta2 = 0.95, .seed = 3};
    const auto check_against_host = [&](const std::vector<std::size_t>& sizes,
                                        const optimizer_options& options) {
        device_model<remainder8_fp8> model(sizes, hyper, options);
        const auto expected = stepped_on_host<remainder8_fp8>(model.params, model.grads, hyper, options, 2);
        model.step();
        model.step();
        CHECK(model.values() == expected);
    };
    std::vector<std::size_t> many(1003, 3);
    many[1001] = 2049;
    check_against_host(many, {});
    check_against_host({300, 4096}, {.flat_starts = {1280, 128}});
}

}  // namespace
