// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Times sharded steps beside MPI's own MPI_Reduce_scatter and MPI_Allgather in fp32. benchmarks/sharded/run
//! starts it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include <adamant/mpi/communicator.hpp>
#include <adamant/optimizer/sharded.hpp>
#include <adamant/policy/presets.hpp>

namespace {

using namespace adamant;

mpi::communicator all_ranks() {
    return mpi::communicator(MPI_COMM_WORLD, {.patience = std::chrono::minutes(5)});
}

//! The time from when all ranks start to when the last has ended, in seconds.
template <class F>
double time_of(F&& f) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    f();
    double time = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return time;
}

//! What a program without a library writes: a sum in fp32 and the gathering, no step.
class plain {
public:
    plain(std::int64_t elements, int rank, int ranks)
        : part_(static_cast<int>(elements / ranks)),
          grads_(static_cast<std::size_t>(elements), 0.5f),
          own_(static_cast<std::size_t>(part_)),
          params_(grads_),
          counts_(static_cast<std::size_t>(ranks), part_),
          rank_(rank) {}

    void run() {
        MPI_Reduce_scatter(grads_.data(), own_.data(), counts_.data(), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, params_.data(), part_, MPI_FLOAT, MPI_COMM_WORLD);
    }

private:
    int part_;
    std::vector<float> grads_, own_, params_;
    std::vector<int> counts_;
    int rank_;
};

//! A model of 16 equal tensors.
template <class Policy>
class model {
public:
    using optimizer_type = sharded<Policy, mpi::communicator>;
    static constexpr std::int64_t tensors = 16;

    explicit model(std::int64_t elements)
        : weights_(tensors, std::vector<typename optimizer_type::param_t>(
                                static_cast<std::size_t>(elements / tensors),
                                round_to<typename optimizer_type::param_t>(0.5f))),
          views_(views()),
          optimizer_({}, views_, {.beta2 = 0.95}, all_ranks(),
                     {.optimizer = {.executor = serial_executor{}}}) {
        for (std::size_t t = 0; t < tensors; ++t)
            std::ranges::fill(optimizer_.grad(t), round_to<typename optimizer_type::grad_t>(1e-3f));
    }

    void run() { optimizer_.step(views_); }
    //! What a rank does alone, on half: the pass over gradients and the update.
    void step_shard() { shard_step(optimizer_.shard()); }
    rank_bytes bytes() const { return optimizer_.bytes(); }

private:
    std::vector<tensor_view> views() {
        std::vector<tensor_view> result;
        for (auto& tensor : weights_) result.emplace_back(std::span(tensor));
        return result;
    }
    void shard_step(typename optimizer_type::optimizer_type& shard) {
        std::vector<tensor_view> params, grads;
        for (const tensor_piece& piece : optimizer_.pieces()) {
            const auto begin = static_cast<std::size_t>(piece.begin),
                       count = static_cast<std::size_t>(piece.end - piece.begin);
            params.emplace_back(std::span(weights_[piece.tensor]).subspan(begin, count));
            grads.emplace_back(optimizer_.grad(piece.tensor).subspan(begin, count));
        }
        shard.step(params, grads);
    }

    std::vector<std::vector<typename optimizer_type::param_t>> weights_;
    std::vector<tensor_view> views_;
    optimizer_type optimizer_;
};

struct times {
    double plain = std::numeric_limits<double>::infinity(), sharded = plain, step = plain;
};

template <class Policy>
double measure(std::int64_t elements, int rank, int ranks, int turns) {
    plain peer(elements, rank, ranks);
    model<Policy> subject(elements);
    times best;
    for (int turn = 0; turn <= turns; ++turn) {  // in turns, as on a shared machine what moves moves for all
        const double of_peer = time_of([&] { peer.run(); }), of_subject = time_of([&] { subject.run(); }),
                     of_step = time_of([&] { subject.step_shard(); });
        if (turn == 0) continue;
        best.plain = std::min(best.plain, of_peer);
        best.sharded = std::min(best.sharded, of_subject);
        best.step = std::min(best.step, of_step);
    }
    if (rank == 0) {
        const rank_bytes bytes = subject.bytes();
        std::printf("%s\n", Policy::describe().c_str());
        std::printf("  plain fp32 %7.1f ms   sharded %7.1f ms (%.2f of plain), of these the step %7.1f ms\n",
                    1e3 * best.plain, 1e3 * best.sharded, best.sharded / best.plain, 1e3 * best.step);
        std::printf("  MB per rank: state %.0f, buckets %.0f, transfers %.0f\n", 1e-6 * double(bytes.state),
                    1e-6 * double(bytes.gradients), 1e-6 * double(bytes.transfers));
        std::fflush(stdout);
    }
    return best.sharded;
}

int run(int argc, char** argv) {
    const std::int64_t millions = argc > 1 ? std::atoll(argv[1]) : 64;
    const int turns = argc > 2 ? std::atoi(argv[2]) : 7;
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (millions < 1 || millions > 4096 || turns < 1) {
        if (rank == 0)
            std::fprintf(stderr, "usage: sharded [million elements, 1 to 4096 (64)] [turns (7)]\n");
        return 2;
    }
    // A multiple of what both cut into: 16 tensors, and equal parts for the ranks.
    const std::int64_t unit = std::int64_t{16} * 128 * ranks;
    const std::int64_t elements = (millions << 20) / unit * unit;
    if (rank == 0)
        std::printf("%lld elements, %d ranks, one thread each, the shortest of %d turns\n",
                    static_cast<long long>(elements), ranks, turns);
    const double fp32_time = measure<presets::full_fp32>(elements, rank, ranks, turns);
    const double bf16_time = measure<presets::lean_bf16>(elements, rank, ranks, turns);
    if (rank == 0) std::printf("bf16 buckets and weights over fp32: %.2f\n", bf16_time / fp32_time);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int result = 1;
    try {
        result = run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return result;
}
