// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A user's program: one policy, one step, and what the components have that are linked.
#include <adamant/adamant.hpp>

#if defined(WITH_YAML)
#include <adamant/yaml/yaml.hpp>
#endif

#if defined(WITH_SAFETENSORS)
#include <adamant/safetensors/header.hpp>
#endif
#if defined(WITH_MPI)
#include <adamant/mpi/communicator.hpp>
static_assert(adamant::communicator<adamant::mpi::communicator>);
#endif

#include <span>
#include <vector>

int main() {
    using lean = adamant::presets::lean_bf16;
    std::vector<adamant::bfloat16> weights(8, adamant::to_bfloat16(1.0f)),
        gradients(8, adamant::to_bfloat16(0.5f));
    const std::vector<std::span<adamant::bfloat16>> params{weights};
    const std::vector<std::span<const adamant::bfloat16>> grads{gradients};
    adamant::adam<lean> optimizer{params, {.lr = 0.25, .beta2 = 0.95}};
    const auto result = optimizer.step(params, grads);
    if (result.step != 1 || to_float(weights[0]) >= 1.0f) return 1;
#if defined(WITH_YAML)
    const auto config = adamant::yaml::load_text("lr: 1e-3", "inline.yaml");
    if (adamant::yaml::resolve(config).hyper.lr != 1e-3) return 2;
#endif
#if defined(WITH_SAFETENSORS)
    if (!adamant::safetensors::parse_header("{}", "inline", 0).entries.empty()) return 3;
#endif
    return 0;
}
