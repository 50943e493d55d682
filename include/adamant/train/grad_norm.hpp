// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! grad_norm: the 2-norm of all gradients and found_inf, with the same bits for any chunking and any
//! number of threads or ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include <adamant/numerics/exact_sum.hpp>
#include <adamant/step/block_sums.hpp>

namespace adamant::inline v0 {

//! What the reading pass over the gradients finds. With found_inf the other numbers need not be complete.
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
    void add(std::span<const double> sums, bool in_norm) {
        double largest = 0;
        bool all_finite = true;
        for (const double sum : sums) {
            all_finite = all_finite && sum < double_infinity;
            largest = std::max(largest, sum);
        }
        if (!all_finite) {
            found_inf = true;
            for (const double sum : sums) found_nan = found_nan || std::isnan(sum);
        }
        if (found_inf) return;
        largest_block = std::max(largest_block, largest);
        if (in_norm) sum_of_squares.add(sums);
    }
    //! NaN or infinity where a gradient is.
    ADAMANT_HOST_DEVICE double norm() const {
        if (found_nan) return not_a_number;
        return found_inf ? double_infinity : square_root(sum_of_squares.value());
    }

private:
    static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
};

//! Reads elements [begin, end) of a gradient as the update will see them; begin is a multiple of block_size.
//! Blocks are summed exactly: their order does not matter.
template <class MainGrad, class Grad>
void read_gradients(const Grad* grads, std::int64_t begin, std::int64_t end, bool in_norm,
                    grad_statistics& statistics) {
    constexpr int most_blocks = 16;
    double sums[most_blocks];
    while (begin < end) {
        const auto whole = static_cast<int>(std::min<std::int64_t>(most_blocks, (end - begin) / block_size));
        const auto count = static_cast<int>(std::min<std::int64_t>(block_size, end - begin));
        if (whole > 0) block_sums<MainGrad>(grads + begin, whole, sums);
        else sums[0] = block_sum_scalar<MainGrad>(grads + begin, count);
        statistics.add(std::span(sums, static_cast<std::size_t>(std::max(whole, 1))), in_norm);
        begin += whole > 0 ? whole * block_size : count;
    }
}

}  // namespace adamant::inline v0
