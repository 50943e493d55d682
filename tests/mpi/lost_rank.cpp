// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A run in which the last rank is not like the others, or is no more; lost_rank.cmake starts it. Ends with 3
//! and the error's sentence where a rank meets one.
#include <adamant/mpi/communicator.hpp>
#include <adamant/optimizer/sharded.hpp>
#include <adamant/policy/presets.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

using namespace adamant;

namespace {

//! What is wrong with the last rank.
void train(const std::string& what) {
    mpi::communicator ranks(MPI_COMM_WORLD);
    const bool is_odd = ranks.rank() == ranks.size() - 1;
    const auto is = [&](const char* word) { return is_odd && what == word; };

    std::vector<float> a(is("size") ? 900 : 1000, is("weights") ? 2.0f : 1.0f), b(50, 1.0f);
    const std::vector<tensor_info> tensors{{.name = is("name") ? "other" : "first"}, {.name = "second"}};
    std::vector<std::span<float>> params{a, b};
    if (is("order")) std::swap(params[0], params[1]);
    hyperparameters hyper;
    if (is("seed")) hyper.seed = 7;
    if (is("lr")) hyper.lr = 0.5;
    if (is("refused")) hyper.lr = -1;
    if (is("tied")) params[1] = params[0].first(50);

    const auto steps = [&](auto optimizer) {
        for (int step = 0; step < 5; ++step) {
            optimizer.zero_grads();
            for (std::size_t t = 0; t < 2; ++t) std::ranges::fill(optimizer.grad(t), 0.1f);
            if (step == 3 && is("killed")) std::raise(SIGKILL);
            if (step == 3 && is("stopped")) std::raise(SIGSTOP);
            if (step == 3 && is("throws")) throw error("[adamant] a test throws.");
            optimizer.mark_ready(1);
            optimizer.step(params, {.lr = step == 3 && is("other_step") ? 0.25 : 0.125});
        }
    };
    if (is("policy"))
        steps(sharded<policy<mode<fp32>, precision_aware, exp_avg<bf16>>, mpi::communicator>(
            tensors, params, hyper, std::move(ranks)));
    else steps(sharded<presets::full_fp32, mpi::communicator>(tensors, params, hyper, std::move(ranks)));
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    const std::string what = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, what == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED, &provided);
    const auto start = std::chrono::steady_clock::now();
    try {
        train(what);
    } catch (const error& e) {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        std::fprintf(stderr, "%s after %.1f s\n", e.what(), time.count());
        std::fflush(stderr);
        std::_Exit(3);
    }
    MPI_Finalize();
    return 0;
}
