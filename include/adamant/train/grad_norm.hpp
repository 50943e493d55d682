// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! grad_norm: the 2-norm of all gradients and found_inf, with the same bits for any chunking and any
//! number of threads or ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

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
    //! NaN or infinity where a gradient is.
    ADAMANT_HOST_DEVICE double norm() const {
        if (found_nan) return not_a_number;
        return found_inf ? double_infinity : square_root(sum_of_squares.value());
    }

private:
    static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
};

//! Takes the sums of a gradient's blocks into the statistics.
class block_taker {
public:
    block_taker(grad_statistics& statistics, bool in_norm, std::int64_t blocks)
        : sum_(statistics.sum_of_squares, static_cast<std::uint32_t>(blocks)), in_norm_(in_norm) {}

    ADAMANT_ALWAYS_INLINE void operator()(double block_sum) {
        const auto bits = __builtin_bit_cast(std::uint64_t, block_sum);
        largest_ = bits > largest_ ? bits : largest_;
        if (in_norm_ && bits - 1 < infinity - 1) sum_.add(bits);  // neither zero, nor infinite, nor NaN
    }
    void finish(grad_statistics& statistics) {
        sum_.finish();
        const auto largest = __builtin_bit_cast(double, largest_);
        if (largest < double_infinity) statistics.largest_block = std::max(statistics.largest_block, largest);
        else {
            statistics.found_inf = true;
            statistics.found_nan = statistics.found_nan || std::isnan(largest);
        }
    }

private:
    static constexpr auto infinity = __builtin_bit_cast(std::uint64_t, double_infinity);
    exact_sum::adder sum_;
    bool in_norm_;
    std::uint64_t largest_ = 0;  // bits: sums are not negative, and of NaN they are above those of infinity
};

//! Reads elements [begin, end) of a gradient, 2^37 at most, as the update will see them; begin is a multiple
//! of block_size. Blocks are summed exactly: their order does not matter.
template <class MainGrad, class Grad>
void read_gradients(const Grad* grads, std::int64_t begin, std::int64_t end, bool in_norm,
                    grad_statistics& statistics) {
    const std::int64_t whole = (end - begin) / block_size, rest = begin + whole * block_size;
    auto taker = block_sums<MainGrad>(grads + begin, whole, block_taker(statistics, in_norm, whole + 1));
    if (rest < end) taker(block_sum_scalar<MainGrad>(grads + rest, static_cast<int>(end - rest)));
    taker.finish(statistics);
}

}  // namespace adamant::inline v0
