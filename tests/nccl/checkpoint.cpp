// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Checkpoints of ranks whose state is on their devices: they go on where the host does, and the host where
//! they do.
#include "world.hpp"

#include <cuda/device_sharded.hpp>
#include <digest.hpp>
#include <optimizer/narrow_catalogue.hpp>

#include <adamant/policy/presets.hpp>
#include <adamant/safetensors/sharded.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace adamant;

//! Weights and gradients on the host, the same on every rank.
struct model {
    std::vector<std::vector<bfloat16>> weights, gradients;
    std::vector<std::span<const bfloat16>> grads;
    std::vector<param_view> params;

    model() {
        for (const std::size_t size : {std::size_t{3000}, std::size_t{65}, std::size_t{1}}) {
            std::vector<bfloat16>& values = weights.emplace_back();
            for (std::size_t i = 0; i < size; ++i)
                values.push_back(to_bfloat16(adamant_test::random_float(weights.size(), i, 0, 8)));
            gradients.emplace_back(size);
        }
        for (auto& values : weights) params.emplace_back(std::span(values));
        for (auto& values : gradients) grads.emplace_back(values);
    }
    template <class Optimizer>
    void steps(Optimizer& optimizer, std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t step = first; step <= last; ++step) {
            for (std::size_t t = 0; t < gradients.size(); ++t)
                for (std::size_t i = 0; i < gradients[t].size(); ++i)
                    gradients[t][i] = to_bfloat16(adamant_test::random_float(50 + t, i, step, 12));
            optimizer.step(params, grads, {});
        }
    }
};

constexpr hyperparameters hyper{.lr = 1e-2, .beta2 = 0.95, .seed = 5};
constexpr loss_scaler_settings scaler{.initial_loss_scale = 8, .loss_scale_window = 2};

template <class Policy>
void check() {
    CAPTURE(Policy::describe());
    all_ranks w;
    auto ranks = w.ranks();
    const auto run = gather_values(ranks, static_cast<std::int64_t>(::getpid())).front();
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("adamant-nccl-" + std::to_string(run));
    std::filesystem::create_directories(folder);
    const auto device = [&](model& m) {
        return device_sharded_run<Policy, nccl::communicator>({}, m.params, hyper, scaler, w.ranks(), 1000,
                                                              cuda::memory(w.stream()));
    };
    const auto host = [](model& m) {
        return adam<Policy>({}, m.params, hyper,
                            unjudged({.executor = serial_executor{}, .loss_scaler = scaler}));
    };

    model expected;
    auto uninterrupted = host(expected);
    expected.steps(uninterrupted, 1, 6);

    model first;
    auto on_device = device(first);
    first.steps(on_device, 1, 3);
    const std::string index = folder / "device.json";
    CHECK_FALSE(access_state(on_device.optimizer())->is_on_host());
    {
        const placed_tensors<cuda::memory> weights(first.params);
        safetensors::save(index, on_device.optimizer(), weights.views);
    }
    model second;
    auto on_host = host(second);
    safetensors::load(index, on_host, second.params);
    second.steps(on_host, 4, 6);
    CHECK(second.weights == expected.weights);

    // And to devices again, which know nothing of it.
    model third;
    for (auto& values : third.weights) std::ranges::fill(values, bfloat16{});
    auto restarted = device(third);
    {
        const placed_tensors<cuda::memory> weights(third.params);
        safetensors::load(index, restarted.optimizer(), weights.views);
        weights.bring_back();
    }
    third.steps(restarted, 4, 6);
    CHECK(third.weights == expected.weights);

    gather_values(ranks, 0);  // all have read
    if (ranks.rank() == 0) std::filesystem::remove_all(folder);
}

}  // namespace

TEST_CASE("from devices to the host, and to devices") {
    check<presets::lean_bf16>();
    check<remainder8_fp8>();
}
