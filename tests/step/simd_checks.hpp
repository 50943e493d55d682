// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What simd_*.cpp hold the vector kernels to: the bits of the scalar reference, for every offset and length,
//! and on values at the ends of every format.
#pragma once

#include "guarded_tensor.hpp"

#include <adamant/step/block_sums.hpp>
#include <adamant/step/simd/avx2.hpp>
#include <adamant/step/simd/avx512.hpp>
#include <adamant/step/simd/instruction_set.hpp>
#include <adamant/step/simd/neon.hpp>

#include <initializer_list>

namespace simd_checks {

using namespace adamant;
using adamant_test::tensor;

//! Calls f with the update_chunk of every instruction set that this machine has beside the reference.
template <class MainGrad, class F>
void for_each_kernel(F f) {
#if defined(__x86_64__)
    const auto best = best_instruction_set();
    if (best >= instruction_set::avx2)
        f("avx2", [](const auto&... arguments) { avx2::update_chunk<MainGrad>(arguments...); });
    if (best >= instruction_set::avx512)
        f("avx512", [](const auto&... arguments) { avx512::update_chunk<MainGrad>(arguments...); });
#elif defined(__aarch64__)
    f("neon", [](const auto&... arguments) { neon::update_chunk<MainGrad>(arguments...); });
#endif
}

//! The last one as an fp32 gradient makes an exp_avg_sq that rounding up in bf16 would carry to infinity.
inline constexpr float wild_values[]{
    0.0f,     -0.0f,     0x1p-149f, -0x1p-149f,     0x1p-126f,       0x1p-60f,    -0x1p-30f,    1.0f,
    -1.0f,    0x1.01p0f, 0x1.03p0f, 0x1.FFFFFEp-1f, 65504.0f,        65520.0f,    0x1p100f,     -0x1p118f,
    0x1p119f, 0x1p120f,  0x1p126f,  -0x1.8p126f,    0x1.FFFFFEp127f, 0x1.FEp127f, -0x1.FFp127f, 2.6326e20f};

//! One value in `rarity` becomes one from the ends of the formats, in any of the streams.
template <class Tensor>
void make_wild(Tensor& t, std::size_t size, std::uint64_t seed, std::uint32_t rarity) {
    using inputs::word;
    const auto wild = [&](std::size_t i) {
        const std::uint32_t w = word(seed, 8 * i + 1);
        if (w % 41 == 0) return from_bits(0x7FFFFFFFu);  // rounded like a number it would be -0
        if (w % 37 == 0) return std::numeric_limits<float>::infinity();
        return wild_values[w % std::size(wild_values)];
    };
    for (std::size_t begin = 0; begin < size; begin += group_size) {
        const int count = static_cast<int>(std::min<std::size_t>(group_size, size - begin));
        const auto at = static_cast<std::int64_t>(begin);
        float p[group_size], m[group_size], v[group_size];
        t.load(at, count, p, m, v);
        const bool zeros = word(seed, 8 * begin + 7) % 5 == 0;
        for (int e = 0; e < count; ++e) {
            const std::size_t i = begin + static_cast<std::size_t>(e);
            // A group of small values, so that both ends of a group's range are met.
            const float factor = std::ldexp(1.0f, -static_cast<int>(word(seed, 8 * begin + 6) % 60));
            p[e] *= factor;
            m[e] *= factor;
            v[e] *= factor * factor;
            if (zeros) p[e] = m[e] = v[e] = 0;
            t.set_grad(i, zeros ? 0.0f : factor * static_cast<float>(inputs::uniform(seed + 1, i)));
            const std::uint32_t w = word(seed, 8 * i);
            if (w % rarity != 0) continue;
            constexpr float largest_bfloat16 = 0x1.FEp127f;
            switch (w / rarity % 6) {
                case 0: p[e] = wild(i); break;
                case 1: m[e] = wild(i); break;
                case 2: v[e] = std::abs(wild(i)); break;
                case 3: t.set_grad(i, wild(i)); break;
                case 4:  // an exp_avg_sq beyond the largest bf16, of bf16 values
                    v[e] = largest_bfloat16;
                    t.set_grad(i, 2.8e19f);
                    break;
                default:  // such a parameter, where weights decay decoupled
                    p[e] = largest_bfloat16;
                    m[e] = -3e29f;
                    v[e] = 0;
                    t.set_grad(i, 0);
            }
        }
        t.store(at, count, p, m, v);
    }
}

//! Any NaN is as good as another.
template <class Tensor>
void check_values(Tensor& got, Tensor& expected, std::size_t size) {
    std::size_t differing = 0;
    for (std::size_t i = 0; i < size; ++i) differing += !got.same_value(i, expected, i);
    CHECK(differing == 0);
}

inline step_constants some_constants(bool decoupled) {
    const hyperparameters h{.lr = 0.01, .beta2 = 0.99, .decoupled = decoupled, .seed = 99};
    return constants_of_step(h, 3, 0.01, 0.1, 0.7);
}

template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void check_kernels() {
    using tensor_type = tensor<Weight, Grad, ExpAvg, ExpAvgSq>;
    for_each_kernel<MainGrad>([](const char* name, auto kernel) {
        CAPTURE(name);
        for (const bool decoupled : {true, false}) {
            const step_constants c = some_constants(decoupled);
            for (std::size_t size = 1; size <= 257; ++size)
                for (std::size_t offset = 0; offset < 8; ++offset) {
                    tensor_type expected(size, offset), got(size, offset);
                    update_chunk_scalar<MainGrad>(expected.streams(), 0, static_cast<std::int64_t>(size), c);
                    kernel(got.streams(), std::int64_t{0}, static_cast<std::int64_t>(size), c);
                    std::size_t differing = 0;
                    for (std::size_t i = 0; i < size; ++i) differing += !got.same(i, expected, i);
                    CAPTURE(size);
                    CAPTURE(offset);
                    CHECK(differing == 0);
                    CHECK(got.guards_are_whole());
                }
            for (const std::uint32_t rarity : {3u, 50u, 1000u}) {
                constexpr std::size_t size = 10007;
                tensor_type expected(size, 1), got(size, 2);
                // Two NaN may meet in one operation, and which of them wins is the compiler's choice.
                make_wild(expected, size, 17 + rarity, rarity);
                make_wild(got, size, 17 + rarity, rarity);
                for (int step = 0; step < 4; ++step) {
                    update_chunk_scalar<MainGrad>(expected.streams(), 32, std::int64_t{size}, c);
                    kernel(got.streams(), std::int64_t{32}, std::int64_t{size}, c);
                }
                CAPTURE(rarity);
                check_values(got, expected, size);
            }
        }
    });
}

//! A step of tensors whose streams `fill` writes, as damage or another program may leave them.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq, class Fill>
void check_filled(std::size_t size, std::initializer_list<double> betas, Fill fill) {
    for_each_kernel<MainGrad>([&](const char* name, auto kernel) {
        CAPTURE(name);
        for (const double beta : betas) {
            const hyperparameters h{.lr = 0.01, .beta1 = beta, .beta2 = beta, .seed = 99};
            const step_constants c = constants_of_step(h, 3, 0.01, 0.1, 0.7);
            tensor<Weight, Grad, ExpAvg, ExpAvgSq> expected(size, 1), got(size, 2);
            fill(expected);
            fill(got);
            const auto end = static_cast<std::int64_t>(size);
            update_chunk_scalar<MainGrad>(expected.streams(), 0, end, c);
            kernel(got.streams(), std::int64_t{0}, end, c);
            CAPTURE(beta);
            check_values(got, expected, size);
        }
    });
}

//! Every scale over any codes.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void check_scales() {
    constexpr std::size_t scales = 256, size = scales * group_size;
    const auto fill = [](auto& t) {
        for (std::size_t i = 0; i < size; ++i) {
            // Of 16 bits, none for infinity or NaN, and no negative exp_avg_sq: they hide what is looked for.
            t.exp_avg.data()[i] = static_cast<typename ExpAvg::stored>(inputs::word(7, i) & 0xFBFF);
            t.exp_avg_sq.data()[i] = static_cast<typename ExpAvgSq::stored>(inputs::word(8, i) & 0x7BFF);
        }
        for (std::size_t i = 0; i < scales; ++i)
            t.exp_avg_scales.data()[i] = t.exp_avg_sq_scales.data()[i] = static_cast<std::uint8_t>(i);
    };
    check_filled<MainGrad, Weight, Grad, ExpAvg, ExpAvgSq>(size, {0.0, 0.9}, fill);
    // Gradients hide what becomes of a group of zeros with codes: those of the largest codes are small
    // numbers.
    check_filled<MainGrad, Weight, Grad, ExpAvg, ExpAvgSq>(size, {0.9}, [&](auto& t) {
        fill(t);
        for (std::size_t i = 0; i < size; ++i) {
            t.set_grad(i, 0);
            t.exp_avg_sq.data()[i] |= 0xF8;
        }
        for (std::size_t i = 0; i < scales; ++i)
            t.exp_avg_scales.data()[i] = 100;  // an extreme one hides it too
    });
}

