// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Public bug reports about ranks, boiled down to numbers (cases/reports/BNN.json).
#include "rank_model.hpp"

#include <cases/report.hpp>

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

using namespace adamant;

namespace {

using cases::report;
using json = nlohmann::json;

float mean_of_equals(std::size_t ranks, double gradient, reduction how) {
    const std::vector<float16> values(ranks, to_float16(static_cast<float>(gradient)));
    std::vector<const float16*> sources;
    for (const float16& value : values) sources.push_back(&value);
    float16 result{};
    sum_ranks<float16>(sources, 0, 1, how, &result);
    return to_float(result);
}

}  // namespace

TEST_CASE("B19: squares of the norm add up exactly over any number of ranks") {
    const json all = report("B19");
    const auto count = all["inputs"]["ranks"].get<int>();
    const auto square = all["inputs"]["norm_sq_each"].get<double>();
    grad_statistics total;
    bfloat16 in_bf16{};
    for (int rank = 0; rank < count; ++rank) {
        grad_statistics of_rank;
        const auto g = static_cast<float>(std::sqrt(square));
        read_gradients<float>(&g, 0, 1, true, of_rank);
        total.add(of_rank);
        in_bf16 = to_bfloat16(to_float(in_bf16) + static_cast<float>(square));
    }
    CHECK(total.norm() == all["expected"]["norm"].get<double>());
    CHECK(to_float(in_bf16) == all["expected"]["bf16_sequential_sum"].get<float>());  // what it is not
    // And with ranks: eight of them, each with a bucket of ones of its own.
    thread_ranks::run(8, [](thread_ranks::communicator ranks) {
        rank_model<presets::lean_bf16> m({1000}, {.beta2 = 0.95, .clip_grad = 0}, std::move(ranks));
        const auto result = m.step([](std::size_t) { return std::vector<bfloat16>(1000, to_bfloat16(1)); });
        CHECK(result.grad_norm == std::sqrt(1000.0));
    });
}

TEST_CASE("B28: a rank that holds nothing of a group counts its steps") {
    const json all = report("B28");
    const auto iterations = all["inputs"]["iterations"].get<std::int64_t>();
    const hyperparameters hyper{.lr = 1e-5, .beta1 = 0.9, .beta2 = 0.999};
    thread_ranks::run(3, [&](thread_ranks::communicator ranks) {
        const int rank = ranks.rank();
        rank_model<presets::full_fp32> m({64}, hyper, std::move(ranks));
        CHECK(m.optimizer.pieces().empty() == (rank > 0));
        for (std::int64_t i = 0; i < iterations; ++i)
            m.step([](std::size_t) { return std::vector<float>(64, 1); });
        CHECK(m.optimizer.shard().step_count() ==
              all["expected"]["saved_step_on_every_rank"].get<std::int64_t>());
        // Its state, read by whoever owns the tensor on another number of ranks, goes on at this step.
        weights<presets::full_fp32> next = m.w;
        adam<presets::full_fp32> optimizer(next.tensors(), next.views(), hyper);
        for (const slot s : {slot::exp_avg, slot::exp_avg_sq}) optimizer.import_fp32(s, 0, m.gathered(s, 0));
        optimizer.set_step_count(m.optimizer.step_count());
        const std::vector<float> grads(64, 1);
        optimizer.step(next.views(), std::vector<std::span<const float>>{grads});
        m.step([](std::size_t) { return std::vector<float>(64, 1); });
        CHECK(next.digest() == m.w.digest());
    });
    // The corrections of that step, in the betas that a step computes with.
    CHECK(one_minus_power(double{0.9f}, iterations) ==
          doctest::Approx(all["expected"]["bc1"].get<double>()).epsilon(1e-12));
    CHECK(one_minus_power(double{0.999f}, iterations) ==
          doctest::Approx(all["expected"]["bc2"].get<double>()).epsilon(1e-5));
}

