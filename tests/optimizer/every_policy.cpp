// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What holds for every policy of verl_catalogue and the narrow ones: a step allocates nothing, and neither
//! the run-time interface nor threads change a bit.
#include "counted_allocations.hpp"
#include "model.hpp"
#include "narrow_catalogue.hpp"

#include <adamant/optimizer/any_optimizer.hpp>

#include <doctest/doctest.h>

#include <deque>

namespace {

using namespace adamant;

template <class F, class... Policies>
void for_each(catalogue<Policies...>, F f) {
    (f(std::type_identity<Policies>{}), ...);
}

const optimizer_options small_scale{.loss_scaler = loss_scaler_settings{.initial_loss_scale = 256}};

template <class Catalogue>
any_optimizer any_of(const policy_spec& spec, const std::vector<tensor_info>& tensors,
                     const std::vector<tensor_view>& params) {
    return make_optimizer<Catalogue>(spec, tensors, params, {}, unjudged(small_scale));
}

std::size_t bytes_of(dtype kind) {
    if (kind == dtype::fp32) return 4;
    return kind == dtype::fp8 || kind == dtype::fp8_fine || kind == dtype::remainder8 ? 1 : 2;
}

//! As model::digest, seen through the run-time interface.
template <class Params>
std::uint64_t digest_of(const any_optimizer& optimizer, const Params& params) {
    digest hash;
    for (const auto& values : params) hash.add(std::span(values));
    for (const slot s : all_slots) {
        for (std::size_t i = 0; i < params.size(); ++i) {
            const slot_view codes = optimizer.state(to_string(s), i);
            hash.add(codes.data, static_cast<std::size_t>(codes.size) * bytes_of(codes.kind));
        }
        for (std::size_t i = 0; i < params.size(); ++i) {
            const slot_view codes = optimizer.state(to_string(s), i);
            if (has_group_scale(codes.kind))
                hash.add(codes.scales, (static_cast<std::size_t>(codes.size) + 31) / 32);
        }
    }
    return hash.value();
}

template <class Policy>
void check_allocations(const executor& runner, std::size_t head) {
    CAPTURE(Policy::describe());
    model<Policy> m({}, {.executor = runner, .loss_scaler = small_scale.loss_scaler}, head);
    const auto params = m.param_spans();
    const auto grads = m.grad_spans();
    for (int i = 0; i < 2; ++i) {  // the first step too
        step_result r;
        CHECK(allocations_of([&] { r = m.optimizer.step(params, grads); }) == 0);
        CHECK(r.status == step_status::applied);
    }
    const std::deque<tensor_view> scattered_params(params.begin(), params.end());
    const std::deque<tensor_view> scattered_grads(grads.begin(), grads.end());
    CHECK(allocations_of([&] { m.optimizer.step(scattered_params, scattered_grads); }) == 0);
    m.grads[4][17] = round_to<typename model<Policy>::grad_t>(std::numeric_limits<float>::quiet_NaN());
    step_result r;
    CHECK(allocations_of([&] { r = m.optimizer.step(params, grads); }) == 0);
    CHECK(r.status == step_status::skipped_found_inf);
    CHECK(r.step == 3);
}

template <class Policy, class Catalogue>
void check_interfaces() {
    CAPTURE(Policy::describe());
    const std::size_t head = 9000;  // enough for several tasks
    model<Policy> typed({}, {.executor = serial_executor{}, .loss_scaler = small_scale.loss_scaler}, head),
        untyped({}, {}, head),
        threaded({}, {.executor = thread_pool(3), .loss_scaler = small_scale.loss_scaler}, head);
    any_optimizer any = any_of<Catalogue>(Policy::spec, untyped.tensors, untyped.param_views());
    CHECK(any.bytes_per_param() == Policy::bytes_per_param());
    CHECK(storage_of(any.spec()) == storage_of(Policy::spec));
    const std::uint64_t start = typed.digest();
    for (std::uint64_t i = 0; i < 4; ++i) {
        const step_result expected = typed.step_with_new_grads(i);
        threaded.step_with_new_grads(i);
        untyped.new_grads(i);
        const auto params = untyped.param_views(), grads = untyped.grad_views();
        step_result got;
        CHECK(allocations_of([&] { got = any.step(params, grads); }) == 0);
        CHECK(got.grad_norm == expected.grad_norm);
        CHECK(got.step == expected.step);
        CHECK(got.loss_scale == expected.loss_scale);
    }
    CHECK(typed.digest() != start);
    CHECK(threaded.digest() == typed.digest());
    CHECK(digest_of(any, untyped.params) == typed.digest());
    CHECK(any.step_count() == 4);
    CHECK(any.loss_scale() == typed.optimizer.loss_scale());
}

}  // namespace

TEST_CASE("the counter counts") {
    CHECK(allocations_of([] { ::operator delete(::operator new(4)); }) == 1);
    CHECK(allocations_of([] { host_memory{}.deallocate(host_memory{}.allocate(64, 64), 64, 64); }) == 1);
}

TEST_CASE("neither an applied nor a skipped step allocates") {
    const auto check = []<class Policy>(std::type_identity<Policy>) {
        check_allocations<Policy>({}, 5000);
        check_allocations<Policy>({}, 20000);  // on the threads of a pool
        check_allocations<Policy>(thread_pool(3), 20000);
    };
    for_each(verl_catalogue{}, check);
    for_each(narrow_catalogue{}, check);
}

TEST_CASE(
    "the run-time interface and threads give the bits of adam<Policy>, and the former allocates nothing") {
    for_each(verl_catalogue{},
             []<class Policy>(std::type_identity<Policy>) { check_interfaces<Policy, verl_catalogue>(); });
    for_each(narrow_catalogue{},
             []<class Policy>(std::type_identity<Policy>) { check_interfaces<Policy, narrow_catalogue>(); });
}
