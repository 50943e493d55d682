// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! history: what a training run leaves behind.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <adamant/policy/policy_spec.hpp>

namespace fashion_mnist {

//! The test set after an epoch.
struct test_result {
    double loss = 0;
    double accuracy = 0;  //!< percent
};

//! A point of the training curve: means over the steps since the point before it.
struct curve_point {
    std::int64_t step = 0;  //!< steps tried so far, skipped ones included
    double epoch = 0;
    double train_loss = 0;
    double lr = 0;         //!< of the last step
    double grad_norm = 0;  //!< of the last step, before clipping
    double loss_scale = 1;
    std::int64_t skipped_steps = 0;  //!< so far
};

struct epoch_summary {
    std::int64_t step = 0;
    double train_loss = 0;
    double lr = 0;
    test_result test{};
    double seconds = 0;
};

struct history {
    std::string name;
    adamant::policy_spec spec;
    std::vector<curve_point> curve;
    std::vector<epoch_summary> epochs;
    std::int64_t steps = 0;
    std::int64_t skipped_steps = 0;
    double loss_scale = 1;  //!< at the end
    double seconds = 0;

    const epoch_summary& last() const { return epochs.back(); }
};

}  // namespace fashion_mnist
