// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Vector kernels of kinds with scales.
#include "simd_checks.hpp"

using namespace simd_checks;

TEST_CASE("group kinds") {
    check_kernels<bfloat16, remainder16_codec, bfloat16, group<e4m3>, group<ue5m3>>();
    check_kernels<bfloat16, stochastic_weight_codec, bfloat16, group<e3m4>, group<ue4m4>>();
    check_kernels<float, remainder8_codec<down_or_up>, float, group<scaled_half>, group<scaled_half_sq>>();
    check_kernels<bfloat16, remainder16_codec, bfloat16, sb, group<ue5m3>>();
    check_kernels<float, weight_only_codec<float>, float, group<e3m4>, f>();
    check_kernels<float, weight_only_codec<float>, float, f, group<ue5m3>>();
    check_kernels<float, half_master_codec<bfloat16, down_or_up>, bfloat16, group<scaled_half>, b>();
    check_kernels<float, half_master_codec<float16, to_nearest>, float16, b, group<scaled_half_sq>>();
    check_kernels<float, half_master_codec<float, down_or_up>, float, f, f>();
}

TEST_CASE("group kinds to nearest") {
    check_kernels<float, remainder16_codec, float, group<e4m3, to_nearest>, group<ue5m3, to_nearest>>();
    check_kernels<float, remainder16_codec, float, group<e3m4, to_nearest>, group<ue4m4, to_nearest>>();
    check_kernels<float, remainder16_codec, float, group<scaled_half, to_nearest>,
                  group<scaled_half_sq, to_nearest>>();
}

TEST_CASE("every scale") {
    check_scales<bfloat16, remainder16_codec, bfloat16, group<e4m3>, group<ue5m3>>();
    check_scales<bfloat16, remainder16_codec, bfloat16, group<e3m4>, group<ue4m4>>();
    check_scales<bfloat16, remainder16_codec, bfloat16, group<scaled_half>, group<scaled_half_sq>>();
}

TEST_CASE("tiny betas") {
    check_tiny_betas<bfloat16, remainder16_codec, bfloat16, group<scaled_half>, group<scaled_half_sq>>();
}
