// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! sharded_state: what a rank keeps, as a part of the state of the whole model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <adamant/optimizer/sharded.hpp>
#include <adamant/optimizer/state_access.hpp>

namespace adamant::inline v0 {

namespace detail {

//! A rank has at most one piece of a tensor: a tensor lies in one bucket, and a rank owns one part of it.
template <class Sharded>
class sharded_state_access final : public state_access {
public:
    explicit sharded_state_access(Sharded& optimizer)
        : optimizer_(optimizer),
          shard_(access_state(optimizer.shard())),
          piece_of_(optimizer.tensor_count()) {
        for (std::size_t i = 0; i < optimizer.pieces().size(); ++i)
            piece_of_[optimizer.pieces()[i].tensor] = i;
    }

    policy_spec spec() const override { return Sharded::spec; }
    const tensor_registry& tensors() const override { return optimizer_.tensors(); }
    const hyperparameters& hyper() const override { return optimizer_.hyper(); }
    run_state run() const override { return shard_->run(); }
    void restore(const run_state& run) override { shard_->restore(run); }

    element_range held(std::size_t tensor) const override {
        if (!piece_of_[tensor]) return {};
        const tensor_piece& piece = optimizer_.pieces()[*piece_of_[tensor]];
        return {piece.begin, piece.end};
    }
    stored_slot at(slot s, std::size_t tensor) override {
        // What a rank holds no part of has a kind all the same: it says which arrays a checkpoint has.
        return piece_of_[tensor] ? shard_->at(s, *piece_of_[tensor]) : stored_slot{};
    }
    bool is_on_host() const override { return shard_->is_on_host(); }
    void copy_to_host(void* to, const void* from, std::int64_t bytes) const override {
        shard_->copy_to_host(to, from, bytes);
    }
    void copy_from_host(void* to, const void* from, std::int64_t bytes) override {
        shard_->copy_from_host(to, from, bytes);
    }
    void export_range(slot s, std::size_t tensor, std::int64_t first, std::span<float> values,
                      const void* weights) override {
        if (values.empty()) return;
        const std::int64_t begin = held(tensor).begin;
        const auto* const own =
            weights == nullptr ? nullptr : static_cast<const std::byte*>(weights) + begin * width(tensor);
        shard_->export_range(s, *piece_of_[tensor], first - begin, values, own);
    }
    void import_range(slot s, std::size_t tensor, std::int64_t first, std::span<const float> values,
                      void* weights, std::int64_t step) override {
        if (values.empty()) return;
        const std::int64_t begin = held(tensor).begin;
        auto* const own =
            weights == nullptr ? nullptr : static_cast<std::byte*>(weights) + begin * width(tensor);
        shard_->import_range(s, *piece_of_[tensor], first - begin, values, own, step);
    }

private:
    std::int64_t width(std::size_t tensor) const { return element_bytes(tensors().type(tensor)); }

    Sharded& optimizer_;
    std::unique_ptr<state_access> shard_;
    std::vector<std::optional<std::size_t>> piece_of_;
};

}  // namespace detail

template <class Policy, communicator Ranks, memory Memory>
std::unique_ptr<state_access> access_state(sharded<Policy, Ranks, Memory>& optimizer) {
    return std::make_unique<detail::sharded_state_access<sharded<Policy, Ranks, Memory>>>(optimizer);
}

}  // namespace adamant::inline v0
