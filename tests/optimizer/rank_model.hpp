// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A model on a rank: weights that all ranks start from, gradients by rank and step, and state gathered
//! whole.
#pragma once

#include <digest.hpp>
#include <train/inputs.hpp>
#include <train/thread_ranks.hpp>
#include <unjudged.hpp>

#include <adamant/optimizer/sharded.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

template <class T>
std::uint64_t digest_of(const std::vector<T>& values) {
    adamant_test::digest result;
    result.add(std::span(values));
    return result.value();
}

//! A rank's gradient of a tensor in a step.
template <class T>
std::vector<T> gradient(int rank, int step, std::size_t tensor, std::int64_t size) {
    std::vector<T> result;
    const auto seed =
        1000 + 100 * static_cast<std::uint64_t>(step) + 10 * tensor + static_cast<std::uint64_t>(rank);
    for (const float value : inputs::spread(static_cast<std::size_t>(size), seed))
        result.push_back(adamant::round_to<T>(value));
    return result;
}

template <class Policy>
struct weights {
    using param_t = typename adamant::adam<Policy>::param_t;

    std::vector<std::vector<param_t>> values;

    explicit weights(const std::vector<std::int64_t>& sizes) {
        for (std::size_t t = 0; t < sizes.size(); ++t) {
            values.emplace_back();
            for (const float value : inputs::spread(static_cast<std::size_t>(sizes[t]), t + 1))
                values[t].push_back(adamant::round_to<param_t>(value));
        }
    }
    std::vector<adamant::tensor_view> views() {
        std::vector<adamant::tensor_view> result;
        for (auto& tensor : values) result.emplace_back(std::span(tensor));
        return result;
    }
    std::vector<adamant::tensor_info> tensors() const {
        std::vector<adamant::tensor_info> result(values.size());
        for (std::size_t t = 0; t < result.size(); ++t) result[t].name = "tensor" + std::to_string(t);
        return result;
    }
    std::uint64_t digest() const {
        adamant_test::digest all;
        for (const auto& tensor : values) all.add(std::span(tensor));
        return all.value();
    }
};

template <class Policy>
struct rank_model {
    using optimizer_type = adamant::sharded<Policy, thread_ranks::communicator>;

    weights<Policy> w;
    optimizer_type optimizer;

    rank_model(const std::vector<std::int64_t>& sizes, const adamant::hyperparameters& hyper,
               thread_ranks::communicator ranks, adamant::sharded_options options = {})
        : w(sizes),
          optimizer(w.tensors(), w.views(), hyper, std::move(ranks), on_this_thread(std::move(options))) {}

    static adamant::sharded_options on_this_thread(adamant::sharded_options options) {
        options.optimizer.executor = adamant::serial_executor{};
        options.optimizer = unjudged(std::move(options.optimizer));
        return options;
    }

    //! grads(tensor) is this rank's gradient.
    template <class F>
    adamant::step_result step(F&& grads, const adamant::step_options& options = {}) {
        optimizer.zero_grads();
        for (std::size_t t = w.values.size(); t-- > 0;) {
            const auto values = grads(t);
            optimizer.accumulate(t, std::span(values));
            optimizer.mark_ready(t);
        }
        return optimizer.step(w.views(), options);
    }

    //! A slot of a whole tensor from its owners; all ranks call it together.
    std::vector<float> gathered(adamant::slot s, std::size_t tensor) {
        auto& ranks = optimizer.ranks();
        std::vector<float> whole(w.values[tensor].size());
        std::vector<std::vector<float>> own;
        std::vector<adamant::outgoing> out;
        std::vector<adamant::incoming> in;
        for (std::size_t i = 0; i < optimizer.pieces().size(); ++i) {
            const adamant::tensor_piece& piece = optimizer.pieces()[i];
            if (piece.tensor != tensor) continue;
            const auto of_piece = std::span(w.values[tensor])
                                      .subspan(static_cast<std::size_t>(piece.begin),
                                               static_cast<std::size_t>(piece.end - piece.begin));
            own.push_back(optimizer.shard().export_fp32(s, i, of_piece));
            std::ranges::copy(own.back(), whole.begin() + piece.begin);
            for (int rank = 0; rank < ranks.size(); ++rank)
                if (rank != ranks.rank())
                    out.push_back({rank, own.back().data(), 4 * (piece.end - piece.begin)});
        }
        for (int rank = 0; rank < ranks.size(); ++rank)
            for (const adamant::tensor_piece& piece : optimizer.plan().pieces(rank))
                if (rank != ranks.rank() && piece.tensor == tensor)
                    in.push_back({rank, whole.data() + piece.begin, 4 * (piece.end - piece.begin)});
        auto request = ranks.exchange(out, in);
        ranks.wait(request);
        return whole;
    }
};
