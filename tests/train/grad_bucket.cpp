// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The gradient bucket: layout, micro-batches, and the bucket whose dtype is known at run time.
#include <adamant/optimizer/adam.hpp>
#include <adamant/policy/presets.hpp>
#include <adamant/train/grad_bucket.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace adamant;

TEST_CASE("tensors lie one after the other at multiples of 128, with zeros between") {
    const std::array<std::int64_t, 4> sizes{130, 0, 1, 128};
    basic_grad_bucket<float> bucket(sizes);
    CHECK(bucket.tensor_count() == 4);
    CHECK(bucket.all().size() == 256 + 128 + 128);
    CHECK(bucket[2].data() == bucket.all().data() + 256);
    CHECK(bucket[3].data() == bucket.all().data() + 384);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::vector<float> ones(static_cast<std::size_t>(sizes[i]), 1.0f);
        bucket.accumulate(i, std::span(ones));
        CHECK(bucket.views()[i].data() == bucket[i].data());
        CHECK(bucket.views()[i].size() == ones.size());
    }
    float sum = 0;
    for (const float value : bucket.all()) sum += value;
    CHECK(sum == 130 + 1 + 128);
    bucket.zero();
    for (const float value : bucket.all()) CHECK(value == 0);
}

TEST_CASE("a micro-batch is added in fp32 and rounded once to the bucket's dtype") {
    const std::array<std::int64_t, 1> sizes{2};
    basic_grad_bucket<bfloat16> bucket(sizes);
    const std::vector<float> first{1.0f, 3.0f}, second{0x1p-9f, 0x1.8p-7f};
    bucket.accumulate(0, std::span(first));
    bucket.accumulate(0, std::span(second));
    CHECK(to_float(bucket[0][0]) == 1.0f);            // below half a unit of 1
    CHECK(to_float(bucket[0][1]) == 3.0f + 0x1p-6f);  // three quarters of a unit of 3 round up
}

TEST_CASE("the mean over micro-batches is grad_scale") {
    using policy_type = presets::megatron_bf16;
    const std::array<std::int64_t, 1> sizes{4};
    std::vector<bfloat16> together(4, to_bfloat16(1)), apart = together;
    const hyperparameters hyper{.clip_grad = 0.125};
    adam<policy_type> one(std::vector<std::span<bfloat16>>{together}, hyper),
        two(std::vector<std::span<bfloat16>>{apart}, hyper);
    grad_bucket<policy_type> bucket(sizes);
    static_assert(std::is_same_v<grad_bucket<policy_type>::value_type, float>);
    for (int step = 0; step < 3; ++step) {
        bucket.zero();
        for (const float gradient : {0.25f, 0.75f}) {
            const std::vector<bfloat16> values(4, to_bfloat16(gradient));
            bucket.accumulate(0, std::span(values));
        }
        const std::vector<float> mean(4, 0.5f);
        const step_result a =
            one.step(std::vector<std::span<bfloat16>>{together}, std::vector<std::span<const float>>{mean});
        const step_result b =
            two.step(std::vector<std::span<bfloat16>>{apart}, bucket.views(), {.grad_scale = 0.5});
        CHECK(a.grad_norm == b.grad_norm);
        CHECK(together == apart);
    }
}

TEST_CASE("a gradient of another size or tensor is refused and changes nothing") {
    const std::array<std::int64_t, 2> sizes{3, 0};
    basic_grad_bucket<float> bucket(sizes);
    const std::vector<float> values(4, 1.0f);
    CHECK_THROWS_WITH_AS(bucket.accumulate(0, std::span(values)),
                         "[adamant] a gradient has its tensor's size: tensor 0: expected 3 elements, got 4.",
                         shape_error);
    CHECK_THROWS_WITH_AS(bucket.accumulate(2, std::span(values)),
                         "[adamant] this bucket has 2 tensors: there is no tensor 2.", shape_error);
    for (const float value : bucket.all()) CHECK(value == 0);
    const std::array<std::int64_t, 1> negative{-1};
    CHECK_THROWS_AS(basic_grad_bucket<float>{negative}, shape_error);
}

TEST_CASE("a bucket of a dtype known at run time takes gradients of any dtype") {
    const std::array<std::int64_t, 2> sizes{2, 1};
    for (const dtype kind : {dtype::fp32, dtype::bf16, dtype::fp16}) {
        any_grad_bucket bucket(kind, sizes);
        std::vector<float> a{1, 2};
        std::vector<float16> b{to_float16(0.5f), to_float16(0.25f)};
        bucket.accumulate(0, std::span(a));
        bucket.accumulate(0, std::span(b));
        CHECK(bucket.views()[0].type == kind);
        CHECK(bucket.views()[1].size == 1);
        visit_values(bucket.views()[0], [](auto values) {
            CHECK(to_float(values[0]) == 1.5f);
            CHECK(to_float(values[1]) == 2.25f);
        });
        bucket.zero();
        visit_values(bucket.views()[0], [](auto values) { CHECK(to_float(values[0]) == 0); });
    }
    CHECK_THROWS_AS(any_grad_bucket(dtype::fp8, sizes), shape_error);
}
