// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Random gradients, and one tensor that a choice of codecs is stepped through: what adam<policy> would
//! store.
#pragma once

#include <adamant/policy/resolve.hpp>
#include <adamant/step/step_cpu.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <type_traits>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define ADAMANT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADAMANT_TEST_SANITIZED 1
#endif
#endif

namespace simulation {

#if defined(ADAMANT_TEST_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

//! N(0,1), by Box and Muller from the words of one Philox call: numbers index to index + 3.
inline void four_normals(std::uint64_t seed, std::uint64_t index, std::uint64_t step, double* out) {
    const auto words = adamant::philox(seed, index / 4, step);
    for (std::size_t pair = 0; pair < 4; pair += 2) {
        const double radius = std::sqrt(-2 * std::log((words[pair] + 0.5) * 0x1p-32));
        const double angle = 2 * std::numbers::pi * 0x1p-32 * words[pair + 1];
        out[pair] = radius * std::cos(angle);
        out[pair + 1] = radius * std::sin(angle);
    }
}

//! g = s*(drift + N(0,1)) of `size` elements (a multiple of 4), ln s = spread*N(0,1), fresh every step; one
//! element of each group may be larger, and a share of the gradients may be zero.
struct gradients {
    std::size_t size = 4096;
    double spread = 1;
    double outlier = 1;  //!< factor on one element of each group of 32
    double drift = 0;    //!< of alternating sign
    double density = 1;  //!< share that is not zero
    std::uint64_t seed = 100;

    std::vector<double> scales() const {
        std::vector<double> s(size);
        for (std::size_t i = 0; i < size; i += 4) four_normals(seed + 1, i, 0, &s[i]);
        for (std::size_t i = 0; i < size; ++i) s[i] = std::exp(spread * s[i]) * (i % 32 == 5 ? outlier : 1);
        return s;
    }
    void of_step(std::int64_t step, double factor, std::span<const double> s, std::span<float> out) const {
        const auto t = static_cast<std::uint64_t>(step);
        for (std::size_t i = 0; i < size; i += 4) {
            double g[4]{};
            const auto words =
                density < 1 ? adamant::philox(seed + 2, i / 4, t) : decltype(adamant::philox(0, 0, 0)){};
            const auto is_kept = [&](std::size_t k) { return words[k] * 0x1p-32 < density; };
            if (is_kept(0) || is_kept(1) || is_kept(2) || is_kept(3)) four_normals(seed, i, t, g);
            for (std::size_t k = 0; k < 4; ++k) {
                const double value = factor * s[i + k] * (g[k] + (k % 2 == 0 ? drift : -drift));
                out[i + k] = is_kept(k) ? static_cast<float>(value) : 0.0f;
            }
        }
    }
};

//! A tensor of fp32 gradients in the codecs of a policy, or in others that no policy would take.
template <class Weight, class ExpAvg, class ExpAvgSq>
class tensor_of {
public:
    tensor_of(std::span<const float> weights, const adamant::hyperparameters& h)
        : hyper_(h),
          weights_(weights.size()),
          masters_(weights.size()),
          exp_avg_(weights.size()),
          exp_avg_sq_(weights.size()) {
        set_weights(weights);
    }

    std::int64_t size() const { return static_cast<std::int64_t>(weights_.size()); }
    //! Rounds them to the weights' type; masters start from there.
    void set_weights(std::span<const float> values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            weights_[i] = adamant::round_to<typename Weight::weight>(values[i]);
        for_each_group([&](std::int64_t first, int count) {
            Weight::start(weight_view(), first, count, adamant::no_noise{});
        });
    }
    //! As adam::step does, without clipping.
    void step(std::span<const float> grads) {
        constants_ = adamant::constants_of_step(hyper_, ++step_, hyper_.lr, hyper_.weight_decay, 1);
        const adamant::step_streams<Weight, float, ExpAvg, ExpAvgSq> streams{
            weight_view(), grads.data(), exp_avg_.view(), exp_avg_sq_.view(), 0};
        adamant::update_chunk<float>(streams, 0, size(), constants_);
    }

    const adamant::step_constants& constants() const { return constants_; }
    std::vector<float> masters() { return decoded<Weight>(weight_view()); }
    std::vector<float> exp_avg() { return decoded<ExpAvg>(exp_avg_.view()); }
    std::vector<float> exp_avg_sq() { return decoded<ExpAvgSq>(exp_avg_sq_.view()); }

private:
    template <class Codec>
    struct stored {
        using code = std::conditional_t<std::is_void_v<typename Codec::stored>, char, typename Codec::stored>;
        std::vector<code> codes;
        std::vector<std::uint8_t> scales;
        explicit stored(std::size_t size) : codes(size), scales(size / adamant::group_size + 1) {}
        adamant::coded<code> view() { return {codes.data(), scales.data()}; }
    };

    typename Weight::view weight_view() { return {weights_.data(), masters_.view()}; }
    template <class F>
    void for_each_group(F&& f) const {
        for (std::int64_t first = 0; first < size(); first += adamant::group_size)
            f(first, static_cast<int>(std::min<std::int64_t>(adamant::group_size, size() - first)));
    }
    template <class Codec>
    std::vector<float> decoded(typename Codec::view view) const {
        std::vector<float> values(weights_.size());
        for_each_group(
            [&](std::int64_t first, int count) { Codec::load(view, first, count, values.data() + first); });
        return values;
    }

    adamant::hyperparameters hyper_;
    adamant::step_constants constants_{};
    std::int64_t step_ = 0;
    std::vector<typename Weight::weight> weights_;
    stored<Weight> masters_;
    stored<ExpAvg> exp_avg_;
    stored<ExpAvgSq> exp_avg_sq_;
};

template <class Policy>
using tensor = tensor_of<adamant::slot_codec_t<typename Policy::resolved, adamant::slot::main_params>,
                         adamant::slot_codec_t<typename Policy::resolved, adamant::slot::exp_avg>,
                         adamant::slot_codec_t<typename Policy::resolved, adamant::slot::exp_avg_sq>>;

//! The value that a share of the others lies below.
inline double quantile(std::vector<double> values, double share) {
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

}  // namespace simulation
