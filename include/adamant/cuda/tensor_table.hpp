// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! tensor_table: what a launch knows of its tensors. Pointers may change between steps and go with the
//! launch, by value; the rest never changes and lies on the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <adamant/cuda/memory.hpp>
#include <adamant/optimizer/tensor_registry.hpp>

namespace adamant::inline v0::cuda {

//! A thread handles so many neighbours, four threads a group of 32, a block of threads a chunk. (A loop over
//! chunks in the kernel costs registers, and more blocks cost nothing.)
inline constexpr int lane_size = 8;
inline constexpr int threads = 256;
inline constexpr int chunk_size = threads * lane_size;

//! Elements [begin, begin + count) of a tensor; begin is a multiple of chunk_size, count at most chunk_size.
struct chunk {
    std::int64_t begin;
    std::int32_t count;
    std::int32_t slot;  //!< of the tensor in its launch
};

//! What stays of a tensor.
struct tensor_entry {
    std::int64_t moment_start;  //!< where its moments are in their buffers
    std::int64_t master_start;
    std::int64_t flat_start;  //!< to which its noise is keyed
    std::int32_t group;
    bool in_norm;
};

//! The tensors of a launch: pointers of parameters and gradients by slot.
struct tensor_table {
    static constexpr int capacity = 1000;

    void* params[capacity];
    const void* grads[capacity];
};

//! Tensors that are launched together, all of one parameter dtype.
struct launch {
    std::vector<std::size_t> tensors;  //!< by slot
    std::size_t first_entry;           //!< of tensors.size() entries on the device
    std::size_t first_chunk;
    std::size_t chunks;
    bool is_fp32;  //!< in a lower mode: the parameters are their own masters
};

//! The launches of a step, with their chunks and entries.
class launch_plan {
public:
    //! `fp32_apart`: whether parameters that are fp32 need launches of their own.
    template <class TensorState>
    launch_plan(const TensorState& state, bool fp32_apart) {
        const tensor_registry& tensors = state.tensors();
        for (const bool is_fp32 : {false, true}) {
            bool is_open = false;
            for (std::size_t t = 0; t < tensors.size(); ++t) {
                const bool belongs = (fp32_apart && tensors.type(t) == dtype::fp32) == is_fp32;
                if (!belongs || tensors.sizes()[t] == 0) continue;
                if (!is_open || launches_.back().tensors.size() == tensor_table::capacity)
                    launches_.push_back({{}, entries_.size(), chunks_.size(), 0, is_fp32});
                is_open = true;
                launch& current = launches_.back();
                cut(tensors.sizes()[t], static_cast<std::int32_t>(current.tensors.size()));
                current.chunks = chunks_.size() - current.first_chunk;
                current.tensors.push_back(t);
                entries_.push_back({state.storage().index().start(t), state.storage().masters().start(t),
                                    state.start(t), static_cast<std::int32_t>(tensors.group_of(t)),
                                    tensors.in_norm(t)});
            }
        }
    }

    std::span<const launch> launches() const { return launches_; }
    std::span<const chunk> chunks() const { return chunks_; }
    std::span<const tensor_entry> entries() const { return entries_; }

private:
    void cut(std::int64_t size, std::int32_t slot) {
        for (std::int64_t begin = 0; begin < size; begin += chunk_size)
            chunks_.push_back(
                {begin, static_cast<std::int32_t>(std::min<std::int64_t>(chunk_size, size - begin)), slot});
    }

    std::vector<launch> launches_;
    std::vector<chunk> chunks_;
    std::vector<tensor_entry> entries_;
};

}  // namespace adamant::inline v0::cuda
