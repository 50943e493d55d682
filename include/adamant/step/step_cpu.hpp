// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! step_cpu: Adam's update of a chunk of a tensor on the CPU, one pass over all of its streams.
#pragma once

#include <algorithm>
#include <cstdint>

#include <adamant/numerics/codecs.hpp>
#include <adamant/step/adam_math.hpp>

namespace adamant::inline v0 {

//! The memory that the update of a tensor reads and writes, each at the tensor's first element.
template <class Weight, class Grad, class ExpAvg, class ExpAvgSq>
struct step_streams {
    typename Weight::view weights;
    const Grad* grads;
    typename ExpAvg::view exp_avg;
    typename ExpAvgSq::view exp_avg_sq;
};

//! A bucket's gradient as the policy's main_grads hold it: rounded in the register, there is no second
//! buffer.
template <class MainGrad, class Grad>
constexpr float main_grad(Grad gradient) {
    return to_float(round_to<MainGrad>(to_float(gradient)));
}

namespace detail {

template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
ADAMANT_ALWAYS_INLINE void update_groups(const step_streams<Weight, Grad, ExpAvg, ExpAvgSq>& s,
                                         std::int64_t begin, std::int64_t end,
                                         const step_constants& constants) {
    const step_constants c = constants;  // a copy that no store can alias
    for (std::int64_t first = begin; first < end; first += group_size) {
        const int count = static_cast<int>(std::min<std::int64_t>(group_size, end - first));
        float p[group_size], m[group_size], v[group_size];
        Weight::load(s.weights, first, count, p);
        ExpAvg::load(s.exp_avg, first, count, m);
        ExpAvgSq::load(s.exp_avg_sq, first, count, v);
        for (int i = 0; i < count; ++i)
            adam_update(c, main_grad<MainGrad>(s.grads[first + i]), p[i], m[i], v[i]);
        Weight::store(s.weights, first, count, p);
        ExpAvg::store(s.exp_avg, first, count, m);
        ExpAvgSq::store(s.exp_avg_sq, first, count, v);
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

//! Updates elements [begin, end) of a tensor; begin is a multiple of group_size.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void update_chunk(const step_streams<Weight, Grad, ExpAvg, ExpAvgSq>& streams, std::int64_t begin,
                  std::int64_t end, const step_constants& constants) {
#if defined(__x86_64__)
    static const bool has_fma = __builtin_cpu_supports("fma");
    if (has_fma) return detail::update_groups_fma<MainGrad>(streams, begin, end, constants);
#endif
    detail::update_groups<MainGrad>(streams, begin, end, constants);
}

}  // namespace adamant::inline v0
