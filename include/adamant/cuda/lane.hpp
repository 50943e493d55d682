// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! lane: the neighbours that one thread of a kernel holds in registers, and what the threads of a group of 32
//! find out about it together. Eight elements and accesses of 16 bytes where a chunk is whole and aligned,
//! one element elsewhere.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include <adamant/cuda/tensor_table.hpp>
#include <adamant/numerics/codec.hpp>

namespace adamant::inline v0::cuda {

inline constexpr std::uint32_t all_threads_of_warp = 0xFFFFFFFFu;

template <class T, int Size>
struct lane {
    T value[Size];
};

//! The same bytes as memory is accessed: nvcc makes accesses of 16 bytes of words, of 8 of halves.
template <int Bytes>
struct [[gnu::may_alias]] alignas(Bytes < 16 ? Bytes : 16) lane_words {
    std::uint32_t word[Bytes / 4];
};
template <class T, int Size>
using lane_access = lane_words<static_cast<int>(sizeof(T)) * Size>;

//! Where a thread is in a chunk: at Size elements, or, one by one, maybe beyond the end.
template <int Size>
struct lane_place {
    static constexpr int size = Size;

    int first;
    bool is_inside;

    template <class T>
    __device__ lane<T, Size> load(const T* from) const {
        using loaded = lane<T, Size>;
        if constexpr (Size == 1) return {is_inside ? *from : T{}};
        else return __builtin_bit_cast(loaded, *reinterpret_cast<const lane_access<T, Size>*>(from));
    }
    template <class T>
    __device__ void store(T* to, const lane<T, Size>& values) const {
        using access = lane_access<T, Size>;
        if constexpr (Size > 1) *reinterpret_cast<access*>(to) = __builtin_bit_cast(access, values);
        else if (is_inside) *to = values.value[0];
    }
    //! Of its first element in the group.
    __device__ int place_in_group() const { return first % group_size; }
};

//! Whether whole lanes can be read and written there.
template <class T>
__device__ inline bool is_aligned(const T* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % alignof(lane_access<T, lane_size>) == 0;
}

//! Calls f(lane_place) for the lanes of a chunk of `count` elements, in warps that are always whole.
//! `aligned`: the caller's pointers are; those of the state always are.
template <class F>
__device__ inline void for_each_lane(int count, bool aligned, F&& f) {
    const int thread = static_cast<int>(threadIdx.x);
    if (aligned && count == chunk_size) {
        f(lane_place<lane_size>{thread * lane_size, true});
    } else {
        const int warp_first = thread / group_size * group_size;
#pragma unroll 1
        for (int at = 0; at + warp_first < count; at += threads)
            f(lane_place<1>{at + thread, at + thread < count});
    }
}

//! The scale of a group from the values of its threads, known to all of them; 0 for a codec without.
template <class Codec, int Size>
__device__ inline std::uint8_t scale_of_group(const float (&values)[Size]) {
    if constexpr (Codec::has_scales) {
        std::uint32_t largest = 0;
#pragma unroll
        for (int i = 0; i < Size; ++i) largest = larger(largest, magnitude_word(values[i]));
#pragma unroll
        for (int distance = 1; distance < group_size / Size; distance *= 2)
            largest = larger(largest, __shfl_xor_sync(all_threads_of_warp, largest, distance));
        return Codec::scale(largest);
    } else {
        return 0;
    }
}

}  // namespace adamant::inline v0::cuda