TEST_CASE("B38: bucket padding does not reach the state, which any number of ranks can take over") {
    const json all = report("B38");
    const auto numel = all["inputs"]["numel"].get<std::int64_t>();
    const hyperparameters hyper{.beta2 = 0.95, .seed = 5};
    using policy_type =
        policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>;
    const auto take = [&](auto& m, int step) {
        m.step([&](std::size_t t) { return gradient<bfloat16>(0, step, t, numel); });
    };
    // Two steps on 16 ranks, whose state is saved, and a third.
    std::vector<std::vector<float>> saved, expected;
    std::vector<std::vector<bfloat16>> weights_then;
    const auto state_of = [](auto& m) {
        std::vector<std::vector<float>> result;
        for (const slot s : all_slots) result.push_back(m.gathered(s, 0));
        return result;
    };
    thread_ranks::run(16, [&](thread_ranks::communicator ranks) {
        const bool is_first = ranks.rank() == 0;
        rank_model<policy_type> m({numel}, hyper, std::move(ranks));
        take(m, 1);
        take(m, 2);
        const auto state = state_of(m);
        if (is_first) saved = state, weights_then = m.w.values;
        take(m, 3);
        const auto after = state_of(m);
        if (is_first) expected = after;
    });
    for (const auto& values : saved) CHECK(std::ssize(values) == numel);

    for (const json& row : all["expected"]["rows"]) {
        const auto dp = row["dp"].get<int>();
        CAPTURE(dp);
        const bucket_plan plan(std::vector<std::int64_t>{numel}, dp);
        // Megatron-Core's padding is lcm(dp, 128), here it is 128 dp: the same for up to 8 ranks of this
        // tensor.
        const std::int64_t ours = (numel + 128 * dp - 1) / (128 * dp) * (128 * dp);
        CHECK(plan.size() == (dp <= 8 ? row["padded"].get<std::int64_t>() : ours));
        CHECK(plan.shard_size(0) == plan.size() / dp);
        if (dp <= 8) CHECK(plan.shard_size(0) == row["shard"].get<std::int64_t>());
        if (dp <= 8) CHECK(plan.size() - numel == row["pad_elements"].get<std::int64_t>());
        std::int64_t owned = 0;
        for (int rank = 0; rank < dp; ++rank)
            for (const tensor_piece& piece : plan.pieces(rank)) owned += piece.end - piece.begin;
        CHECK(owned == numel);

        thread_ranks::run(dp, [&](thread_ranks::communicator ranks) {
            rank_model<policy_type> m({numel}, hyper, std::move(ranks));
            m.w.values = weights_then;
            m.optimizer.init_masters(m.w.views(), std::vector<std::span<const float>>{saved[0]});
            for (std::size_t i = 0; i < m.optimizer.pieces().size(); ++i) {
                const tensor_piece& piece = m.optimizer.pieces()[i];
                for (const slot s : {slot::exp_avg, slot::exp_avg_sq})
                    m.optimizer.shard().import_fp32(
                        s, i,
                        std::span(saved[static_cast<std::size_t>(s)])
                            .subspan(static_cast<std::size_t>(piece.begin),
                                     static_cast<std::size_t>(piece.end - piece.begin)));
            }
            m.optimizer.shard().set_step_count(2);
            CHECK(state_of(m) == saved);
            take(m, 3);
            CHECK(state_of(m) == expected);
        });
    }
}

TEST_CASE("B43: the mean of fp16 gradients over 1024 ranks neither overflows nor vanishes, their sum may") {
    const json all = report("B43");
    const auto ranks = all["inputs"]["ranks"].get<std::size_t>();
    const auto a = all["inputs"]["a"].get<double>(), b = all["inputs"]["b"].get<double>();
    CHECK(mean_of_equals(ranks, a, reduction::mean) == 100.0f);
    CHECK(mean_of_equals(ranks, b, reduction::mean) == to_float(to_float16(static_cast<float>(b))));
    CHECK(all["expected"]["fp32_reduction"].get<std::string>().find("2.9981136322021484e-05") !=
          std::string::npos);
    CHECK(mean_of_equals(ranks, b, reduction::mean) == 2.9981136322021484e-05f);
    CHECK(all["expected"]["contrast_a_sum_first"] == "inf");
    CHECK(std::isinf(mean_of_equals(ranks, a, reduction::sum)));
}

TEST_CASE("B45: a bf16 bucket of ranks has the cost of a bf16 sum, an fp32 one has not") {
    const json expected = report("B45")["expected"];
    const auto sum_of = []<class Policy>(std::type_identity<Policy>) {
        shared_buckets<typename Policy::resolved::grad_t, single> buckets(
            bucket_plan(std::vector<std::int64_t>{1}, 1), 0, reduction::mean,
            bucket_work<host_memory>(serial_executor{}));
        const float one = 1;
        for (int i = 0; i < 512; ++i) buckets.accumulate(0, std::span(&one, 1));
        return to_float(buckets[0][0]);
    };
    CHECK(sum_of(std::type_identity<presets::megatron_bf16>{}) == expected["fp32"].get<float>());
    CHECK(sum_of(std::type_identity<presets::lean_bf16>{}) == expected["bf16"].get<float>());
}
