// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! outcome: what one training run of an experiment leaves behind, and means over seeds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fashion_mnist/history.hpp>

#include "candidates.hpp"

namespace convergence {

struct outcome {
    const candidate* who = nullptr;
    double beta2 = 0;
    std::uint64_t seed = 0;
    double loss = 0;
    std::optional<double> largest_movement{};  //!< of a master in a step, over lr, where it was watched
    std::optional<double> accuracy{};          //!< of the test set, percent, where there is one
    fashion_mnist::history curve{};
    double seconds = 0;
};

//! Runs of one candidate with one beta2, a seed each.
using by_seed = std::vector<const outcome*>;

inline by_seed runs_of(const std::vector<outcome>& all, const candidate& who, double beta2) {
    by_seed runs;
    for (const outcome& o : all)
        if (o.who == &who && o.beta2 == beta2) runs.push_back(&o);
    return runs;
}

struct spread {
    double mean = 0, lowest = 0, highest = 0;
};

//! f(run, the reference's run with the same seed) over the seeds; both lists are in the same order.
template <class F>
spread over_seeds(const by_seed& runs, const by_seed& references, F&& f) {
    std::vector<double> values;
    for (std::size_t i = 0; i < runs.size(); ++i) values.push_back(f(*runs[i], *references[i]));
    spread result{.lowest = *std::ranges::min_element(values), .highest = *std::ranges::max_element(values)};
    for (const double value : values) result.mean += value / static_cast<double>(values.size());
    return result;
}

//! The mean training curve.
inline fashion_mnist::history mean_curve(const by_seed& runs) {
    fashion_mnist::history mean = runs.front()->curve;
    for (std::size_t i = 0; i < mean.curve.size(); ++i) {
        mean.curve[i].train_loss = 0;
        for (const outcome* run : runs)
            mean.curve[i].train_loss += run->curve.curve[i].train_loss / static_cast<double>(runs.size());
    }
    return mean;
}

}  // namespace convergence
