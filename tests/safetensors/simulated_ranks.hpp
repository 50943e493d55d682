// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Ranks in one process: each holds a range of the flat index of an optimizer's state.
#pragma once

#include <adamant/optimizer/state_access.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace checkpoints {

using namespace adamant;

class rank_access final : public state_access {
public:
    //! Rank r of n holds [r*N/n, (r+1)*N/n) of N, the end of the flat index rounded up to 128*n.
    rank_access(std::unique_ptr<state_access> whole, int rank, int ranks)
        : whole_(std::move(whole)), index_(whole_->tensors().sizes()) {
        const std::int64_t unit = flat_index::alignment;
        const std::int64_t share = (index_.size() + unit * ranks - 1) / (unit * ranks) * unit;
        begin_ = rank * share;
        end_ = begin_ + share;
    }

    policy_spec spec() const override { return whole_->spec(); }
    const tensor_registry& tensors() const override { return whole_->tensors(); }
    const hyperparameters& hyper() const override { return whole_->hyper(); }
    run_state run() const override { return whole_->run(); }
    void restore(const run_state& run) override { whole_->restore(run); }

    element_range held(std::size_t tensor) const override {
        const std::int64_t start = index_.start(tensor), size = tensors().sizes()[tensor];
        return {std::clamp<std::int64_t>(begin_ - start, 0, size),
                std::clamp<std::int64_t>(end_ - start, 0, size)};
    }
    stored_slot at(slot s, std::size_t tensor) override {
        stored_slot stored = whole_->at(s, tensor);
        const std::int64_t first = held(tensor).begin;
        if (stored.codes != nullptr)
            stored.codes = static_cast<char*>(stored.codes) + first * width(stored.kind);
        if (stored.scales != nullptr) stored.scales += first / 32;
        return stored;
    }
    void export_range(slot s, std::size_t tensor, std::int64_t first, std::span<float> values,
                      const void* weights) override {
        whole_->export_range(s, tensor, first, values, weights);
    }
    void import_range(slot s, std::size_t tensor, std::int64_t first, std::span<const float> values,
                      void* weights, std::int64_t step) override {
        whole_->import_range(s, tensor, first, values, weights, step);
    }

    static std::int64_t width(dtype kind) {
        if (kind == dtype::fp32) return 4;
        return kind == dtype::fp8 || kind == dtype::fp8_fine || kind == dtype::remainder8 ? 1 : 2;
    }

private:
    std::unique_ptr<state_access> whole_;
    flat_index index_;
    std::int64_t begin_, end_;
};

}  // namespace checkpoints
