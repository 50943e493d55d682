// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What cannot be optimized is refused at construction, with tensor, expected and got.
#include "model.hpp"

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

using optimizer_type = adam<presets::lean_bf16>;

constexpr hyperparameters sound{.beta2 = 0.95};

template <class Error>
std::string built(const std::vector<tensor_info>& tensors, const std::vector<tensor_view>& params,
                  const hyperparameters& hyper = {}, const optimizer_options& options = {}) {
    return thrown<Error>([&] { optimizer_type(tensors, params, hyper, unjudged(options)); });
}

struct weights {
    std::vector<bfloat16> a = std::vector<bfloat16>(6), b = std::vector<bfloat16>(4);
    std::vector<float> c = std::vector<float>(3);
    std::vector<tensor_view> views{std::span(a), std::span(b), std::span(c)};
    std::vector<tensor_info> tensors{
        {.name = "a", .shape = {2, 3}}, {.name = "b", .shape = {4}}, {.name = "c"}};
};

}  // namespace

TEST_CASE("a whole model is accepted") {
    const weights w;
    CHECK_NOTHROW(optimizer_type(w.tensors, w.views, sound));
    CHECK_NOTHROW(optimizer_type(w.views, sound));
    CHECK_NOTHROW(optimizer_type(std::vector<tensor_view>{}, sound));
}

TEST_CASE("a list of infos and a list of parameters have one length") {
    const weights w;
    CHECK(says(built<shape_error>({w.tensors[0], w.tensors[1]}, w.views), {"expected 2", "got 3"}));
    CHECK(says(built<shape_error>(w.tensors, {w.views[0]}), {"expected 3", "got 1"}));
}

TEST_CASE("a parameter is fp32 or of the mode's dtype") {
    weights w;
    std::vector<float16> half(4);
    w.views[1] = std::span(half);
    CHECK(says(built<shape_error>(w.tensors, w.views), {"tensor 1 'b'", "expected bf16", "got fp16"}));
    w.views[1].type = dtype::remainder16;
    CHECK(says(built<shape_error>(w.tensors, w.views), {"tensor 1 'b'", "expected bf16", "got remainder16"}));
    std::vector<bfloat16> low(4);
    CHECK(says(thrown<shape_error>([&] {
                   adam<presets::full_fp32>(std::vector<tensor_view>{std::span(low)}, hyperparameters{});
               }),
               {"tensor 0", "expected fp32", "got bf16"}));
}

TEST_CASE("a tensor with elements has a pointer, an empty one needs none") {
    weights w;
    w.views[2].data = nullptr;
    CHECK(says(built<shape_error>(w.tensors, w.views), {"tensor 2 'c'", "nullptr"}));
    w.views[2].size = 0;
    CHECK_NOTHROW(optimizer_type(w.tensors, w.views, sound));
}

TEST_CASE("a size is not negative") {
    weights w;
    w.views[2].size = -3;
    CHECK(says(built<shape_error>(w.tensors, w.views), {"tensor 2 'c'", "negative"}));
}

TEST_CASE("a size that no address space holds is refused before anything is allocated") {
    float value = 0;
    const auto built_of = [&](std::int64_t size) {
        return thrown<shape_error>([&] {
            adam<presets::full_fp32>(std::vector{tensor_view(dtype::fp32, &value, size)}, hyperparameters{});
        });
    };
    CHECK(says(built_of(std::int64_t{1} << 62), {"address space"}));
    CHECK(says(built_of(std::numeric_limits<std::int64_t>::max()), {"tensor 0", "2^63"}));
}

TEST_CASE("the same pointer twice names both tensors") {
    weights w;
    w.tensors[0].shape = {};
    w.views[0] = w.views[1];
    CHECK(says(built<shape_error>(w.tensors, w.views), {"tensor 0 'a'", "tensor 1 'b'", "tied"}));
    CHECK(says(built<shape_error>({}, w.views), {"tensor 0", "tensor 1"}));
}

