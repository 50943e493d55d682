// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Every header, with its templates instantiated, for clang-tidy to read.
#include <adamant/adamant.hpp>
#if __has_include(<yaml-cpp/yaml.h>)
#include <adamant/yaml/yaml.hpp>
#endif
#if __has_include(<nlohmann/json.hpp>)
#include <adamant/safetensors/safetensors.hpp>
#endif

template class adamant::basic_adam<adamant::presets::full_fp32::resolved>;
template class adamant::basic_adam<adamant::presets::lean_bf16::resolved>;
template class adamant::basic_adam<adamant::presets::scaled_fp16::resolved>;
template class adamant::basic_grad_bucket<adamant::bfloat16>;
template class adamant::sharded<adamant::presets::lean_bf16>;

namespace {

using small = adamant::catalogue<adamant::presets::full_fp32, adamant::presets::lean_bf16>;

}  // namespace

adamant::step_result take_a_step(adamant::any_optimizer& optimizer,
                                 std::span<const adamant::tensor_view> params) {
    return optimizer.step(params, params);
}

adamant::step_telemetry count_a_step(const adamant::adam<adamant::presets::lean_bf16>& optimizer,
                                     std::span<const adamant::tensor_view> params) {
    return adamant::telemetry(optimizer, params, params);
}

#if __has_include(<yaml-cpp/yaml.h>)
adamant::any_optimizer make(const adamant::yaml::config& config,
                            std::span<const adamant::tensor_view> params) {
    return adamant::yaml::make_optimizer<small>(config, {}, params);
}
#endif

#if __has_include(<nlohmann/json.hpp>)
void save_and_load(adamant::any_optimizer& optimizer, std::span<const adamant::tensor_view> params) {
    const adamant::safetensors::checkpoint_folder folder("run", 2);
    adamant::safetensors::load(folder.save(optimizer, params), optimizer, params);
    adamant::safetensors::export_fp32("run/fp32.safetensors", optimizer, params);
    adamant::safetensors::import_fp32("run/fp32.safetensors", optimizer, params);
}
#endif
