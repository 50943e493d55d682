// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bucket_plan: where gradients lie in buckets that ranks reduce and share, and what each rank owns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <adamant/state/flat_index.hpp>

namespace adamant::inline v0 {

//! Elements [begin, end) of a tensor, which lie at `place` in the buckets. `begin` and `place` are multiples
//! of 128.
struct tensor_piece {
    std::size_t tensor;
    std::int64_t begin;
    std::int64_t end;
    std::int64_t place;
};

//! Megatron-Core's buckets: tensors in reverse order, as a backward pass completes them; a bucket is closed
//! when it has reached bucket_size. Here a tensor starts at a multiple of 128 and a bucket ends at one of 128
//! * ranks, so that no shard cuts a group of 32 or a block of the norm. Rank r of R owns the r-th of R equal
//! parts of every bucket.
class bucket_plan {
public:
    struct bucket {
        std::int64_t start;
        std::int64_t size;
        std::int64_t tensors;  //!< with elements
    };

    //! bucket_size in elements; 0: max(40e6, 1e6 * ranks). Throws config_error for a negative one,
    //! shape_error for sizes that are not a model's.
    bucket_plan(std::span<const std::int64_t> sizes, int ranks, std::int64_t bucket_size = 0)
        : sizes_(sizes.begin(), sizes.end()),
          index_(sizes),
          ranks_(ranks),
          places_(sizes.size()),
          bucket_of_(sizes.size()) {
        if (bucket_size < 0)
            throw config_error("[adamant] bucket_size is a number of elements, or 0 for the default: got " +
                               std::to_string(bucket_size) + ".");
        if (bucket_size == 0)
            bucket_size = std::max<std::int64_t>(40'000'000, std::int64_t{1'000'000} * ranks);
        require_room();
        bucket open{0, 0, 0};
        for (std::size_t tensor = sizes.size(); tensor-- > 0;) {
            bucket_of_[tensor] = buckets_.size();
            places_[tensor] = open.start + open.size;
            open.size += rounded_up(sizes[tensor], flat_index::alignment);
            open.tensors += sizes[tensor] > 0;
            if (open.size >= bucket_size) open = close(open);
        }
        if (open.size > 0) open = close(open);
        size_ = open.start;
    }

    int ranks() const { return ranks_; }
    std::size_t tensor_count() const { return sizes_.size(); }
    std::int64_t tensor_size(std::size_t tensor) const { return sizes_[tensor]; }
    const std::vector<bucket>& buckets() const { return buckets_; }
    //! Elements of all buckets, with the padding.
    std::int64_t size() const { return size_; }
    //! Where a tensor starts.
    std::int64_t place(std::size_t tensor) const { return places_[tensor]; }
    //! The bucket of a tensor that has elements.
    std::size_t bucket_of(std::size_t tensor) const { return bucket_of_[tensor]; }
    //! Elements of every rank's part of a bucket, and where one starts.
    std::int64_t shard_size(std::size_t number) const { return buckets_[number].size / ranks_; }
    std::int64_t shard_start(std::size_t number, int rank) const {
        return buckets_[number].start + rank * shard_size(number);
    }
    //! The flat index of a tensor's first element: that of the list, whatever the buckets.
    std::int64_t flat_start(std::size_t tensor) const { return index_.start(tensor); }

    //! What a rank owns, in the order of places. Tensors and parts of tensors; nothing, if there is less than
    //! 128 elements for every rank.
    std::vector<tensor_piece> pieces(int rank) const {
        std::vector<tensor_piece> result;
        for (std::size_t tensor = sizes_.size(); tensor-- > 0;) {
            if (sizes_[tensor] == 0) continue;
            const std::size_t b = bucket_of_[tensor];
            const std::int64_t start = shard_start(b, rank), place = places_[tensor];
            const std::int64_t begin = std::max(start, place) - place,
                               end = std::min(start + shard_size(b) - place, sizes_[tensor]);
            if (begin < end) result.push_back({tensor, begin, end, place + begin});
        }
        return result;
    }

private:
    static std::int64_t rounded_up(std::int64_t size, std::int64_t unit) {
        return (size + unit - 1) / unit * unit;
    }
    bucket close(bucket open) {
        open.size = rounded_up(open.size, flat_index::alignment * ranks_);
        buckets_.push_back(open);
        return {open.start + open.size, 0, 0};
    }
    //! Each bucket, of which there are no more than tensors, may end in padding.
    void require_room() const {
        const auto padding =
            static_cast<double>(flat_index::alignment) * ranks_ * static_cast<double>(sizes_.size());
        if (static_cast<double>(index_.size()) + padding > 0x1p62)
            throw shape_error("[adamant] buckets with their padding have less than 2^62 elements: got " +
                              std::to_string(index_.size()) + " for " + std::to_string(ranks_) + " ranks.");
    }

    std::vector<std::int64_t> sizes_;
    flat_index index_;
    int ranks_;
    std::vector<std::int64_t> places_;
    std::vector<std::size_t> bucket_of_;
    std::vector<bucket> buckets_;
    std::int64_t size_ = 0;
};

}  // namespace adamant::inline v0
