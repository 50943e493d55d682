// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! flat_index: one number for every element of a list of tensors.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <adamant/base/error.hpp>

namespace adamant::inline v0 {

//! The offset of an element in list order, every tensor's start rounded up to 128. It does not depend on
//! buckets, ranks or chunks; groups of 32, norm blocks of 128 and random words are keyed to it.
class flat_index {
public:
    static constexpr std::int64_t alignment = 128;

    flat_index() = default;

    //! Throws shape_error for a negative size or more than 2^63 - 1 elements in all.
    explicit flat_index(std::span<const std::int64_t> sizes) {
        starts_.reserve(sizes.size() + 1);
        for (const std::int64_t size : sizes) {
            starts_.push_back(end_);
            if (size < 0 || size > std::numeric_limits<std::int64_t>::max() - alignment - end_)
                throw shape_error("[adamant] the sizes of all tensors add up to less than 2^63: tensor " +
                                  std::to_string(starts_.size() - 1) + " has " + std::to_string(size) +
                                  " elements.");
            end_ += (size + alignment - 1) / alignment * alignment;
        }
    }

    std::int64_t start(std::size_t tensor) const { return starts_[tensor]; }
    //! Elements in all, with the padding between tensors.
    std::int64_t size() const { return end_; }

private:
    std::vector<std::int64_t> starts_;
    std::int64_t end_ = 0;
};

}  // namespace adamant::inline v0
