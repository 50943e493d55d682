// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bytes_per_param against the list of numerics.md; group scales count 1/32 byte per element.
#include <doctest/doctest.h>

#include <adamant/policy/presets.hpp>

using namespace adamant;

TEST_CASE("the presets take what numerics.md says") {
    static_assert(presets::full_fp32::bytes_per_param() == 16);
    static_assert(presets::megatron_bf16::bytes_per_param() == 18);
    static_assert(presets::lossless_bf16::bytes_per_param() == 14);
    static_assert(presets::lean_bf16::bytes_per_param() == 10);
    static_assert(presets::scaled_fp16::bytes_per_param() == 18);
}

TEST_CASE("one-byte moments count with their scales") {
    static_assert(
        policy<precision_aware, main_grads<bf16>, exp_avg<fp8>, exp_avg_sq<fp8>>::bytes_per_param() ==
        8 + 2.0 / 32);
    static_assert(policy<precision_aware, main_params<remainder8>, main_grads<bf16>, exp_avg<fp8>,
                         exp_avg_sq<fp8>>::bytes_per_param() == 7 + 2.0 / 32);
    static_assert(policy<precision_aware, main_params<none>, main_grads<bf16>, exp_avg<fp8>,
                         exp_avg_sq<fp8_fine>>::bytes_per_param() == 6 + 2.0 / 32);
}

TEST_CASE("each part counts on its own") {
    constexpr stored_as full{}, half = stored_by_default(dtype::fp16), brain = stored_by_default(dtype::bf16);
    constexpr policy_spec plain{};
    static_assert(bytes_per_param(plain) == 2 + 4 + 4 + 4 + 4);
    constexpr auto with = [](auto member, auto value) {
        policy_spec spec;
        spec.*member = value;
        return bytes_per_param(spec);
    };
    static_assert(with(&policy_spec::mode, dtype::fp32) == 20);
    static_assert(with(&policy_spec::mode, dtype::fp16) == 18);
    static_assert(with(&policy_spec::grad_bucket, dtype::bf16) == 16);
    static_assert(with(&policy_spec::grad_bucket, dtype::fp16) == 16);
    static_assert(with(&policy_spec::main_grads, dtype::bf16) == 18);  // stored nowhere
    static_assert(with(&policy_spec::main_params, half) == 16 + 1.0 / 32);
    static_assert(with(&policy_spec::main_params, stored_by_default(dtype::remainder16)) == 16);
    static_assert(with(&policy_spec::main_params, stored_by_default(dtype::remainder8)) == 15);
    static_assert(with(&policy_spec::main_params, stored_by_default(dtype::none)) == 14);
    for (const auto moment : {&policy_spec::exp_avg, &policy_spec::exp_avg_sq}) {
        CHECK(with(moment, full) == 18);
        CHECK(with(moment, brain) == 16);
        CHECK(with(moment, half) == 16 + 1.0 / 32);
        CHECK(with(moment, stored_by_default(dtype::fp8)) == 15 + 1.0 / 32);
        CHECK(with(moment, stored_by_default(dtype::fp8_fine)) == 15 + 1.0 / 32);
    }
}

TEST_CASE("a policy, its canonical type and its spec agree on the bytes") {
    using lean = policy<mode<fp16>, precision_aware, main_params<fp16>, main_grads<bf16>, exp_avg<fp8>,
                        exp_avg_sq<fp16>>;
    static_assert(lean::bytes_per_param() == lean::resolved::bytes_per_param());
    static_assert(lean::bytes_per_param() == bytes_per_param(lean::spec));
    static_assert(lean::bytes_per_param() == 2 + 4 + (2 + 1.0 / 32) + (1 + 1.0 / 32) + (2 + 1.0 / 32));
}
