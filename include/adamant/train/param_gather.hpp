// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! param_gather: every rank's part of the parameters on every rank, in the parameters' own dtypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <adamant/state/tensor.hpp>
#include <adamant/train/bucket_plan.hpp>
#include <adamant/train/communicator.hpp>

namespace adamant::inline v0 {

//! Large pieces travel from tensor to tensor, the small ones of a rank in one message.
class param_gather {
public:
    //! `types`: the dtypes of the parameters.
    param_gather(const bucket_plan& plan, std::span<const dtype> types, int rank)
        : rank_(rank), widths_(widths_of(types)) {
        std::int64_t staged = 0;
        for (int r = 0; r < plan.ranks(); ++r) {
            shard& s = shards_.emplace_back();
            s.staged_start = staged;
            for (const tensor_piece& piece : plan.pieces(r)) {
                (bytes(piece) >= direct_bytes ? s.direct : s.staged).push_back(piece);
                if (bytes(piece) < direct_bytes) s.staged_bytes += bytes(piece);
            }
            staged += s.staged_bytes;
        }
        if (plan.ranks() == 1) staged = 0;
        staging_bytes_ = static_cast<std::size_t>(staged);
        staging_ = std::make_unique<std::byte[]>(staging_bytes_);
    }
    param_gather(param_gather&&) noexcept = default;
    param_gather& operator=(param_gather&&) = delete;  // as shared_buckets
    ~param_gather() {
        if (is_exchanging_) static_cast<void>(staging_.release());  // as shared_buckets
    }

    std::size_t transfer_bytes() const { return staging_bytes_; }

    //! Overwrites what other ranks own.
    template <communicator Ranks>
    void run(Ranks& ranks, std::span<const tensor_view> params) {
        if (shards_.size() == 1) return;
        const shard& own = shards_[static_cast<std::size_t>(rank_)];
        copy_staged(
            own,
            [&](std::byte* staged, std::byte* tensor, std::size_t size) {
                std::memcpy(staged, tensor, size);
            },
            params);
        out_.clear();
        in_.clear();
        for (int r = 0; r < static_cast<int>(shards_.size()); ++r) {
            if (r == rank_) continue;
            for_each_message(own, params, [&](void* data, std::int64_t size) {
                out_.push_back({r, data, size});
            });
            for_each_message(shards_[static_cast<std::size_t>(r)], params,
                             [&](void* data, std::int64_t size) {
                                 in_.push_back({r, data, size});
                             });
        }
        is_exchanging_ = true;
        auto request = ranks.exchange(out_, in_);
        ranks.wait(request);
        is_exchanging_ = false;
        for (const shard& s : shards_)
            if (&s != &own)
                copy_staged(
                    s,
                    [&](std::byte* staged, std::byte* tensor, std::size_t size) {
                        std::memcpy(tensor, staged, size);
                    },
                    params);
    }

private:
    static constexpr std::int64_t direct_bytes = std::int64_t{32} * 1024;

    struct shard {
        std::vector<tensor_piece> direct, staged;
        std::int64_t staged_start = 0, staged_bytes = 0;
    };

    static std::vector<std::int64_t> widths_of(std::span<const dtype> types) {
        std::vector<std::int64_t> widths;
        for (const dtype type : types) widths.push_back(element_bytes(type));
        return widths;
    }
    std::int64_t bytes(const tensor_piece& piece) const {
        return (piece.end - piece.begin) * widths_[piece.tensor];
    }
    std::byte* at(const tensor_piece& piece, std::span<const tensor_view> params) const {
        return static_cast<std::byte*>(params[piece.tensor].data) + piece.begin * widths_[piece.tensor];
    }

    template <class F>
    void copy_staged(const shard& s, F&& copy, std::span<const tensor_view> params) {
        std::byte* staged = staging_.get() + s.staged_start;
        for (const tensor_piece& piece : s.staged) {
            copy(staged, at(piece, params), static_cast<std::size_t>(bytes(piece)));
            staged += bytes(piece);
        }
    }
    template <class F>
    void for_each_message(const shard& s, std::span<const tensor_view> params, F&& f) {
        if (s.staged_bytes > 0) f(staging_.get() + s.staged_start, s.staged_bytes);
        for (const tensor_piece& piece : s.direct) f(at(piece, params), bytes(piece));
    }

    int rank_;
    std::vector<std::int64_t> widths_;  // of an element, by tensor
    std::vector<shard> shards_;         // by rank
    std::size_t staging_bytes_ = 0;
    std::unique_ptr<std::byte[]> staging_;  // the small pieces of all ranks
    bool is_exchanging_ = false;
    std::vector<outgoing> out_;
    std::vector<incoming> in_;
};

}  // namespace adamant::inline v0
