// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! tensor_view converts from spans; name_of is what errors call a tensor.
#include <adamant/state/tensor.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

template <class T>
void check_view(dtype expected) {
    std::vector<T> values(3);
    const tensor_view view = std::span<T>(values);
    CHECK(view.type == expected);
    CHECK(view.data == values.data());
    CHECK(view.size == 3);
    const tensor_view read_only = std::span<const T>(values);
    CHECK(read_only.type == expected);
    CHECK(read_only.data == values.data());
    CHECK(read_only.size == 3);
}

}  // namespace

TEST_CASE("a span of weights or gradients converts to a view, and nothing else does") {
    check_view<float>(dtype::fp32);
    check_view<bfloat16>(dtype::bf16);
    check_view<float16>(dtype::fp16);
    static_assert(!std::is_convertible_v<std::span<double>, tensor_view>);
    static_assert(!std::is_convertible_v<std::span<std::int16_t>, tensor_view>);
    static_assert(std::is_same_v<param_view, tensor_view>);
}

TEST_CASE("an empty span is a view of nothing") {
    const tensor_view view = std::span<float>{};
    CHECK(view.data == nullptr);
    CHECK(view.size == 0);
}

TEST_CASE("a tensor is called by its number, and by its name where it has one") {
    const std::vector<tensor_info> tensors{{.name = "embedding"}, {}, {.name = "decoder.bias", .shape = {4}}};
    CHECK(name_of(0, tensors) == "tensor 0 'embedding'");
    CHECK(name_of(1, tensors) == "tensor 1");
    CHECK(name_of(2, tensors) == "tensor 2 'decoder.bias'");
    CHECK(name_of(3, tensors) == "tensor 3");
    CHECK(name_of(0, {}) == "tensor 0");
}
