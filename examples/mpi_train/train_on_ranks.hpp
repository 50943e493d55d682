// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! train_on_ranks: what mpi_train and nccl_train do with their communicators.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include <adamant/yaml/yaml.hpp>

#include "../fashion_mnist/command_line.hpp"
#include "../fashion_mnist/curve_file.hpp"
#include "../fashion_mnist/progress.hpp"
#include "../fashion_mnist/trainer.hpp"
#include "rank_steps.hpp"

namespace fashion_mnist {

//! The policy of examples/configs/bf16_precision_aware.yaml.
using precision_aware = adamant::policy<adamant::mode<adamant::bf16>, adamant::precision_aware,
                                        adamant::main_grads<adamant::bf16>, adamant::exp_avg<adamant::bf16>,
                                        adamant::exp_avg_sq<adamant::bf16>>;

//! For ranks that print nothing.
struct no_display {
    void step(std::int64_t, const curve_point&) {}
    void epoch(const epoch_summary&) {}
};

template <class Policy, adamant::communicator Ranks>
void train(std::type_identity<Policy>, Ranks ranks, const adamant::yaml::resolution& config,
           const std::string& name, const std::string& network, const dataset& data,
           const command_line& line) {
    using steps = rank_steps<Policy, Ranks>;
    const bool is_first = ranks.rank() == 0;
    const int count = ranks.size();
    adamant::rank_bytes bytes{};
    basic_trainer<steps> training(
        config.policy,
        [&](auto tensors, auto params) {
            typename steps::optimizer_type optimizer(
                tensors, params, config.hyper, std::move(ranks),
                {.optimizer = {.loss_scaler = config.loss_scaler, .accept = config.accepted}});
            bytes = optimizer.bytes();
            return steps(std::move(optimizer), config.schedule());
        },
        data, line.training);
    if (!is_first) {
        training.train(name, no_display{});
        return;
    }
    std::printf("%s: %s\n  %d ranks; rank 0 keeps %zu bytes of state, %zu of gradients, %zu for transfers\n",
                name.c_str(), Policy::describe().c_str(), count, bytes.state, bytes.gradients,
                bytes.transfers);
    std::fflush(stdout);
    const history result =
        training.train(name, progress(line.training.total_steps(data.train.size()), line.training.epochs));
    std::filesystem::create_directories(line.out);
    const std::filesystem::path csv = line.out / (name + "_" + network + ".csv");
    write_curve(result, csv);
    std::printf("  %s\n", csv.c_str());
}

//! Policies is the catalogue of what the program instantiates; make_ranks() yields the communicator. The
//! curve's file is named after the configuration and the network.
template <class Policies, class MakeRanks>
void train_on_ranks(const command_line& line, const std::string& network, MakeRanks&& make_ranks) {
    if (line.compare) throw usage_error("--compare is not for several processes");
    dataset data = read_dataset(line.data);
    data.train.keep(line.limit);
    data.test.keep(line.limit);
    const std::filesystem::path file =
        line.config.value_or(std::filesystem::path(ADAMANT_EXAMPLE_CONFIGS) / "bf16_precision_aware.yaml");
    const auto config = adamant::yaml::resolve(
        adamant::yaml::load(file.string(), "actor.optim",
                            {.total_training_steps = line.training.total_steps(data.train.size())}));
    adamant::visit(config.policy, Policies{}, [&](auto policy) {
        train(policy, make_ranks(), config, file.stem().string(), network, data, line);
    });
}

}  // namespace fashion_mnist
