// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! lane: the neighbours that one thread of a kernel holds in registers, and what the threads of a group of 32
//! find out about it together. Eight elements and accesses of 16 bytes where a chunk is whole and aligned (of
//! one-byte elements two lanes share an access), one element elsewhere.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include <adamant/cuda/tensor_table.hpp>
#include <adamant/numerics/codec.hpp>

namespace adamant::inline v0::cuda {

inline constexpr std::uint32_t all_threads_of_warp = 0xFFFFFFFFu;
inline constexpr int access_bytes = 16;

template <class T, int Size>
struct lane {
    T value[Size];
};
template <class T, int Size>
struct lane_pair {
    lane<T, Size> a, b;
};
//! Whether neighbouring lanes share an access of 16 bytes.
template <class T, int Size>
inline constexpr bool is_half_access = Size > 1 && sizeof(lane<T, Size>) < access_bytes;

//! The same bytes as memory is accessed: nvcc makes accesses of 16 bytes of words, of 8 of halves.
template <int Bytes>
struct [[gnu::may_alias]] alignas(16) access_words {
    std::uint32_t word[Bytes / 4];
};

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
        else if constexpr (is_half_access<T, Size>) return as_lane<T>(load_half(from));
        else return __builtin_bit_cast(loaded, *reinterpret_cast<const access_words<sizeof(loaded)>*>(from));
    }
    template <class T>
    __device__ void store(T* to, const lane<T, Size>& values) const {
        if constexpr (Size == 1) {
            if (is_inside) *to = values.value[0];
        } else if constexpr (is_half_access<T, Size>) {
            store_half(to, __builtin_bit_cast(half, values));
        } else {
            using access = access_words<sizeof values>;
            *reinterpret_cast<access*>(to) = __builtin_bit_cast(access, values);
        }
    }
    //! Of two streams of one-byte elements, of which a lane has half an access each. The even one of two
    //! lanes accesses `a` for both, the odd one `b`.
    template <class T>
    __device__ lane_pair<T, Size> load_both(const T* a, const T* b) const {
        const whole own = *reinterpret_cast<const whole*>(is_even() ? a : b - Size);
        const half lower{{own.word[0], own.word[1]}}, upper{{own.word[2], own.word[3]}};
        const half others = of_neighbour(is_even() ? upper : lower);
        return {as_lane<T>(is_even() ? lower : others), as_lane<T>(is_even() ? others : upper)};
    }
    template <class T>
    __device__ void store_both(T* a, T* b, const lane_pair<T, Size>& values) const {
        const half of_a = __builtin_bit_cast(half, values.a), of_b = __builtin_bit_cast(half, values.b);
        const half others = of_neighbour(is_even() ? of_b : of_a);
        *reinterpret_cast<whole*>(is_even() ? a : b - Size) =
            is_even() ? joined(of_a, others) : joined(others, of_b);
    }

    //! Of its first element in the group.
    __device__ int place_in_group() const { return first % group_size; }

private:
    using whole = access_words<access_bytes>;
    struct half {
        std::uint32_t word[2];
    };
    static __device__ whole joined(half lower, half upper) {
        return {lower.word[0], lower.word[1], upper.word[0], upper.word[1]};
    }
    template <class T>
    static __device__ lane<T, Size> as_lane(half bytes) {
        using result = lane<T, Size>;
        return __builtin_bit_cast(result, bytes);
    }

    static __device__ bool is_even() { return threadIdx.x % 2 == 0; }
    static __device__ half of_neighbour(half own) {
        return {{__shfl_xor_sync(all_threads_of_warp, own.word[0], 1),
                 __shfl_xor_sync(all_threads_of_warp, own.word[1], 1)}};
    }
    //! A stream of one-byte elements by itself: the even lane accesses it for both.
    static __device__ half load_half(const void* from) {
        whole both{};
        if (is_even()) both = *static_cast<const whole*>(from);
        const half upper = of_neighbour({{both.word[2], both.word[3]}});
        return is_even() ? half{{both.word[0], both.word[1]}} : upper;
    }
    static __device__ void store_half(void* to, half own) {
        const half upper = of_neighbour(own);
        if (is_even()) *static_cast<whole*>(to) = joined(own, upper);
    }
};

//! Whether whole lanes can be read and written there.
template <class T>
__device__ inline bool is_aligned(const T* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % access_bytes == 0;
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
