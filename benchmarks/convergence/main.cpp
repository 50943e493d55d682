// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Trains a byte model and a Fashion-MNIST network with every policy, several beta2 and seeds, and says how
//! far each is from fp32. benchmarks/convergence/run builds and starts it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "experiments.hpp"
#include "report.hpp"

namespace convergence {
namespace {

//! Calls f(0) to f(count - 1), `jobs` at a time. An exception of one is thrown when all have ended.
template <class F>
void for_each_parallel(std::size_t count, std::size_t jobs, F&& f) {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> failures(count);
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                f(i);
            } catch (...) { failures[i] = std::current_exception(); }
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t j = 1; j < std::min(jobs, count); ++j) threads.emplace_back(work);
        work();
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

//! Every candidate with every beta2 and seed; train(candidate, beta2, seed) yields an outcome.
template <class Train>
std::vector<outcome> run_all(const command_line& line, const std::vector<const candidate*>& policies,
                             Train&& train) {
    std::vector<outcome> all;
    for (const double beta2 : line.beta2)
        for (int seed = 1; seed <= line.seeds; ++seed)
            for (const candidate* who : policies)
                all.push_back({.who = who, .beta2 = beta2, .seed = static_cast<std::uint64_t>(seed)});
    std::atomic<std::size_t> done{0};
    for_each_parallel(all.size(), line.jobs, [&](std::size_t i) {
        const outcome planned = all[i];
        const auto start = std::chrono::steady_clock::now();
        all[i] = train(*planned.who, planned.beta2, planned.seed);
        all[i].who = planned.who;
        all[i].beta2 = planned.beta2;
        all[i].seed = planned.seed;
        all[i].seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::fprintf(stderr, "  %zu of %zu: %s, beta2 %g, seed %d: loss %.5f, %.1f s\n", ++done, all.size(),
                     std::string(planned.who->name).c_str(), planned.beta2, static_cast<int>(planned.seed),
                     all[i].loss, all[i].seconds);
    });
    return all;
}

void report(const std::string& title, const std::string& file, const command_line& line,
            const std::vector<const candidate*>& policies, const std::vector<outcome>& all) {
    print_table(all, policies, line.beta2);
    const std::filesystem::path csv = line.out / (file + ".csv");
    write_outcomes(all, csv);
    std::printf("  %s\n", csv.c_str());
    for (const double beta2 : line.beta2) {
        const std::string number = text_of("%g", beta2);
        draw_curves(all, policies, beta2, title + ", beta2 " + number,
                    line.out / (file + "_beta2_" + number));
    }
}

void ngram(const command_line& line) {
    const corpus source = find_corpus();
    std::printf("n-gram byte model, %d steps of 64 examples from %zu bytes: %s\n", line.steps,
                source.text.size(), source.name.c_str());
    std::printf(
        "loss: mean of the last eighth of the steps; its difference to fp32 as mean, lowest and highest of "
        "%d "
        "seed(s);\nmovement: the largest of a master in a step, over lr\n",
        line.seeds);
    std::fflush(stdout);
    const auto all =
        run_all(line, line.policies, [&](const candidate& who, double beta2, std::uint64_t seed) {
            return train_ngram(source, line, who, beta2, seed);
        });
    report("n-gram byte model", "ngram", line, line.policies, all);
}

void fashion(const command_line& line) {
    std::printf("\nFashion-MNIST, 784-256-128-10, %d epoch(s)\n", line.epochs);
    fashion_mnist::dataset data;
    try {
        data = fashion_mnist::read_dataset(line.data);
        data.train.keep(line.images);
    } catch (const fashion_mnist::dataset_error& e) {
        std::printf("left out: %s\n", e.what());
        return;
    }
    auto policies = line.policies;
    if (std::erase_if(policies, [](const candidate* who) { return who->rounds_weights(); }) > 0)
        std::printf("without control_nearest_weight, which is emulated in the n-gram model only\n");
    std::printf("loss: mean of the last epoch's training; accuracy: of the test set, points above fp32's\n");
    std::fflush(stdout);
    const auto all = run_all(line, policies, [&](const candidate& who, double beta2, std::uint64_t seed) {
        return train_fashion_mnist(data, line, who, beta2, seed);
    });
    report("Fashion-MNIST", "fashion_mnist", line, policies, all);
}

}  // namespace
}  // namespace convergence

//! 0: done. 1: a file cannot be used. 2: the command line cannot.
int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // a gnuplot that ends early is not the end of the program
    try {
        const convergence::command_line line = convergence::parse(argc, argv);
        if (line.help) {
            std::fputs(convergence::usage, stdout);
            return 0;
        }
        std::filesystem::create_directories(line.out);
        convergence::ngram(line);
        if (line.epochs > 0) convergence::fashion(line);
        return 0;
    } catch (const convergence::usage_error& e) {
        std::fprintf(stderr, "%s\n%s", e.what(), convergence::usage);
        return 2;
    } catch (const std::exception& e) {
        std::fflush(stdout);
        std::fprintf(stderr, "error: %s\n", e.what());
        return 1;
    }
}
