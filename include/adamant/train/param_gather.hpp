// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! param_gather: every rank's part of the parameters on every rank, in the parameters' own dtypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <adamant/state/tensor.hpp>
#include <adamant/train/bucket_plan.hpp>
#include <adamant/train/bucket_work.hpp>
#include <adamant/train/communicator.hpp>

namespace adamant::inline v0 {

//! Large pieces travel from tensor to tensor, the small ones of a rank in one message.
template <memory Memory = host_memory>
class param_gather {
public:
    //! `types`: the dtypes of the parameters.
    param_gather(const bucket_plan& plan, std::span<const dtype> types, int rank, bucket_work<Memory> work)
        : rank_(rank), work_(std::move(work)), widths_(widths_of(types)) {
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
        staging_ = std::make_unique<staging>(static_cast<std::size_t>(staged), work_.memory());
    }
    param_gather(param_gather&&) noexcept = default;
    param_gather& operator=(param_gather&&) = delete;  // as shared_buckets
    ~param_gather() {
        if (is_exchanging_) static_cast<void>(staging_.release());  // as shared_buckets
    }

    std::size_t transfer_bytes() const { return staging_->bytes(); }

    //! Overwrites what other ranks own.
    template <communicator Ranks>
    void run(Ranks& ranks, std::span<const tensor_view> params) {
        if (shards_.size() == 1) return;
        const shard& own = shards_[static_cast<std::size_t>(rank_)];
        copies_.clear();
        for_each_staged(own, params, [&](std::byte* staged, std::byte* tensor, std::int64_t size) {
            copies_.push_back({staged, tensor, size});
        });
        work_.copy(copies_);
        work_.before_exchange(ranks);
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
        copies_.clear();
        for (const shard& s : shards_)
            if (&s != &own)
                for_each_staged(s, params, [&](std::byte* staged, std::byte* tensor, std::int64_t size) {
                    copies_.push_back({tensor, staged, size});
                });
        work_.copy(copies_);
        work_.wait();
    }

private:
    static constexpr std::int64_t direct_bytes = std::int64_t{32} * 1024;
    using staging = buffer<std::byte, Memory>;

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
    void for_each_staged(const shard& s, std::span<const tensor_view> params, F&& f) {
        std::byte* staged = staging_->data() + s.staged_start;
        for (const tensor_piece& piece : s.staged) {
            f(staged, at(piece, params), bytes(piece));
            staged += bytes(piece);
        }
    }
    template <class F>
    void for_each_message(const shard& s, std::span<const tensor_view> params, F&& f) {
        if (s.staged_bytes > 0) f(staging_->data() + s.staged_start, s.staged_bytes);
        for (const tensor_piece& piece : s.direct) f(at(piece, params), bytes(piece));
    }

    int rank_;
    bucket_work<Memory> work_;
    std::vector<std::int64_t> widths_;  // of an element, by tensor
    std::vector<shard> shards_;         // by rank
    std::unique_ptr<staging> staging_;  // the small pieces of all ranks
    bool is_exchanging_ = false;
    std::vector<byte_copy> copies_;
    std::vector<outgoing> out_;
    std::vector<incoming> in_;
};

}  // namespace adamant::inline v0
