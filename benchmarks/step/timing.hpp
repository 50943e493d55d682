// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Times of things that are to be compared: taken in turns, so that what moves on a shared machine moves for
//! all.
#pragma once

#include "usual_rate.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <vector>

namespace bench {

//! In seconds, by turn.
template <std::size_t N>
struct times {
    struct turn {
        std::array<double, N> seconds;
        bool quiet;  //!< the machine ran at its usual rate before and after each
    };
    std::vector<turn> turns;

    std::ptrdiff_t quiet_turns() const { return std::ranges::count(turns, true, &turn::quiet); }
    //! Whether there were enough of these for a median.
    bool quiet() const { return quiet_turns() >= 3; }
    double shortest(std::size_t subject) const {
        double best = turns.front().seconds[subject];
        for (const turn& t : turns) best = std::min(best, t.seconds[subject]);
        return best;
    }
    //! Of a value of each turn; over quiet turns, if there are enough.
    template <class Value>
    double median(Value value) const {
        const bool only_quiet = quiet();
        std::vector<double> values;
        for (const turn& t : turns)
            if (t.quiet || !only_quiet) values.push_back(value(t));
        const auto middle = values.begin() + std::ssize(values) / 2;
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }
    double usual(std::size_t subject) const {
        return median([&](const turn& t) { return t.seconds[subject]; });
    }
    //! One time over another: what slows a turn down slows both.
    double ratio(std::size_t subject, std::size_t other) const {
        return median([&](const turn& t) { return t.seconds[subject] / t.seconds[other]; });
    }
};

//! What is timed, and what is done before without being timed: it may bring back into a cache what the others
//! have driven out of it.
struct timed_call {
    template <class F>
    timed_call(F f) : run(f) {}
    template <class F, class G>
    timed_call(F f, G g) : run(f), before(g) {}

    std::function<void()> run, before = [] {};
};

//! As many turns as `seconds` hold, five at least, and more while there is patience, until five were quiet.
//! Short calls are repeated within a turn.
template <std::size_t N>
times<N> in_turns(double seconds, const std::array<timed_call, N>& calls, rate_watch watch) {
    times<N> result;
    std::array<int, N> repetitions;
    for (std::size_t i = 0; i < N; ++i) {
        calls[i].run();  // warm
        const double begin = now();
        calls[i].run();
        repetitions[i] = std::clamp(static_cast<int>(5e-5 / (now() - begin)), 1, 1000);
    }
    const double end = now() + seconds;
    bool was_quiet = watch.is_quiet();
    for (;;) {
        const double overtime = now() - end;
        const bool is_enough = result.quiet_turns() >= 5 || !watch.has_patience();
        if (result.turns.size() >= 5 && overtime >= 0 && is_enough) break;
        auto& [turn, turn_is_quiet] = result.turns.emplace_back();
        turn_is_quiet = was_quiet;
        for (std::size_t i = 0; i < N; ++i) {
            calls[i].before();
            const double begin = now();
            for (int k = 0; k < repetitions[i]; ++k) calls[i].run();
            turn[i] = (now() - begin) / repetitions[i];
            was_quiet = watch.is_quiet();
            turn_is_quiet = turn_is_quiet && was_quiet;
        }
        if (!turn_is_quiet) watch.move_on();
        if (overtime >= 0) watch.waited(now() - end - overtime);
    }
    return result;
}

}  // namespace bench
