// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! exact_sum: a sum of doubles without rounding, so that the order of the summands does not matter.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace adamant::inline v0 {

namespace detail {
__extension__ typedef unsigned __int128 wide_word;  // the extension is meant, also under -pedantic
}  // namespace detail

//! A fixed-point number of 32-bit digits in 64-bit bins, which leaves room for 2^31 additions between two
//! carries. It takes sums of squares of floats: zero, or from 2^-332 to below 2^320.
class exact_sum {
public:
    //! Adds a finite summand of the range above.
    void add(double summand) {
        if (summand == 0) return;
        const auto bits = std::bit_cast<std::uint64_t>(summand);
        const std::uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFull) | 0x10000000000000ull;
        const int place = static_cast<int>(bits >> 52) - 1075 + lowest;  // of the mantissa's last bit
        const auto shifted = static_cast<detail::wide_word>(mantissa) << (place % 32);
        const auto bin = static_cast<std::size_t>(place / 32);
        bins_[bin] += static_cast<std::uint32_t>(shifted);
        bins_[bin + 1] += static_cast<std::uint32_t>(shifted >> 32);
        bins_[bin + 2] += static_cast<std::uint32_t>(shifted >> 64);
        if (++additions_ == additions_between_carries) carry();
    }

    void add(exact_sum other) {
        other.carry();
        carry();
        for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
        additions_ = 2;
    }

    //! The double nearest to the sum, ties to even.
    double value() const {
        exact_sum digits = *this;
        digits.carry();
        std::size_t top = bins_.size();
        while (top > 0 && digits.bins_[top - 1] == 0) --top;
        if (top == 0) return 0;
        // 64 leading bits, the last one or-ed with all that follow: rounding them once is rounding the sum.
        const auto digit = [&](std::size_t below) {
            return top > below ? digits.bins_[top - 1 - below] : std::uint64_t{0};
        };
        const int shift = std::countl_zero(static_cast<std::uint32_t>(digit(0)));
        const auto head = (static_cast<detail::wide_word>(digit(0)) << 64 |
                           static_cast<detail::wide_word>(digit(1)) << 32 | digit(2))
                          << shift;
        auto leading = static_cast<std::uint64_t>(head >> 32);
        bool rest = static_cast<std::uint32_t>(head) != 0;
        for (std::size_t below = 3; below < top; ++below) rest = rest || digit(below) != 0;
        if (rest) leading |= 1;
        return std::ldexp(static_cast<double>(leading), 32 * (static_cast<int>(top) - 2) - shift - lowest);
    }

private:
    static constexpr int lowest = 384;
    static constexpr std::uint32_t additions_between_carries = 1u << 31;

    void carry() {
        for (std::size_t i = 0; i + 1 < bins_.size(); ++i) {
            bins_[i + 1] += bins_[i] >> 32;
            bins_[i] &= 0xFFFFFFFFu;
        }
        additions_ = 1;
    }

    std::array<std::uint64_t, 25> bins_{};
    std::uint32_t additions_ = 0;
};

}  // namespace adamant::inline v0
