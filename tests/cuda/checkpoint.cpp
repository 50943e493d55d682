// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Checkpoints of optimizers on a GPU: the files of the CPU, and the steps after them.
#include "device_model.hpp"

#include <optimizer/narrow_catalogue.hpp>
#include <safetensors/scratch.hpp>

#include <adamant/policy/presets.hpp>
#include <adamant/safetensors/safetensors.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace device_tests;

const hyperparameters hyper{.lr = 1e-2, .beta2 = 0.95, .seed = 3};
const std::vector<std::size_t> sizes{4096, 300, 31};

//! The same model on the host.
template <class Policy>
struct host_model {
    std::vector<std::vector<bfloat16>> params, grads;
    adam<Policy> optimizer;

    explicit host_model(const device_model<Policy>& like)
        : params(like.params), grads(like.grads), optimizer(spans(params), hyper, unjudged()) {}
    static std::vector<std::span<bfloat16>> spans(std::vector<std::vector<bfloat16>>& values) {
        return {values.begin(), values.end()};
    }
    void step() { optimizer.step(spans(params), spans(grads)); }
};

TEST_CASE_TEMPLATE("device and host read each other's checkpoints and go on with the same bits", Policy,
                   presets::lean_bf16, presets::lossless_bf16, remainder8_fp8) {
    const checkpoints::scratch folder;
    device_model<Policy> device(sizes, hyper), other(sizes, {.lr = 1e-2, .beta2 = 0.95, .seed = 99});
    host_model<Policy> host(device), other_host(device);
    for (int i = 0; i < 3; ++i) {
        device.step();
        host.step();
    }
    safetensors::save(folder / "device", *device.optimizer, device.on_device->views());
    safetensors::save(folder / "host", host.optimizer, host.spans(host.params));

    other.step();  // another history
    const auto result = safetensors::load(folder / "host", *other.optimizer, other.on_device->views());
    CHECK(result.record.run.step == 3);
    CHECK_FALSE(result.converted);
    safetensors::load(folder / "device", other_host.optimizer, other_host.spans(other_host.params));
    for (int i = 0; i < 3; ++i) {
        host.step();
        other_host.step();
        other.step();
    }
    CHECK(other_host.params == host.params);
    CHECK(other.values() == host.params);
    for (std::size_t t = 0; t < sizes.size(); ++t)
        CHECK(other.optimizer->export_fp32(slot::exp_avg_sq, t) ==
              host.optimizer.export_fp32(slot::exp_avg_sq, t));
}

TEST_CASE("another policy's checkpoint is refused, or converted as on the host") {
    const checkpoints::scratch folder;
    device_model<remainder8_fp8> from(sizes, hyper);
    from.step();
    safetensors::save(folder / "a", *from.optimizer, from.on_device->views());
    device_model<no_master_fp8> to(sizes, hyper);
    host_model<no_master_fp8> host(to);
    const auto before = to.values();
    CHECK_THROWS_AS(safetensors::load(folder / "a", *to.optimizer, to.on_device->views()), checkpoint_error);
    CHECK(to.values() == before);
    const safetensors::load_options rounding_allowed{.convert = safetensors::conversion::narrowing};
    safetensors::load(folder / "a", *to.optimizer, to.on_device->views(), rounding_allowed);
    safetensors::load(folder / "a", host.optimizer, host.spans(host.params), rounding_allowed);
    CHECK(to.values() == host.params);
    for (std::size_t t = 0; t < sizes.size(); ++t)
        CHECK(to.optimizer->export_fp32(slot::exp_avg, t) == host.optimizer.export_fp32(slot::exp_avg, t));
}

TEST_CASE("fp32 views go to a file and start another optimizer") {
    const checkpoints::scratch folder;
    device_model<remainder8_fp8> from(sizes, hyper), to(sizes, hyper);
    from.step();
    safetensors::export_fp32(folder / "a", *from.optimizer, from.on_device->views());
    safetensors::import_fp32(folder / "a", *to.optimizer, to.on_device->views());
    CHECK(to.optimizer->step_count() == 1);
    for (std::size_t t = 0; t < sizes.size(); ++t)
        for (const slot s : all_slots)
            CHECK(to.optimizer->export_fp32(s, t, to.on_device->views()[t]) ==
                  from.optimizer->export_fp32(s, t, from.on_device->views()[t]));
}

}  // namespace
