// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A YAML file makes an optimizer of device tensors, as of tensors on the host.
#include "device_model.hpp"

#include <adamant/yaml/yaml.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace {

using namespace device_tests;

TEST_CASE("a verl section makes the same optimizer on the device as on the host") {
    using lean = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>;
    const auto file = std::filesystem::temp_directory_path() / "adamant_device_yaml_test.yaml";
    std::ofstream(file) << "optim:\n  lr: 1e-2\n  total_training_steps: 10\n  lr_decay_style: constant\n"
                           "  use_precision_aware_optimizer: true\n  main_grads_dtype: bf16\n"
                           "  exp_avg_dtype: bf16\n  exp_avg_sq_dtype: bf16\n";
    const yaml::resolution resolution = yaml::resolve(yaml::load(file, "optim"));
    std::filesystem::remove(file);

    device_model<lean> model({300, 31});
    const std::vector<tensor_info> names(2);
    std::vector<param_view> params, grads;
    for (auto& values : model.params) params.emplace_back(std::span(values));
    for (auto& values : model.grads) grads.emplace_back(std::span(values));
    auto on_host = yaml::make_optimizer<catalogue<lean>>(resolution, names, params);
    auto on_device = yaml::make_optimizer<catalogue<lean>>(resolution, names, model.on_device->views(), {},
                                                           cuda::memory(model.stream));
    CHECK(on_device.describe() == lean::describe());
    for (int i = 0; i < 3; ++i) {
        on_host.step(params, grads);
        on_device.step(model.on_device->views(), model.gradients->views());
    }
    const std::vector<std::vector<bfloat16>> expected = model.params;
    CHECK(model.values() == expected);
}

}  // namespace
