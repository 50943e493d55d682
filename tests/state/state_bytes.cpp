// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! An optimizer asks its memory for state_bytes(sizes), to the byte, and gives all of it back.
#include "counting_memory.hpp"

#include <same_bits/run.hpp>
#include <unjudged.hpp>

#include <adamant/optimizer/adam.hpp>
#include <adamant/policy/catalogue.hpp>
#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

template <class Policy>
using counted_adam = adam<Policy, counting_memory>;

template <class Policy>
struct model {
    using param_t = typename counted_adam<Policy>::param_t;
    std::vector<std::vector<param_t>> params;

    explicit model(const std::vector<std::int64_t>& sizes) {
        for (const std::int64_t size : sizes) params.emplace_back(static_cast<std::size_t>(size));
    }
    counted_adam<Policy> optimizer(ledger& book) {
        std::vector<std::span<param_t>> spans(params.begin(), params.end());
        return counted_adam<Policy>(spans, hyperparameters{}, unjudged(), counting_memory{&book});
    }
};

//! What README's table of storage kinds says for tensors padded to `padded` elements.
std::size_t bytes_of(dtype kind, std::size_t padded) {
    switch (kind) {
        case dtype::fp32: return 4 * padded;
        case dtype::bf16:
        case dtype::remainder16: return 2 * padded;
        case dtype::fp16: return 2 * padded + padded / 32;
        case dtype::fp8:
        case dtype::fp8_fine: return padded + padded / 32;
        case dtype::remainder8: return padded;
        case dtype::none: return 0;
    }
    return 0;
}
std::size_t expected_bytes(const policy_spec& spec, std::size_t padded) {
    return bytes_of(spec.main_params.kind, padded) + bytes_of(spec.exp_avg.kind, padded) +
           bytes_of(spec.exp_avg_sq.kind, padded);
}

}  // namespace

TEST_CASE("every policy of every kind and rounding allocates state_bytes(sizes) and gives it back") {
    const auto check = []<class Policy>(std::type_identity<Policy>) {
        CAPTURE(Policy::describe());
        const std::vector<std::int64_t> sizes{1, 0, 127, 129, 1000};  // 128 + 0 + 128 + 256 + 1024
        model<Policy> weights(sizes);
        ledger book;
        {
            auto optimizer = weights.optimizer(book);
            CHECK(book.live_bytes == expected_bytes(Policy::spec, 1536));
            CHECK(counted_adam<Policy>::state_bytes(sizes) == book.live_bytes);
            CHECK(optimizer.state_bytes() == book.live_bytes);
            CHECK(book.smallest_alignment == 64);
        }
        CHECK(book.live_bytes == 0);
        CHECK(book.returns == book.calls);
    };
    same_bits::for_each_policy(check);
}

TEST_CASE("an fp32 tensor of a lower mode has moments and no master, and that is what is allocated") {
    same_bits::for_each_policy([]<class Policy>(std::type_identity<Policy>) {
        CAPTURE(Policy::describe());
        std::vector<typename adam<Policy>::param_t> weights(200), more(5);
        std::vector<float> router(129);
        const std::vector<tensor_view> params{std::span(weights), std::span(router), std::span(more)};
        ledger book;
        const counted_adam<Policy> optimizer(params, hyperparameters{}, unjudged(), counting_memory{&book});
        const bool has_master = Policy::spec.mode != dtype::fp32;
        const std::size_t all = 256 + 256 + 128, mastered = has_master ? all - 256 : all;
        CHECK(book.live_bytes == bytes_of(Policy::spec.main_params.kind, mastered) +
                                     bytes_of(Policy::spec.exp_avg.kind, all) +
                                     bytes_of(Policy::spec.exp_avg_sq.kind, all));
        CHECK(optimizer.state_bytes() == book.live_bytes);
    });
}

TEST_CASE("the state of 128 elements and more is bytes_per_param() without weight and gradient") {
    same_bits::for_each_policy([]<class Policy>(std::type_identity<Policy>) {
        const std::vector<std::int64_t> sizes{12800};
        const double weight_and_grad =
            double{sizeof(typename adam<Policy>::param_t)} + double{sizeof(typename adam<Policy>::grad_t)};
        CHECK(static_cast<double>(adam<Policy>::state_bytes(sizes)) ==
              (Policy::bytes_per_param() - weight_and_grad) * 12800);
    });
}

TEST_CASE("a tensor's codes and scales are as many as its elements and groups") {
    using halves = policy<mode<bf16>, precision_aware, main_params<fp16>, exp_avg<fp8>, exp_avg_sq<bf16>>;
    model<halves> weights({1, 32, 33, 0});
    ledger book;
    const auto optimizer = weights.optimizer(book);
    const std::size_t sizes[] = {1, 32, 33, 0}, groups[] = {1, 1, 2, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(optimizer.state<slot::main_params>(i).size() == sizes[i]);
        CHECK(optimizer.scales<slot::main_params>(i).size() == groups[i]);
        CHECK(optimizer.state<slot::exp_avg>(i).size() == sizes[i]);
        CHECK(optimizer.scales<slot::exp_avg>(i).size() == groups[i]);
        CHECK(optimizer.state<slot::exp_avg_sq>(i).size() == sizes[i]);
        CHECK(optimizer.scales<slot::exp_avg_sq>(i).empty());
    }
}

TEST_CASE("no tensors and empty tensors allocate no state") {
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{}, {0}, {0, 0, 0}}) {
        model<presets::lean_bf16> weights(sizes);
        ledger book;
        auto optimizer = weights.optimizer(book);
        CHECK(book.calls == 0);
        CHECK(optimizer.state_bytes() == 0);
        CHECK(optimizer.tensor_count() == sizes.size());
    }
}

TEST_CASE("a construction whose k-th allocation fails leaks nothing") {
    for (int failing = 1; failing <= 3; ++failing) {
        model<presets::lean_bf16> weights({300, 5});
        ledger book{.fail_at = failing};
        CHECK_THROWS_AS(weights.optimizer(book), std::bad_alloc);
        CHECK(book.live_bytes == 0);
        CHECK(book.returns == failing - 1);
    }
}

TEST_CASE("moving an optimizer moves its state, which is given back once") {
    static_assert(!std::is_copy_constructible_v<counted_adam<presets::lean_bf16>>);
    static_assert(!std::is_copy_assignable_v<counted_adam<presets::lean_bf16>>);
    ledger book, other_book;
    model<presets::lean_bf16> weights({300, 5});
    {
        auto first = weights.optimizer(book);
        const auto* const place = first.state<slot::exp_avg>(0).data();
        auto second = std::move(first);
        CHECK(second.state<slot::exp_avg>(0).data() == place);
        auto third = weights.optimizer(other_book);
        third = std::move(second);
        CHECK(third.state<slot::exp_avg>(0).data() == place);
        CHECK(book.calls == 3);
        CHECK(book.live_bytes == third.state_bytes());
    }
    CHECK(book.live_bytes == 0);
    CHECK(other_book.live_bytes == 0);
}
