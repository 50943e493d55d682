// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! readme_tables README.md: whether its tables of policies and of storage kinds are what the types say. Where
//! they are not it prints what to paste there.
#include <adamant/policy/presets.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace adamant;

//! With two decimals at most.
std::string text_of(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", bytes);
    std::string result = text;
    result.erase(result.find_last_not_of('0') + 1);
    if (result.back() == '.') result.pop_back();
    return result;
}
std::string text_of(dtype kind) { return kind == dtype::none ? "-" : std::string(to_string(kind)); }

template <class... Policies>
std::string policy_table() {
    std::string table =
        "| policy | bytes/parameter | weight | bucket | master | exp_avg | exp_avg_sq "
        "|\n|---|---|---|---|---|---|---|\n";
    const auto add = [&](const policy_spec& spec, double bytes) {
        table += "| `" + describe(spec) + "` | " + text_of(bytes);
        for (const dtype kind :
             {spec.mode, spec.grad_bucket, spec.main_params.kind, spec.exp_avg.kind, spec.exp_avg_sq.kind})
            table += " | " + text_of(kind);
        table += " |\n";
    };
    (add(Policies::resolved::spec, Policies::resolved::bytes_per_param()), ...);
    return table + "\n";
}

template <class... Options>
using aware = policy<mode<bf16>, precision_aware, Options...>;
template <class... Options>
using lean = aware<main_grads<bf16>, Options...>;

std::string policies() {
    return policy_table<policy<mode<fp32>>, policy<mode<bf16>>, policy<mode<fp16>>,
                        policy<mode<bf16>, grad_reduce_in_fp32<false>>, aware<>, lean<>,
                        lean<exp_avg<bf16>, exp_avg_sq<bf16>>,
                        lean<main_params<fp32>, exp_avg<bf16>, exp_avg_sq<bf16>>,
                        lean<exp_avg<fp16>, exp_avg_sq<fp16>>, lean<exp_avg<fp8>, exp_avg_sq<fp8>>,
                        lean<main_params<remainder8>, exp_avg<fp8>, exp_avg_sq<fp8>>,
                        lean<main_params<none>, exp_avg<fp8>, exp_avg_sq<fp8>>>();
}

//! The first two columns of a storage kind.
std::string kind_row(const std::string& field, dtype kind) {
    const double bytes = state_bytes_per_element(kind);
    const auto whole = static_cast<int>(bytes);
    return "| " + field + std::string(to_string(kind)) + " | " + std::to_string(whole) +
           (bytes != whole ? " + 1/32 |" : " |");
}

bool is_only_a_master(dtype kind) {
    return kind == dtype::remainder16 || kind == dtype::remainder8 || kind == dtype::none;
}

bool contains(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return true;
    std::printf("README.md lacks:\n%s\n", part.c_str());
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    std::ifstream in(argv[1]);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    bool holds = contains(text, policies());
    for (const dtype kind : all_dtypes)
        holds = contains(text, kind_row(is_only_a_master(kind) ? "main_params: " : "", kind)) && holds;
    holds = contains(text, kind_row("main_params: ", dtype::fp16)) && holds;
    return holds ? 0 : 1;
}
