// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The streams of a tensor for a step, each between guard bytes.
#pragma once

#include <train/inputs.hpp>

#include <adamant/step/step_cpu.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace adamant_test {

using namespace adamant;

//! `size` elements that start `offset` elements into a field of 0xA5 bytes.
template <class T>
class guarded {
public:
    guarded(std::size_t size, std::size_t offset)
        : size_(size), offset_(margin + offset), values_(size + offset_ + margin) {
        std::memset(static_cast<void*>(values_.data()), 0xA5, values_.size() * sizeof(T));
    }
    T* data() { return values_.data() + offset_; }
    bool guards_are_whole() const {
        const auto whole = [&](std::size_t begin, std::size_t end) {
            const auto* const bytes = reinterpret_cast<const unsigned char*>(values_.data());
            return std::all_of(bytes + begin * sizeof(T), bytes + end * sizeof(T),
                               [](unsigned char b) { return b == 0xA5; });
        };
        return whole(0, offset_) && whole(offset_ + size_, values_.size());
    }

private:
    static constexpr std::size_t margin = 40;
    std::size_t size_, offset_;
    std::vector<T> values_;
};

template <class Codec>
using code = std::conditional_t<std::is_void_v<typename Codec::stored>, char, typename Codec::stored>;

//! All streams of a tensor; element i has the same values whatever size and offset are, `first` being its
//! place in a larger tensor that starts at `flat_start`.
template <class Weight, class Grad, class ExpAvg, class ExpAvgSq>
struct tensor {
    using streams_type = step_streams<Weight, Grad, ExpAvg, ExpAvgSq>;

    std::int64_t flat_start;
    guarded<typename Weight::weight> weights;
    guarded<code<Weight>> masters;
    guarded<Grad> grads;
    guarded<typename ExpAvg::stored> exp_avg;
    guarded<typename ExpAvgSq::stored> exp_avg_sq;
    guarded<std::uint8_t> master_scales, exp_avg_scales, exp_avg_sq_scales;

    tensor(std::size_t size, std::size_t offset, std::size_t first = 0, std::int64_t start = 1280)
        : flat_start(start + static_cast<std::int64_t>(first)),
          weights(size, offset),
          masters(size, offset),
          grads(size, offset),
          exp_avg(size, offset),
          exp_avg_sq(size, offset),
          master_scales(groups(size), offset),
          exp_avg_scales(groups(size), offset),
          exp_avg_sq_scales(groups(size), offset) {
        const auto random = [&](std::uint64_t seed, std::size_t i) {
            return static_cast<float>(inputs::uniform(seed, first + i));
        };
        for (std::size_t begin = 0; begin < size; begin += group_size) {
            const std::size_t count = std::min<std::size_t>(group_size, size - begin);
            float p[group_size], m[group_size], v[group_size];
            for (std::size_t e = 0; e < count; ++e) {
                p[e] = random(1, begin + e);
                m[e] = random(2, begin + e);
                v[e] = std::abs(random(3, begin + e));
                grads.data()[begin + e] = round_to<Grad>(random(4, begin + e));
            }
            const auto noise = [&](int e) {
                return inputs::word(5, first + begin + static_cast<std::size_t>(e)) >> 16;
            };
            const auto at = static_cast<std::int64_t>(begin);
            Weight::store(streams().weights, at, static_cast<int>(count), p, noise);
            ExpAvg::store(streams().exp_avg, at, static_cast<int>(count), m, noise);
            ExpAvgSq::store(streams().exp_avg_sq, at, static_cast<int>(count), v, noise);
        }
    }
    //! A stream that a codec does not ask for is a null pointer.
    streams_type streams() {
        streams_type result{{weights.data()},
                            grads.data(),
                            {exp_avg.data(), ExpAvg::has_scales ? exp_avg_scales.data() : nullptr},
                            {exp_avg_sq.data(), ExpAvgSq::has_scales ? exp_avg_sq_scales.data() : nullptr},
                            flat_start};
        if constexpr (!std::is_void_v<typename Weight::stored>) result.weights.masters.codes = masters.data();
        if (Weight::has_scales) result.weights.masters.scales = master_scales.data();
        return result;
    }
    bool guards_are_whole() const {
        return weights.guards_are_whole() && masters.guards_are_whole() && grads.guards_are_whole() &&
               exp_avg.guards_are_whole() && exp_avg_sq.guards_are_whole() &&
               master_scales.guards_are_whole() && exp_avg_scales.guards_are_whole() &&
               exp_avg_sq_scales.guards_are_whole();
    }
    //! Whether element `i` has the bits of element `j` of another tensor, and its groups the scales.
    bool same(std::size_t i, tensor& other, std::size_t j) {
        const auto equal = [](auto& a, auto& b, std::size_t m, std::size_t n) {
            return std::memcmp(a.data() + m, b.data() + n, sizeof(*a.data())) == 0;
        };
        const auto equal_scales = [&](bool has_scales, auto& a, auto& b) {
            return !has_scales || equal(a, b, i / group_size, j / group_size);
        };
        return equal(weights, other.weights, i, j) &&
               (std::is_void_v<typename Weight::stored> || equal(masters, other.masters, i, j)) &&
               equal(grads, other.grads, i, j) && equal(exp_avg, other.exp_avg, i, j) &&
               equal(exp_avg_sq, other.exp_avg_sq, i, j) &&
               equal_scales(Weight::has_scales, master_scales, other.master_scales) &&
               equal_scales(ExpAvg::has_scales, exp_avg_scales, other.exp_avg_scales) &&
               equal_scales(ExpAvgSq::has_scales, exp_avg_sq_scales, other.exp_avg_sq_scales);
    }
    //! The same, but any NaN is as good as another.
    bool same_value(std::size_t i, tensor& other, std::size_t j) {
        if (same(i, other, j)) return true;
        const auto is_nan = [](auto value) { return std::isnan(to_float(value)); };
        return is_nan(weights.data()[i]) && is_nan(other.weights.data()[j]);
    }

    //! A group's weights with their master and moments as fp32, and back.
    void load(std::int64_t first, int count, float* p, float* m, float* v) {
        const streams_type s = streams();
        Weight::load(s.weights, first, count, p);
        ExpAvg::load(s.exp_avg, first, count, m);
        ExpAvgSq::load(s.exp_avg_sq, first, count, v);
    }
    void store(std::int64_t first, int count, const float* p, const float* m, const float* v) {
        const streams_type s = streams();
        const auto noise = [](int) { return 0x8000u; };
        Weight::store(s.weights, first, count, p, noise);
        ExpAvg::store(s.exp_avg, first, count, m, noise);
        ExpAvgSq::store(s.exp_avg_sq, first, count, v, noise);
    }
    void set_grad(std::size_t i, float value) { grads.data()[i] = round_to<Grad>(value); }

private:
    static std::size_t groups(std::size_t size) { return (size + group_size - 1) / group_size; }
};

}  // namespace adamant_test
