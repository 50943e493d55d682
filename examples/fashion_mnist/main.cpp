// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Trains a network on Fashion-MNIST with the precision policy of a YAML file, or with each of several and
//! compares them. examples/run builds and starts it.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <adamant/yaml/yaml.hpp>

#include "command_line.hpp"
#include "curve_file.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "trainer.hpp"

namespace fashion_mnist {
namespace {

using std::filesystem::path;

template <class Master>
using bf16_fp8 = adamant::policy<adamant::mode<adamant::bf16>, adamant::precision_aware,
                                 adamant::main_params<Master>, adamant::main_grads<adamant::bf16>,
                                 adamant::exp_avg<adamant::fp8>, adamant::exp_avg_sq<adamant::fp8>>;

template <class... Policies>
adamant::catalogue<Policies..., bf16_fp8<adamant::remainder16>, bf16_fp8<adamant::remainder8>,
                   bf16_fp8<adamant::none>>
    with_fp8(adamant::catalogue<Policies...>);

//! What this program instantiates: all that verl's keys can say, and what examples/configs adds in our own
//! dialect. Each policy takes the compiler about 1.5 s more.
using policies = decltype(with_fp8(adamant::verl_catalogue{}));

//! The one place where a configuration becomes a policy, hyperparameters and a schedule: section actor.optim
//! in verl's words, or section adamant in ours.
auto load(const path& file, std::int64_t total_steps) {
    adamant::yaml::load_options options;
    options.total_training_steps = total_steps;
    const auto whole = adamant::yaml::load(file.string(), "", options);
    const bool is_ours = whole.root->find("adamant") != nullptr;
    if (is_ours) options.dialect = adamant::yaml::dialect::adamant;
    return adamant::yaml::resolve(
        adamant::yaml::load(file.string(), is_ours ? "adamant" : "actor.optim", options));
}

//! Every configuration that comes with the examples, the fp32 ones first: others are compared with them.
std::vector<path> all_configs() {
    std::vector<path> files;
    for (const auto& entry : std::filesystem::directory_iterator(ADAMANT_EXAMPLE_CONFIGS))
        if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    std::ranges::sort(files);
    std::stable_partition(files.begin(), files.end(), [](const path& file) {
        return load(file, 1000).policy.mode == adamant::dtype::fp32;
    });
    return files;
}

void draw(const std::string& script, const path& svg) {
    if (!have_gnuplot()) std::printf("  no plot: gnuplot is missing (Debian package gnuplot-nox)\n");
    else if (!run_gnuplot(script)) std::printf("  no plot: gnuplot failed\n");
    else std::printf("  %s\n", svg.c_str());
}

history run(const path& file, const dataset& data, const command_line& line) {
    const training_options& options = line.training;
    const std::int64_t total_steps = options.total_steps(data.train.size());
    const auto config = load(file, total_steps);
    const std::string name = file.stem().string();

    std::printf("%s: %s\n", name.c_str(), adamant::describe(adamant::canonical(config.policy)).c_str());
    for (const auto& warning : config.warnings) std::printf("  warning: %s\n", warning.c_str());
    std::printf("  %g bytes per parameter, %lld steps of %d images\n",
                adamant::bytes_per_param(config.policy), static_cast<long long>(total_steps), options.batch);
    std::fflush(stdout);

    trainer training(
        config.policy,
        [&](auto tensors, auto params) {
            return adamant::yaml::make_optimizer<policies>(config, tensors, params);
        },
        data, options);
    progress display(total_steps, options.epochs);
    const history result = training.train(name, display);

    std::printf("  skipped steps: %lld of %lld", static_cast<long long>(result.skipped_steps),
                static_cast<long long>(result.steps));
    if (result.loss_scale != 1) std::printf(", loss scale at the end: %g", result.loss_scale);
    const path csv = line.out / (name + ".csv"), svg = line.out / (name + ".svg");
    write_curve(result, csv);
    std::printf("\n  %s\n", csv.c_str());
    draw(curve_script(result, csv, svg), svg);
    return result;
}

void print_table(const std::vector<history>& runs) {
    std::size_t width = 6;
    for (const history& r : runs) width = std::max(width, r.name.size());
    const int w = static_cast<int>(width);
    std::printf("\n%-*s  bytes/param  test accuracy  test loss  train loss  skipped steps  seconds\n", w,
                "config");
    for (const history& r : runs)
        std::printf("%-*s  %11g  %11.2f %%  %9.4f  %10.4f  %13lld  %7.1f\n", w, r.name.c_str(),
                    adamant::bytes_per_param(r.spec), r.last().test.accuracy, r.last().test.loss,
                    r.last().train_loss, static_cast<long long>(r.skipped_steps), r.seconds);
}

void compare(const dataset& data, const command_line& line) {
    std::vector<history> runs;
    for (const path& file : all_configs()) runs.push_back(run(file, data, line));
    print_table(runs);
    const path csv = line.out / "compare.csv", svg = line.out / "compare.svg";
    write_comparison(runs, csv);
    std::printf("\n  %s\n", csv.c_str());
    draw(comparison_script("Fashion-MNIST", runs, csv, svg), svg);
}

int start(const command_line& line) {
    dataset data = read_dataset(line.data);
    data.train.keep(line.limit);
    data.test.keep(line.limit);
    std::filesystem::create_directories(line.out);
    if (line.compare) compare(data, line);
    else run(line.config.value_or(path(ADAMANT_EXAMPLE_CONFIGS) / "bf16_precision_aware.yaml"), data, line);
    return 0;
}

}  // namespace
}  // namespace fashion_mnist

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // a gnuplot that ends early is not the end of the program
    return fashion_mnist::run_program(argc, argv, fashion_mnist::start);
}
