// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! adam on a device has the bits of adam on the CPU: kernels that run emulated, and the PTX that nvcc makes
//! of them.
#include "device_adam.hpp"
#include "policies.hpp"

#include <same_bits/expected.hpp>
#include <unjudged.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace device_tests;

TEST_CASE("50 steps over 20 tensors of odd sizes have the digest that every compiler's CPU code has") {
    const auto digests = same_bits::expected();
    for_each_policy([&]<class Policy>(std::type_identity<Policy>) {
        const std::string name = Policy::describe();
        CAPTURE(name);
        REQUIRE(digests.contains(name));
        const std::uint64_t digest =
            same_bits::digest_of<Policy>([&](const auto& tensors, const auto& params) {
                return device_adam<Policy>(tensors, params, same_bits::hyper,
                                           unjudged({.loss_scaler = same_bits::scaler}));
            });
        CHECK(digest == digests.at(name));
    });
}

//! Tensors that fill whole chunks, and one that does not.
template <class Policy>
struct large_model {
    using param_t = typename adam<Policy>::param_t;
    using grad_t = typename adam<Policy>::grad_t;

    std::vector<std::vector<param_t>> params;
    std::vector<std::vector<grad_t>> grads;

    explicit large_model(std::uint64_t step = 0) {
        for (const std::size_t size : {std::size_t{2 * 2048}, std::size_t{2048}, std::size_t{2048 + 301}}) {
            auto& p = params.emplace_back();
            auto& g = grads.emplace_back();
            for (std::size_t i = 0; i < size; ++i) {
                p.push_back(round_to<param_t>(adamant_test::random_float(params.size(), i, 0, 8)));
                g.push_back(round_to<grad_t>(adamant_test::random_float(7 + params.size(), i, step, 20)));
            }
        }
    }
    std::vector<std::span<param_t>> param_spans() { return {params.begin(), params.end()}; }
    std::vector<std::span<const grad_t>> grad_spans() const { return {grads.begin(), grads.end()}; }
};

template <slot S, class A, class B>
bool same_slot(A& a, B& b) {
    for (std::size_t t = 0; t < 3; ++t) {
        const auto codes = a.template state<S>(t);
        const auto others = b.template state<S>(t);
        if (codes.size() != others.size() ||
            (!codes.empty() && std::memcmp(codes.data(), others.data(), codes.size_bytes()) != 0))
            return false;
        const auto scales = a.template scales<S>(t);
        const auto other_scales = b.template scales<S>(t);
        if (!std::ranges::equal(scales, other_scales)) return false;
    }
    return true;
}

TEST_CASE(
    "whole chunks, aligned and not, have the CPU's bits after every step, skipped and clipped ones too") {
    for_each_policy([&]<class Policy>(std::type_identity<Policy>) {
        CAPTURE(Policy::describe());
        const hyperparameters hyper{
            .lr = 1e-2, .beta2 = 0.97, .weight_decay = 0.1, .clip_grad = 3, .seed = 11};
        const optimizer_options options =
            unjudged({.loss_scaler = loss_scaler_settings{.initial_loss_scale = 8}});
        large_model<Policy> host, device;
        adam<Policy> expected(host.param_spans(), hyper, options);
        device_adam<Policy> optimizer({}, device.param_spans(), hyper, options);
        for (std::uint64_t step = 1; step <= 4; ++step) {
            CAPTURE(step);
            large_model<Policy> gradients(step);
            if (step == 3) gradients.grads[1][2000] = round_to<typename adam<Policy>::grad_t>(-INFINITY);
            const step_options how{.lr = 1e-2 / static_cast<double>(step), .grad_scale = 0.25};
            const step_result right = expected.step(host.param_spans(), gradients.grad_spans(), how);
            const step_result result = optimizer.step(device.param_spans(), gradients.grad_spans(), how);
            CHECK(result.status == right.status);
            CHECK(std::bit_cast<std::uint64_t>(result.grad_norm) ==
                  std::bit_cast<std::uint64_t>(right.grad_norm));
            CHECK(result.clip_coefficient == right.clip_coefficient);
            CHECK(result.loss_scale == right.loss_scale);
            CHECK(result.step == right.step);
            CHECK(std::memcmp(host.params[0].data(), device.params[0].data(),
                              sizeof host.params[0][0] * 4096) == 0);
            CHECK(host.params[1] == device.params[1]);
            CHECK(host.params[2] == device.params[2]);
            CHECK(same_slot<slot::main_params>(expected, optimizer));
            CHECK(same_slot<slot::exp_avg>(expected, optimizer));
            CHECK(same_slot<slot::exp_avg_sq>(expected, optimizer));
        }
    });
}

}  // namespace
