// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! exact_sum: a sum of doubles without rounding, so that the order of the summands does not matter.
#pragma once

#include <cstdint>

#include <adamant/base/config.hpp>

namespace adamant::inline v0 {

//! A fixed-point number of 32-bit digits in 64-bit bins, which leaves room for 2^31 additions between two
//! carries. It takes sums of squares of floats: zero, or from 2^-332 to below 2^320.
class exact_sum {
public:
    static constexpr int bin_count = 25;

    //! A summand as a number of 96 bits from a bin upwards.
    struct placed {
        std::uint64_t bin, low, high;
    };
    //! That of a finite summand of the range above, zero excluded.
    static ADAMANT_HOST_DEVICE constexpr placed place(double summand) {
        return place(__builtin_bit_cast(std::uint64_t, summand));
    }
    static ADAMANT_HOST_DEVICE constexpr placed place(std::uint64_t bits) {
        const std::uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFull) | 0x10000000000000ull;
        const std::uint64_t place = (bits >> 52) - (1075 - lowest), shift = place % 32;  // of its last bit
        return {place / 32, mantissa << shift, mantissa >> 1 >> (63 - shift)};
    }

    //! Adds fewer than 2^31 summands to a sum. Neighbours of one magnitude meet in registers.
    class adder {
    public:
        adder(exact_sum& sum, std::uint32_t most_summands) : sum_(&sum) { sum.make_room(most_summands); }
        //! A summand, from its bits, that is not zero.
        ADAMANT_ALWAYS_INLINE void add(std::uint64_t bits) {
            const placed p = place(bits);
            if (p.bin != here_.bin) {
                sum_->add(here_);
                here_ = {p.bin, 0, 0};
            }
            here_.low += p.low;
            here_.high += p.high + (here_.low < p.low);
        }
        //! After the last one.
        void finish() { sum_->add(here_); }

    private:
        exact_sum* sum_;
        placed here_{};
    };
    ADAMANT_HOST_DEVICE void add(double summand) {
        if (summand == 0) return;
        make_room(1);
        add(place(summand));
    }

    ADAMANT_HOST_DEVICE void add(exact_sum other) {
        other.carry();
        carry();
        for (int i = 0; i < bin_count; ++i) bins_[i] += other.bins_[i];
        additions_ = 2;
    }

    //! The double nearest to the sum, ties to even.
    ADAMANT_HOST_DEVICE double value() const {
        exact_sum sum = *this;
        sum.carry();
        int top = bin_count;
        while (top > 0 && sum.bins_[top - 1] == 0) --top;
        if (top == 0) return 0;
        // 64 leading bits, the last one or-ed with all that follow: rounding them once is rounding the sum.
        const auto digit = [&](int below) { return top > below ? sum.bins_[top - 1 - below] : 0; };
        int shift = 0;
        while ((digit(0) << shift & 0x80000000u) == 0) ++shift;
        std::uint64_t leading = digit(0) << 32 | digit(1);
        if (shift > 0) leading = leading << shift | digit(2) >> (32 - shift);
        bool rest = static_cast<std::uint32_t>(digit(2) << shift) != 0;
        for (int below = 3; below < top; ++below) rest = rest || digit(below) != 0;
        if (rest) leading |= 1;
        return static_cast<double>(leading) * power_of_two(32 * (top - 2) - shift - lowest);
    }

    //! For who adds digits side by side: bin i counts multiples of 2^(32 i - 384), and no bin may overflow.
    ADAMANT_HOST_DEVICE std::uint64_t* bins() { return bins_; }
    //! Brings every bin but the last below 2^32.
    template <class Word>
    static ADAMANT_HOST_DEVICE void carry(Word* bins) {
        for (int i = 0; i + 1 < bin_count; ++i) {
            bins[i + 1] += bins[i] >> 32;
            bins[i] &= 0xFFFFFFFFu;
        }
    }

private:
    ADAMANT_HOST_DEVICE void make_room(std::uint32_t count) {
        if (additions_ + count > additions_between_carries) carry();
        additions_ += count;
    }
    ADAMANT_HOST_DEVICE void add(const placed& sum) {
        bins_[sum.bin] += sum.low & 0xFFFFFFFFu;
        bins_[sum.bin + 1] += sum.low >> 32;
        bins_[sum.bin + 2] += sum.high;
    }
    ADAMANT_HOST_DEVICE void carry() {
        carry(bins_);
        additions_ = 1;
    }

    static constexpr int lowest = 384;
    static constexpr std::uint32_t additions_between_carries = 1u << 31;

    static ADAMANT_HOST_DEVICE constexpr double power_of_two(int exponent) {
        return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
    }

    std::uint64_t bins_[bin_count]{};
    std::uint32_t additions_ = 0;
};

}  // namespace adamant::inline v0
