// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A policy: every precision decision as a type, judged by the compiler, with its cost in bytes.
//!
//! Shows how a policy is written, that two ways of writing one are one type, what is the same as plain data,
//! and how a rule speaks at run time; at compile time the same sentence is the only error.
//!
//!     cmake --build build --target example_01_policy
//!     build/examples/example_01_policy
#include <cstdio>
#include <string>
#include <type_traits>

#include <adamant/adamant.hpp>

using namespace adamant;

// Options stand in any order; what is left out has Megatron's default. With precision_aware the master of a
// bf16 weight is a 2-byte remainder: weight and remainder together are an exact fp32.
using lean = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>;
static_assert(lean::bytes_per_param() == 10);  // weight 2, gradient 2, remainder 2, moments 2 + 2

// The same in another order, with a default spelt out: one type behind both, so one instantiation.
using also_lean =
    policy<exp_avg_sq<bf16>, exp_avg<bf16>, main_grads<bf16>, main_params<remainder16>, precision_aware>;
static_assert(std::is_same_v<lean::resolved, also_lean::resolved>);

// This does not compile: "[adamant] without precision_aware exp_avg is fp32: add precision_aware ..."
// using careless = policy<mode<bf16>, exp_avg<bf16>>;

int main() {
    const auto row = [](const char* name, const policy_spec& spec) {
        std::printf("%-14s %5.1f bytes  %s\n", name, bytes_per_param(spec), describe(spec).c_str());
    };
    row("full_fp32", presets::full_fp32::spec);
    row("megatron_bf16", presets::megatron_bf16::spec);
    row("lossless_bf16", presets::lossless_bf16::spec);
    row("lean_bf16", presets::lean_bf16::spec);
    row("scaled_fp16", presets::scaled_fp16::spec);

    // A policy as data: what a configuration file yields. The same rules judge it.
    policy_spec careless = presets::megatron_bf16::spec;
    careless.exp_avg = stored_by_default(dtype::bf16);
    const auto broken = first_broken(careless);
    if (!broken) return 1;
    std::printf("\nnot a policy:  %s\n  %s\n", describe(careless).c_str(),
                std::string(broken->sentence).c_str());

    return lean::spec == presets::lean_bf16::spec && !first_broken(lean::spec) ? 0 : 1;
}
