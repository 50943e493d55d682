// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! grad_norm: the 2-norm of all gradients and found_inf, with the same bits for any chunking and any
//! number of threads or ranks; and the factor that clips.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <adamant/numerics/exact_sum.hpp>
#include <adamant/state/flat_index.hpp>
#include <adamant/step/step_cpu.hpp>

namespace adamant::inline v0 {

//! What the reading pass over the gradients finds.
struct grad_statistics {
    exact_sum sum_of_squares{};
    bool found_inf = false;  //!< a gradient is infinite or NaN
    bool found_nan = false;
    double largest_block = 0;  //!< sum of squares of a block, of tensors outside the norm too

    void add(const grad_statistics& other) {
        sum_of_squares.add(other.sum_of_squares);
        found_inf = found_inf || other.found_inf;
        found_nan = found_nan || other.found_nan;
        largest_block = std::max(largest_block, other.largest_block);
    }
    //! NaN or infinity where a gradient is.
    double norm() const {
        if (found_nan) return std::numeric_limits<double>::quiet_NaN();
        return found_inf ? std::numeric_limits<double>::infinity() : std::sqrt(sum_of_squares.value());
    }
};

//! Reads elements [begin, end) of a gradient as the update will see them; begin is a multiple of 128.
//! Blocks of 128 are summed in double, element i in lane i mod 16 and the lanes in a fixed tree; the blocks
//! are summed exactly. Squares of floats are exact in double, so fusing changes nothing here.
template <class MainGrad, class Grad>
void read_gradients(const Grad* grads, std::int64_t begin, std::int64_t end, bool in_norm,
                    grad_statistics& statistics) {
    constexpr int lanes = 16;
    for (std::int64_t block = begin; block < end; block += flat_index::alignment) {
        std::array<double, lanes> lane{};
        const std::int64_t block_end = std::min(end, block + flat_index::alignment);
        for (std::int64_t first = block; first < block_end; first += lanes) {
            const int count = static_cast<int>(std::min<std::int64_t>(lanes, block_end - first));
            for (int i = 0; i < count; ++i) {
                const double g = main_grad<MainGrad>(grads[first + i]);
                lane[static_cast<std::size_t>(i)] += g * g;
            }
        }
        for (std::size_t half = lanes / 2; half > 0; half /= 2)
            for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
        if (!std::isfinite(lane[0])) {
            statistics.found_inf = true;
            statistics.found_nan = statistics.found_nan || std::isnan(lane[0]);
        } else {
            statistics.largest_block = std::max(statistics.largest_block, lane[0]);
            if (in_norm) statistics.sum_of_squares.add(lane[0]);
        }
    }
}

//! min(1, max_norm / (norm + 1e-6)), Megatron-Core's and PyTorch's coefficient; 1 where clipping is off.
inline double clip_coefficient(double norm, double max_norm) {
    if (!(max_norm > 0) || std::isinf(max_norm)) return 1;
    return std::min(1.0, max_norm / (norm + 1e-6));
}

}  // namespace adamant::inline v0
