// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! step_scalar: Adam's update of a chunk of a tensor, one pass over all of its streams, group by group, and
//! the sum of squares of a block. They are the references of the vector kernels, which hand them what they do
//! not treat.
#pragma once

#include <algorithm>
#include <cstdint>

#include <adamant/state/flat_index.hpp>
#include <adamant/state/slots.hpp>
#include <adamant/step/adam_math.hpp>

namespace adamant::inline v0 {

//! The memory that the update of a tensor reads and writes, each at the tensor's first element.
template <class Weight, class Grad, class ExpAvg, class ExpAvgSq>
struct step_streams {
    typename Weight::view weights;
    const Grad* grads;
    typename ExpAvg::view exp_avg;
    typename ExpAvgSq::view exp_avg_sq;
    std::int64_t flat_start = 0;  //!< flat index of the tensor's first element, to which noise is keyed
};

//! The norm sums squares in blocks of neighbours, in so many lanes.
inline constexpr int block_size = 128, block_lanes = 16;
static_assert(block_size == flat_index::alignment, "[adamant] blocks of the norm start where tensors may.");

//! A bucket's gradient as the policy's main_grads hold it: rounded in the register, there is no second
//! buffer.
template <class MainGrad, class Grad>
ADAMANT_HOST_DEVICE constexpr float main_grad(Grad gradient) {
    return to_float(round_to<MainGrad>(to_float(gradient)));
}

//! The sum of squares of a block, which need not be whole: see step/block_sums.hpp.
template <class MainGrad, class Grad>
double block_sum_scalar(const Grad* grads, int count) {
    double lane[block_lanes]{};
    for (int first = 0; first < count; first += block_lanes)
        for (int i = 0; i < std::min(block_lanes, count - first); ++i) {
            const double g = main_grad<MainGrad>(grads[first + i]);
            lane[i] += g * g;
        }
    for (int half = block_lanes / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) lane[i] += lane[i + half];
    return lane[0];
}

//! The noise of the group at a flat index.
ADAMANT_HOST_DEVICE constexpr group_noise noise_of(std::uint64_t seed, std::int64_t flat_index,
                                                   std::uint64_t step) {
    return {seed, static_cast<std::uint64_t>(flat_index / group_size), step};
}

//! The words of a group's noise for one slot.
template <slot S>
struct noise_for {
    group_noise noise;
    int before = 0;  //!< elements of the group before the one with number 0
    ADAMANT_HOST_DEVICE constexpr std::uint32_t operator()(int element) const {
        const auto e = static_cast<std::uint32_t>(before + element);
        if constexpr (S == slot::main_params) return noise.weight(e);
        else if constexpr (S == slot::exp_avg) return noise.exp_avg(e);
        else return noise.exp_avg_sq(e);
    }
};

//! Whether any of them is rounded stochastically.
template <class Weight, class ExpAvg, class ExpAvgSq>
inline constexpr bool is_noisy = Weight::how == rounding::stochastic || ExpAvg::how == rounding::stochastic ||
                                 ExpAvgSq::how == rounding::stochastic;

//! Whether a moment is stored below 16 bits, so that the update is held to its bound.
template <class ExpAvg, class ExpAvgSq>
inline constexpr bool is_bounded = sizeof(typename ExpAvg::stored) == 1 ||
                                   sizeof(typename ExpAvgSq::stored) == 1;

namespace detail {

template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
ADAMANT_KERNEL_INLINE void update_groups(const step_streams<Weight, Grad, ExpAvg, ExpAvgSq>& s,
                                         std::int64_t begin, std::int64_t end,
                                         const step_constants& constants) {
    const step_constants c = constants;  // a copy that no store can alias
    int count;
    for (std::int64_t first = begin; first < end; first += count) {
        const int before = static_cast<int>(first % group_size);
        count = static_cast<int>(smaller<std::int64_t>(group_size - before, end - first));
        float p[group_size], m[group_size], v[group_size];
        Weight::load(s.weights, first, count, p);
        ExpAvg::load(s.exp_avg, first, count, m);
        ExpAvgSq::load(s.exp_avg_sq, first, count, v);
        for (int i = 0; i < count; ++i)
            adam_update<is_bounded<ExpAvg, ExpAvgSq>>(c, main_grad<MainGrad>(s.grads[first + i]), p[i], m[i],
                                                      v[i]);
        if constexpr (is_noisy<Weight, ExpAvg, ExpAvgSq>) {
            const group_noise noise = noise_of(c.seed, s.flat_start + first, c.step);
            Weight::store(s.weights, first, count, p, noise_for<slot::main_params>{noise, before});
            ExpAvg::store(s.exp_avg, first, count, m, noise_for<slot::exp_avg>{noise, before});
            ExpAvgSq::store(s.exp_avg_sq, first, count, v, noise_for<slot::exp_avg_sq>{noise, before});
        } else {
            Weight::store(s.weights, first, count, p, no_noise{});
            ExpAvg::store(s.exp_avg, first, count, m, no_noise{});
            ExpAvgSq::store(s.exp_avg_sq, first, count, v, no_noise{});
        }
    }
}

#if defined(__x86_64__)
// Without the target attribute a fused multiply-add is a library call, ten times the cost of the update.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
__attribute__((target("fma"))) void update_groups_fma(const step_streams<Weight, Grad, ExpAvg, ExpAvgSq>& s,
                                                      std::int64_t begin, std::int64_t end,
                                                      const step_constants& constants) {
    update_groups<MainGrad>(s, begin, end, constants);
}
#endif

}  // namespace detail

//! Updates elements [begin, end) of a tensor; begin is a multiple of group_size where a codec has scales.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void update_chunk_scalar(const step_streams<Weight, Grad, ExpAvg, ExpAvgSq>& streams, std::int64_t begin,
                         std::int64_t end, const step_constants& constants) {
#if defined(__x86_64__)
    static const bool has_fma = __builtin_cpu_supports("fma");
    if (has_fma) return detail::update_groups_fma<MainGrad>(streams, begin, end, constants);
#endif
    detail::update_groups<MainGrad>(streams, begin, end, constants);
}

}  // namespace adamant::inline v0
