// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Sharded optimizers save and load together: from any number of ranks to any other, the bits of one process.
#include "scratch.hpp"

#include <digest.hpp>
#include <optimizer/narrow_catalogue.hpp>
#include <optimizer/sharded_run.hpp>
#include <train/thread_ranks.hpp>

#include <adamant/policy/presets.hpp>
#include <adamant/safetensors/sharded.hpp>

#include <doctest/doctest.h>

#include <atomic>

namespace {

using namespace adamant;

constexpr std::int64_t sizes[] = {300, 64, 1, 3001, 258, 1};

//! A model of one rank, with gradients that are the same on every rank.
template <class Policy, class Ranks>
struct rank_model {
    using param_t = typename adam<Policy>::param_t;
    using grad_t = typename adam<Policy>::grad_t;

    std::vector<std::vector<param_t>> weights;
    std::vector<param_view> params;
    sharded<Policy, Ranks> optimizer;

    rank_model(Ranks ranks, std::uint64_t seed)
        : weights(filled(seed)),
          params(views()),
          optimizer(infos(), params, {.lr = 1e-2, .beta2 = 0.95, .seed = seed}, std::move(ranks),
                    {.optimizer = unjudged({.executor = serial_executor{}}), .bucket_size = 1000}) {}

    void steps(std::uint64_t from, std::uint64_t to) {
        for (; from < to; ++from) {
            optimizer.zero_grads();
            for (std::size_t t = std::size(sizes); t-- > 0;) {
                std::vector<grad_t> grads;
                for (std::int64_t i = 0; i < sizes[t]; ++i)
                    grads.push_back(round_to<grad_t>(
                        adamant_test::random_float(70 + t, static_cast<std::uint64_t>(i), from, 12)));
                optimizer.accumulate(t, std::span(grads));
                optimizer.mark_ready(t);
            }
            optimizer.step(params);
        }
    }

private:
    static std::vector<tensor_info> infos() {
        std::vector<tensor_info> result(std::size(sizes));
        for (std::size_t i = 1; i < result.size(); ++i) result[i].name = "tensor " + std::to_string(i);
        return result;
    }
    static std::vector<std::vector<param_t>> filled(std::uint64_t seed) {
        std::vector<std::vector<param_t>> result;
        for (const std::int64_t size : sizes) {
            auto& values = result.emplace_back();
            for (std::int64_t i = 0; i < size; ++i)
                values.push_back(round_to<param_t>(
                    adamant_test::random_float(seed + result.size(), static_cast<std::uint64_t>(i), 0, 8)));
        }
        return result;
    }
    std::vector<param_view> views() {
        std::vector<param_view> result;
        for (auto& values : weights) result.emplace_back(std::span(values));
        return result;
    }
};

//! Weights of rank 0 after `run` on so many ranks.
template <class Policy, class F>
auto weights_after(int ranks, std::uint64_t seed, F run) {
    std::vector<std::vector<typename adam<Policy>::param_t>> result;
    thread_ranks::run(ranks, [&](thread_ranks::communicator own) {
        const int rank = own.rank();
        rank_model<Policy, thread_ranks::communicator> model(std::move(own), seed);
        run(model);
        if (rank == 0) result = model.weights;
    });
    return result;
}

template <class Policy>
void save_on_some_and_load_on_others(const std::vector<int>& counts) {
    CAPTURE(Policy::describe());
    const checkpoints::scratch folder;
    const auto uninterrupted = weights_after<Policy>(1, 5, [](auto& model) { model.steps(0, 9); });
    for (const int k : counts) {
        const std::string index = folder / ("of-" + std::to_string(k) + ".json");
        weights_after<Policy>(k, 5, [&](auto& model) {
            model.steps(0, 4);
            safetensors::save(index, model.optimizer, model.params);
        });
        for (const int m : counts) {
            CAPTURE(k);
            CAPTURE(m);
            const auto resumed =
                weights_after<Policy>(m, 17, [&](auto& model) {  // other weights, another seed
                    model.steps(20, 22);
                    safetensors::load(index, model.optimizer, model.params);
                    model.steps(4, 9);
                });
            CHECK(resumed == uninterrupted);
        }
    }
}

}  // namespace

TEST_CASE("k ranks save, m ranks go on, with the bits of a process that was not interrupted") {
    save_on_some_and_load_on_others<presets::lean_bf16>({1, 2, 3, 4, 8});
    save_on_some_and_load_on_others<remainder8_fp8>({1, 3, 8});
}

TEST_CASE("where one rank cannot save, all throw and the checkpoint before stays") {
    const checkpoints::scratch folder;
    const std::string index = folder / "a.json";
    std::atomic<int> own_error{0}, named{0};
    weights_after<presets::lean_bf16>(3, 5, [&](auto& model) {
        model.steps(0, 2);
        safetensors::save(index, model.optimizer, model.params);
        model.steps(2, 3);
        const bool broken = model.optimizer.ranks().rank() == 1;
        safetensors::save_options options;
        if (broken)
            options.on_progress = [](const safetensors::progress&) { throw std::runtime_error("no disk"); };
        try {
            safetensors::save(index, model.optimizer, model.params, options);
        } catch (const checkpoint_error& error) {
            named += std::string(error.what()).find("rank 1 failed") != std::string::npos;
        } catch (const std::runtime_error&) { own_error += 1; }
        safetensors::load(index, model.optimizer, model.params);
        if (model.optimizer.step_count() != 2) named = -100;
    });
    CHECK(own_error == 1);
    CHECK(named == 2);
}

TEST_CASE("after a load that converts all ranks have the same weights") {
    const checkpoints::scratch folder;
    const std::string index = folder / "a.json";
    using to_policy = policy<mode<bf16>, precision_aware, main_params<none>, main_grads<bf16>, exp_avg<bf16>,
                             exp_avg_sq<bf16>>;
    const safetensors::load_options rounding_allowed{.convert = safetensors::conversion::narrowing};
    weights_after<presets::lean_bf16>(2, 5, [&](auto& model) {
        model.steps(0, 4);
        safetensors::save(index, model.optimizer, model.params);
    });
    const auto first = weights_after<to_policy>(1, 17, [&](auto& model) {
        safetensors::load(index, model.optimizer, model.params, rounding_allowed);
    });
    std::atomic<int> same{0};
    thread_ranks::run(3, [&](thread_ranks::communicator own) {
        rank_model<to_policy, thread_ranks::communicator> model(std::move(own), 17);
        safetensors::load(index, model.optimizer, model.params, rounding_allowed);
        same += model.weights == first;
    });
    CHECK(same == 3);
}

TEST_CASE("the index of ranks is a .json, and a save that fails leaves no file of a rank") {
    const checkpoints::scratch folder;
    std::atomic<int> refused{0}, failed{0};
    weights_after<presets::lean_bf16>(2, 5, [&](auto& model) {
        try {
            safetensors::save(folder / "a.safetensors", model.optimizer, model.params);
        } catch (const checkpoint_error&) { ++refused; }
        safetensors::save_options options;
        if (model.optimizer.ranks().rank() == 1)
            options.on_progress = [](const safetensors::progress&) { throw std::runtime_error("no disk"); };
        try {
            safetensors::save(folder / "a.json", model.optimizer, model.params, options);
        } catch (const std::runtime_error&) { ++failed; }
    });
    CHECK(refused == 2);
    CHECK(failed == 2);
    CHECK(folder.files().empty());
}