//! Betas that are subnormal once they take the least scale, and lose bits: one value in tens of thousands
//! would be another.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void check_tiny_betas() {
    constexpr std::size_t size = std::size_t{1} << 18;
    const auto fill = [](auto& t) {
        for (std::size_t i = 0; i < size; ++i) {
            t.exp_avg.data()[i] = static_cast<typename ExpAvg::stored>(0x7800 | inputs::word(7, i) % 1024);
            t.exp_avg_sq.data()[i] = static_cast<typename ExpAvgSq::stored>(inputs::word(8, i) & 0x7BFF);
            t.set_grad(i, 0);
        }
        for (std::size_t i = 0; i < size / group_size; ++i)
            t.exp_avg_scales.data()[i] = t.exp_avg_sq_scales.data()[i] = 25;
    };
    check_filled<MainGrad, Weight, Grad, ExpAvg, ExpAvgSq>(
        size, {0x1.555555p-28, 0x1.555555p-30, 0x1.555555p-32}, fill);
}

//! bf16 streams in which one element in 64 is at the end of its format, infinite or any NaN, or has a
//! gradient whose square is.
template <class Weight, class ExpAvg, class ExpAvgSq>
void check_ends() {
    constexpr std::size_t size = std::size_t{1} << 16;
    const auto fill = [](auto& t) {
        for (std::size_t i = 0; i < size; ++i) {
            std::uint16_t codes[4];
            for (std::size_t stream = 0; stream < 4; ++stream)
                codes[stream] = static_cast<std::uint16_t>(inputs::word(stream, i) & 0xBFFF);  // below 2
            const std::uint32_t w = inputs::word(4, i), any = inputs::word(5, i);
            const auto end = static_cast<std::uint16_t>((0x7F70 + any % 0x90) | (any >> 16 & 0x8000));
            if (w % 64 == 0) codes[w / 64 % 4] = end;
            if (w % 64 == 1) codes[0] = static_cast<std::uint16_t>(0x5D00 + any % 0x0C00);
            t.grads.data()[i] = __builtin_bit_cast(bfloat16, codes[0]);
            t.weights.data()[i] = __builtin_bit_cast(bfloat16, codes[1]);
            t.exp_avg.data()[i] = __builtin_bit_cast(bfloat16, codes[2]);
            codes[3] &= 0x7FFF;
            t.exp_avg_sq.data()[i] = __builtin_bit_cast(bfloat16, codes[3]);
        }
    };
    check_filled<bfloat16, Weight, bfloat16, ExpAvg, ExpAvgSq>(size, {0.0, 0.9, 0x1.FFFFFEp-1}, fill);
}

using f = plain_codec<float>;
using b = plain_codec<bfloat16>;
using sb = stochastic_bfloat16_codec;
template <template <rounding> class Format, rounding How = rounding::stochastic>
using group = group_codec<Format<How>>;
inline constexpr rounding down_or_up = rounding::stochastic, to_nearest = rounding::nearest;

}  // namespace simd_checks
