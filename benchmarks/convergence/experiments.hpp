// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! experiments: the two models, each as a function from a candidate, beta2 and a seed to an outcome.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fashion_mnist/trainer.hpp>

#include "command_line.hpp"
#include "corpus.hpp"
#include "ngram_trainer.hpp"
#include "outcome.hpp"

namespace convergence {

//! Says nothing while a network trains.
struct silent {
    void step(std::int64_t, const fashion_mnist::curve_point&) {}
    void epoch(const fashion_mnist::epoch_summary&) {}
};

//! A point per 1/80 of the steps; an epoch is as many examples as the text has bytes.
inline std::vector<fashion_mnist::curve_point> points_of(const ngram_run& run, double steps_per_epoch) {
    std::vector<fashion_mnist::curve_point> points;
    const std::size_t length = std::max<std::size_t>(1, run.losses.size() / 80);
    for (std::size_t begin = 0; begin + length <= run.losses.size(); begin += length) {
        fashion_mnist::curve_point point{.step = static_cast<std::int64_t>(begin + length)};
        point.epoch = static_cast<double>(point.step) / steps_per_epoch;
        for (std::size_t i = begin; i < begin + length; ++i)
            point.train_loss += run.losses[i] / static_cast<double>(length);
        points.push_back(point);
    }
    return points;
}

inline outcome train_ngram(const corpus& source, const command_line& line, const candidate& who, double beta2,
                           std::uint64_t seed) {
    const ngram_options options{
        .steps = line.steps, .beta2 = beta2, .seed = seed, .on_master = !line.stored_weights};
    const ngram_run run = ngram_trainer(who, source.text, options).train();
    outcome result{.loss = run.final_loss(), .largest_movement = run.largest_movement};
    result.curve.curve = points_of(run, static_cast<double>(source.text.size() / options.batch));
    return result;
}

//! As the example trains: the network computes with the weights as they are stored, gradients come out in
//! their dtype. The loss is that of the last epoch's training.
inline outcome train_fashion_mnist(const fashion_mnist::dataset& data, const command_line& line,
                                   const candidate& who, double beta2, std::uint64_t seed) {
    const auto make = [&](auto tensors, auto params) {
        return optimizer_of(who, tensors, params, hyper_of(1e-3, beta2, seed));
    };
    fashion_mnist::trainer trainer(who.spec, make, data, {.epochs = line.epochs, .seed = seed});
    outcome result{.curve = trainer.train({}, silent{})};
    result.loss = result.curve.last().train_loss;
    result.accuracy = result.curve.last().test.accuracy;
    return result;
}

}  // namespace convergence