TEST_CASE("ranges that overlap in one element are found, ranges that touch are not") {
    std::vector<bfloat16> store(100);
    const auto part = [&](std::size_t first, std::size_t count) {
        return tensor_view(std::span(store).subspan(first, count));
    };
    CHECK_NOTHROW(optimizer_type(std::vector{part(50, 50), part(0, 50)}, sound));
    CHECK(says(built<shape_error>({}, {part(49, 51), part(0, 50)}), {"tensor 0", "tensor 1"}));
    CHECK(says(built<shape_error>({}, {part(0, 100), part(10, 5)}), {"tensor 0", "tensor 1"}));
    CHECK(says(built<shape_error>({}, {part(60, 10), part(0, 50), part(90, 10), part(45, 15)}),
               {"tensor 1", "tensor 3"}));
    CHECK_NOTHROW(optimizer_type(std::vector{part(0, 50), part(10, 0), part(10, 0), part(50, 1)}, sound));
}

TEST_CASE("a tensor has as many elements as its shape") {
    weights w;
    w.tensors[1].shape = {5};
    CHECK(says(built<shape_error>(w.tensors, w.views), {"tensor 1 'b'", "expected 5", "got 4"}));
    w.tensors[1].shape = {2, 0};
    CHECK(says(built<shape_error>(w.tensors, w.views), {"tensor 1 'b'", "expected 0", "got 4"}));
    w.tensors[1].shape = {-2, -2};
    CHECK(says(built<shape_error>(w.tensors, w.views), {"tensor 1 'b'", ">= 0"}));
    w.tensors[1].shape = {std::int64_t{1} << 32, std::int64_t{1} << 32};
    CHECK(says(built<shape_error>(w.tensors, w.views), {"tensor 1 'b'", "2^63"}));
}

TEST_CASE("a group exists and its multipliers are finite and not negative") {
    weights w;
    const optimizer_options two{.groups = {{1, 1}, {2, 0}}};
    w.tensors[1].group = 2;
    CHECK(says(built<shape_error>(w.tensors, w.views, {}, two), {"tensor 1 'b'", "group 2 of 2"}));
    w.tensors[1].group = -1;
    CHECK(says(built<shape_error>(w.tensors, w.views, {}, two), {"tensor 1 'b'", "group -1 of 2"}));
    w.tensors[1].group = 1;
    CHECK_NOTHROW(optimizer_type(w.tensors, w.views, sound, two));
    for (const double bad : {-0.5, not_a_number, infinity}) {
        CHECK(says(built<config_error>(w.tensors, w.views, {}, {.groups = {{1, 1}, {bad, 1}}}), {"lr_mult"}));
        CHECK(says(built<config_error>(w.tensors, w.views, {}, {.groups = {{1, 1}, {1, bad}}}), {"wd_mult"}));
    }
}

TEST_CASE("hyperparameters and scaler settings are judged") {
    const weights w;
    CHECK(says(built<config_error>(w.tensors, w.views, {.lr = -1}), {"lr is"}));
    CHECK(says(built<config_error>(w.tensors, w.views, {.beta1 = 1}), {"beta1 is"}));
    CHECK(says(built<config_error>(w.tensors, w.views, {.beta2 = not_a_number}), {"beta2 is"}));
    CHECK(says(built<config_error>(w.tensors, w.views, {.eps = 0}), {"eps is"}));
    CHECK(says(built<config_error>(w.tensors, w.views, {.weight_decay = infinity}), {"weight_decay is"}));
    CHECK(says(built<config_error>(w.tensors, w.views, {.clip_grad = not_a_number}), {"clip_grad is"}));
    CHECK(says(built<config_error>(w.tensors, w.views, {.grad_norm_skip_threshold = 0}),
               {"grad_norm_skip_threshold is"}));
    CHECK(says(
        built<config_error>(w.tensors, w.views, {}, {.loss_scaler = loss_scaler_settings{.loss_scale = 0.0}}),
        {"loss_scale is"}));
}
