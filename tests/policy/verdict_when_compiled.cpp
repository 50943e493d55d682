// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The verdict as the compiler computes it: one digest per mode and master kind, and the same at run time.
//!
//! Covered: modes fp32, bf16, fp16 x main_params fp32, bf16, fp16, remainder16, remainder8, none x
//! 3 roundings x main_grads fp32, bf16, fp16 x exp_avg fp32, bf16, fp16, fp8, fp8_fine x 3 roundings x
//! exp_avg_sq likewise x bucket fp32, bf16, fp16 x precision_aware x narrow_bucket: 437,400 of the specs of
//! verdict.cpp.
#include <array>
#include <cstdint>
#include <utility>

#include <doctest/doctest.h>

#include <adamant/policy/rules.hpp>

namespace {

using namespace adamant;

constexpr std::array modes{dtype::fp32, dtype::bf16, dtype::fp16};
constexpr std::array masters{dtype::fp32,        dtype::bf16,       dtype::fp16,
                             dtype::remainder16, dtype::remainder8, dtype::none};
constexpr std::array moments{dtype::fp32, dtype::bf16, dtype::fp16, dtype::fp8, dtype::fp8_fine};
constexpr int slices = modes.size() * masters.size();

//! FNV-1a over the rules that speak.
struct digest {
    std::uint64_t value = 0xcbf29ce484222325u;
    constexpr void add(int rule) { value = (value ^ static_cast<std::uint64_t>(rule + 1)) * 0x100000001b3u; }
};

constexpr void add_grads(digest& sum, policy_spec spec) {
    for (const dtype main_grads : modes)
        for (const dtype bucket : modes)
            for (int switches = 0; switches < 4; ++switches) {
                spec.main_grads = main_grads;
                spec.grad_bucket = bucket;
                spec.precision_aware = switches % 2 == 1;
                spec.narrow_bucket = switches / 2 == 1;
                sum.add(spec_rules::first_broken(spec));
            }
}

constexpr std::uint64_t digest_of(int slice) {
    digest sum;
    const auto number = static_cast<std::size_t>(slice);
    policy_spec spec{.mode = modes[number % modes.size()]};
    for (const rounding master_how : all_roundings)
        for (const dtype exp_avg : moments)
            for (const rounding exp_avg_how : all_roundings)
                for (const dtype exp_avg_sq : moments)
                    for (const rounding exp_avg_sq_how : all_roundings) {
                        spec.main_params = {masters[number / modes.size()], master_how};
                        spec.exp_avg = {exp_avg, exp_avg_how};
                        spec.exp_avg_sq = {exp_avg_sq, exp_avg_sq_how};
                        add_grads(sum, spec);
                    }
    return sum.value;
}

template <int Slice>
constexpr std::uint64_t compiled = digest_of(Slice);

template <int... Slices>
constexpr std::array<std::uint64_t, sizeof...(Slices)> all_compiled(std::integer_sequence<int, Slices...>) {
    return {compiled<Slices>...};
}

}  // namespace

TEST_CASE("the compiler's verdicts are those of the run time") {
    constexpr auto digests = all_compiled(std::make_integer_sequence<int, slices>{});
    for (int slice = 0; slice < slices; ++slice) {
        CAPTURE(slice);
        const volatile int at_run_time = slice;
        CHECK(digests[static_cast<std::size_t>(slice)] == digest_of(at_run_time));
    }
}
