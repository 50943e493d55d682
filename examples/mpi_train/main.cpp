// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! fashion_mnist on several processes, each with a part of the optimizer's state:
//!
//!     mpirun -n 2 mpi_train [CONFIG.yaml] [the options of examples/run]
//!
//! With the two micro-batches of the single process on two ranks, the training curve is the same to the byte.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include <adamant/mpi/communicator.hpp>
#include <adamant/yaml/yaml.hpp>

#include "../fashion_mnist/command_line.hpp"
#include "../fashion_mnist/curve_file.hpp"
#include "../fashion_mnist/progress.hpp"
#include "../fashion_mnist/trainer.hpp"
#include "rank_steps.hpp"

namespace fashion_mnist {
namespace {

//! What this program instantiates; examples/configs has a file for each.
using policies =
    adamant::catalogue<adamant::policy<adamant::mode<adamant::fp32>>,
                       adamant::policy<adamant::mode<adamant::bf16>>,
                       adamant::policy<adamant::mode<adamant::bf16>, adamant::precision_aware,
                                       adamant::main_grads<adamant::bf16>, adamant::exp_avg<adamant::bf16>,
                                       adamant::exp_avg_sq<adamant::bf16>>>;

//! For ranks that print nothing.
struct no_display {
    void step(std::int64_t, const curve_point&) {}
    void epoch(const epoch_summary&) {}
};

template <class Policy>
void train(std::type_identity<Policy>, const adamant::yaml::resolution& config, const std::string& name,
           const dataset& data, const command_line& line) {
    adamant::mpi::communicator ranks(MPI_COMM_WORLD, {.patience = std::chrono::minutes(1)});
    const bool is_first = ranks.rank() == 0;
    const int count = ranks.size();
    adamant::rank_bytes bytes{};
    basic_trainer<rank_steps<Policy>> training(
        config.policy,
        [&](auto tensors, auto params) {
            typename rank_steps<Policy>::optimizer_type optimizer(
                tensors, params, config.hyper, std::move(ranks),
                {.optimizer = {.loss_scaler = config.loss_scaler, .accept = config.accepted}});
            bytes = optimizer.bytes();
            return rank_steps<Policy>(std::move(optimizer), config.schedule());
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
    const std::filesystem::path csv = line.out / (name + "_mpi.csv");
    write_curve(result, csv);
    std::printf("  %s\n", csv.c_str());
}

void start(const command_line& line) {
    if (line.compare) throw usage_error("--compare is not for several processes");
    dataset data = read_dataset(line.data);
    data.train.keep(line.limit);
    data.test.keep(line.limit);
    const std::filesystem::path file =
        line.config.value_or(std::filesystem::path(ADAMANT_EXAMPLE_CONFIGS) / "bf16_precision_aware.yaml");
    const auto config = adamant::yaml::resolve(
        adamant::yaml::load(file.string(), "actor.optim",
                            {.total_training_steps = line.training.total_steps(data.train.size())}));
    adamant::visit(config.policy, policies{},
                   [&](auto policy) { train(policy, config, file.stem().string(), data, line); });
}

}  // namespace
}  // namespace fashion_mnist

//! 0: done. 1: a rank, a file or the configuration is not as it should be. 2: the command line.
int main(int argc, char** argv) {
    int provided = 0, result = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    try {
        const fashion_mnist::command_line line = fashion_mnist::parse(argc, argv);
        if (line.help) std::fputs(fashion_mnist::usage, stdout);
        else fashion_mnist::start(line);
    } catch (const fashion_mnist::usage_error& e) {
        std::fprintf(stderr, "%s\n%s", e.what(), fashion_mnist::usage);
        result = 2;
    } catch (const std::exception& e) {
        std::fflush(stdout);
        std::fprintf(stderr, "error: %s\n", e.what());
        result = 1;
    }
    if (result != 0) MPI_Abort(MPI_COMM_WORLD, result);  // the other ranks do not wait
    MPI_Finalize();
    return 0;
}
