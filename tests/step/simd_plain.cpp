// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Vector kernels of kinds without scales, and the norm's.
#include "simd_checks.hpp"

using namespace simd_checks;

namespace {

template <class MainGrad, class Grad>
void check_block_sums() {
    constexpr int blocks = 37, size = blocks * block_size;
    for (const int offset : {0, 1, 5}) {
        std::vector<Grad> grads(static_cast<std::size_t>(size + offset));
        for (int i = 0; i < size; ++i) {
            const auto w = inputs::word(23, static_cast<std::uint64_t>(i));
            float g =
                std::ldexp(static_cast<float>(static_cast<std::int32_t>(w)), -31 - static_cast<int>(w % 40));
            if (i / block_size % 4 == 1 && w % 50 == 0) g = wild_values[w / 50 % std::size(wild_values)];
            if (i == 20 * block_size + 77) g = std::numeric_limits<float>::infinity();
            if (i == 30 * block_size + 3) g = from_bits(0x7FFFFFFFu);  // rounded like a number it would be -0
            grads[static_cast<std::size_t>(i + offset)] = round_to<Grad>(g);
        }
        std::vector<double> expected;
        for (int block = 0; block < blocks; ++block)
            expected.push_back(
                block_sum_scalar<MainGrad>(grads.data() + offset + block * block_size, block_size));
        const auto check = [&](auto sums_of) {
            std::vector<double> sums;
            sums_of(grads.data() + offset, blocks, [&](double sum) { sums.push_back(sum); });
            REQUIRE(sums.size() == blocks);
            for (std::size_t block = 0; block < blocks; ++block)
                CHECK((sums[block] == expected[block] ||
                       (std::isnan(sums[block]) && std::isnan(expected[block]))));
        };
        check([](auto... arguments) { block_sums<MainGrad>(arguments...); });
#if defined(__x86_64__)
        if (best_instruction_set() >= instruction_set::avx2)
            check([](auto... arguments) { avx2::block_sums<MainGrad>(arguments...); });
        if (best_instruction_set() >= instruction_set::avx512)
            check([](auto... arguments) { avx512::block_sums<MainGrad>(arguments...); });
#elif defined(__aarch64__)
        check([](auto... arguments) { neon::block_sums<MainGrad>(arguments...); });
#endif
    }
}

}  // namespace

TEST_CASE("plain kinds") {
    check_kernels<float, weight_only_codec<float>, float, f, f>();
    check_kernels<float, fp32_master_codec<bfloat16>, float, f, f>();
    check_kernels<bfloat16, fp32_master_codec<bfloat16>, float, b, f>();
    check_kernels<float, fp32_master_codec<bfloat16>, bfloat16, f, b>();
    check_kernels<bfloat16, remainder16_codec, bfloat16, b, b>();
    check_kernels<float, remainder16_codec, float, f, f>();
    check_kernels<float, fp32_master_codec<float16>, float, f, f>();
    check_kernels<float, fp32_master_codec<float16>, float16, b, b>();
    check_kernels<bfloat16, weight_only_codec<float>, bfloat16, b, sb>();
}

TEST_CASE("stochastic kinds of whole bits") {
    check_kernels<bfloat16, stochastic_weight_codec, bfloat16, sb, sb>();
    check_kernels<float, remainder8_codec<down_or_up>, float, f, sb>();
    check_kernels<float, remainder8_codec<to_nearest>, float, sb, f>();
}

TEST_CASE("ends of bf16") {
    check_ends<stochastic_weight_codec, sb, sb>();
    check_ends<stochastic_weight_codec, b, b>();
    check_ends<remainder16_codec, sb, sb>();
}

TEST_CASE("sums of squares of blocks") {
    check_block_sums<float, float>();
    check_block_sums<bfloat16, float>();
    check_block_sums<bfloat16, bfloat16>();
    check_block_sums<float, float16>();
}
