// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Times of things that are to be compared: taken in turns, so that what moves on a shared machine moves for
//! all.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iterator>
#include <vector>

namespace bench {

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

//! In seconds, by turn.
template <std::size_t N>
struct times {
    std::vector<std::array<double, N>> turns;

    double shortest(std::size_t subject) const {
        double best = turns.front()[subject];
        for (const auto& turn : turns) best = std::min(best, turn[subject]);
        return best;
    }
    //! The median over turns of one time over another: what slows a turn down slows both.
    double ratio(std::size_t subject, std::size_t other) const {
        std::vector<double> ratios;
        for (const auto& turn : turns) ratios.push_back(turn[subject] / turn[other]);
        const auto middle = ratios.begin() + std::ssize(ratios) / 2;
        std::nth_element(ratios.begin(), middle, ratios.end());
        return *middle;
    }
};

//! Whether a turn is to find in a cache what the others may have driven out of it: then it runs once before.
inline constexpr bool cached = true;

//! As many turns as `seconds` hold, five at least. Short calls are repeated within a turn.
template <std::size_t N>
times<N> in_turns(double seconds, const std::array<std::function<void()>, N>& subjects, bool warm = false) {
    times<N> result;
    std::array<int, N> repetitions;
    for (std::size_t i = 0; i < N; ++i) {
        subjects[i]();  // warm
        const double begin = now();
        subjects[i]();
        repetitions[i] = std::clamp(static_cast<int>(5e-5 / (now() - begin)), 1, 1000);
    }
    const double end = now() + seconds;
    while (result.turns.size() < 5 || now() < end) {
        auto& turn = result.turns.emplace_back();
        for (std::size_t i = 0; i < N; ++i) {
            if (warm) subjects[i]();
            const double begin = now();
            for (int k = 0; k < repetitions[i]; ++k) subjects[i]();
            turn[i] = (now() - begin) / repetitions[i];
        }
    }
    return result;
}

}  // namespace bench
