// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Times of things that are to be compared: taken in turns, so that what moves on a shared machine moves for
//! all.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>

namespace bench {

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

//! The shortest time of each, in seconds, over as many turns as `seconds` hold, five at least. Short calls
//! are repeated within a turn.
template <std::size_t N>
std::array<double, N> shortest(double seconds, const std::array<std::function<void()>, N>& subjects) {
    std::array<double, N> best;
    std::array<int, N> repetitions;
    for (std::size_t i = 0; i < N; ++i) {
        subjects[i]();  // warm
        const double begin = now();
        subjects[i]();
        best[i] = now() - begin;
        repetitions[i] = std::clamp(static_cast<int>(5e-5 / best[i]), 1, 1000);
    }
    const double end = now() + seconds;
    for (int turn = 0; turn < 5 || now() < end; ++turn)
        for (std::size_t i = 0; i < N; ++i) {
            const double begin = now();
            for (int k = 0; k < repetitions[i]; ++k) subjects[i]();
            best[i] = std::min(best[i], (now() - begin) / repetitions[i]);
        }
    return best;
}

}  // namespace bench
