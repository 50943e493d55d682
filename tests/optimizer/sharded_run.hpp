// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A sharded optimizer that takes steps as adam does, and whose state can be read whole.
#pragma once

#include <unjudged.hpp>

#include <adamant/optimizer/sharded.hpp>

#include <any>
#include <list>
#include <map>
#include <span>
#include <utility>
#include <vector>

//! Tensors of the host where a memory has them, and what was written there brought back.
template <class Memory>
struct placed_tensors {
    template <class List>
    explicit placed_tensors(const List& list) : views(list.begin(), list.end()) {}
    void bring_back() const {}

    std::vector<adamant::tensor_view> views;
};

template <class Policy, adamant::communicator Ranks, adamant::memory Memory = adamant::host_memory>
class sharded_run {
public:
    using grad_t = typename adamant::adam<Policy>::grad_t;
    using resolved = typename Policy::resolved;

    sharded_run(std::span<const adamant::tensor_info> tensors, const std::vector<adamant::param_view>& params,
                const adamant::hyperparameters& hyper, adamant::loss_scaler_settings scaler, Ranks ranks,
                std::int64_t bucket_size, Memory memory = {})
        : memory_(memory),
          optimizer_(tensors, placed_tensors<Memory>(params).views, hyper, std::move(ranks),
                     {.optimizer = unjudged({.executor = adamant::serial_executor{}, .loss_scaler = scaler}),
                      .bucket_size = bucket_size},
                     memory) {}

    adamant::step_result step(const std::vector<adamant::param_view>& params,
                              const std::vector<std::span<const grad_t>>& grads,
                              const adamant::step_options& options) {
        const placed_tensors<Memory> weights(params), gradients(grads);
        optimizer_.zero_grads();
        for (std::size_t t = grads.size(); t-- > 0;) {  // as a backward pass does
            optimizer_.accumulate(t, gradients.views[t]);
            optimizer_.mark_ready(t);
        }
        const adamant::step_result result = optimizer_.step(weights.views, options);
        weights.bring_back();
        return result;
    }
    double loss_scale() const { return optimizer_.loss_scale(); }
    std::int64_t step_count() const { return optimizer_.step_count(); }
    auto& optimizer() { return optimizer_; }

    //! As adam's, put together from the shards of all ranks, who must call it together.
    template <adamant::slot S>
    std::span<const adamant::slot_code_t<resolved, S>> state(std::size_t tensor) {
        using code = adamant::slot_code_t<resolved, S>;
        return whole<code>(2 * static_cast<int>(S), tensor, 1,
                           [&](std::size_t piece) { return optimizer_.shard().template state<S>(piece); });
    }
    template <adamant::slot S>
    std::span<const std::uint8_t> scales(std::size_t tensor) {
        return whole<std::uint8_t>(
            2 * static_cast<int>(S) + 1, tensor, adamant::group_size,
            [&](std::size_t piece) { return optimizer_.shard().template scales<S>(piece); });
    }

private:
    //! Pieces of a tensor from their owners; every `unit` elements have a value.
    template <class T, class F>
    std::span<const T> whole(int key, std::size_t tensor, std::int64_t unit, F own) {
        const adamant::bucket_plan& plan = optimizer_.plan();
        Ranks& ranks = optimizer_.ranks();
        auto& values = gathered_[{key, tensor}].template emplace<std::vector<T>>();
        const std::int64_t size = plan.tensor_size(tensor);
        values.resize(static_cast<std::size_t>((size + unit - 1) / unit));
        // A rank's codes of a piece, or none: all pieces of a tensor have a slot, or none has.
        std::vector<adamant::outgoing> out;
        std::vector<adamant::incoming> in;
        std::list<std::vector<T>> sent;
        std::uint8_t has = 0;
        for (std::size_t i = 0; i < optimizer_.pieces().size(); ++i) {
            const adamant::tensor_piece& piece = optimizer_.pieces()[i];
            if (piece.tensor != tensor) continue;
            const std::vector<T>& codes = sent.emplace_back(on_host(own(i)));
            if (codes.empty()) continue;
            has = 1;
            std::ranges::copy(codes, values.begin() + piece.begin / unit);
            for (int rank = 0; rank < ranks.size(); ++rank)
                if (rank != ranks.rank())
                    out.push_back({rank, codes.data(), static_cast<std::int64_t>(codes.size() * sizeof(T))});
        }
        const auto all = adamant::gather_values(ranks, has);
        bool any = false;
        for (int rank = 0; rank < ranks.size(); ++rank) {
            if (all[static_cast<std::size_t>(rank)] == 0) continue;
            any = true;
            if (rank == ranks.rank()) continue;
            for (const adamant::tensor_piece& piece : plan.pieces(rank))
                if (piece.tensor == tensor)
                    in.push_back(
                        {rank, values.data() + piece.begin / unit,
                         (piece.end - piece.begin + unit - 1) / unit * static_cast<std::int64_t>(sizeof(T))});
        }
        auto request = ranks.exchange(out, in);
        ranks.wait(request);
        if (!any) values.clear();
        return values;
    }

    template <class T>
    std::vector<T> on_host(std::span<const T> values) const {
        std::vector<T> copy(values.size());
        if constexpr (adamant::is_on_host<Memory>) std::ranges::copy(values, copy.begin());
        else memory_.copy(copy.data(), values.data(), values.size_bytes());
        return copy;
    }

    Memory memory_;
    adamant::sharded<Policy, Ranks, Memory> optimizer_;
    std::map<std::pair<int, std::size_t>, std::any> gathered_;
};
