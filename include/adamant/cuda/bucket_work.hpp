// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bucket_work of a GPU: gradients added up, summed over ranks and copied in device memory, with the bits of
//! the CPU, but for the payloads of NaNs. Everything is enqueued on the memory's stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include <adamant/cuda/lane.hpp>
#include <adamant/train/bucket_work.hpp>

namespace adamant::inline v0 {

namespace cuda {

//! The lanes of this block's part of `count` elements, a chunk of them.
template <class F>
__device__ inline void for_each_lane_of_block(std::int64_t count, bool aligned, F&& f) {
    const std::int64_t begin = std::int64_t{blockIdx.x} * chunk_size;
    const auto here = static_cast<int>(smaller<std::int64_t>(chunk_size, count - begin));
    for_each_lane(here, aligned, [&](const auto& place) { f(begin, place); });
}

template <class Grad, class T>
__global__ void __launch_bounds__(threads) add_kernel(Grad* sum, const T* gradient, std::int64_t count) {
    for_each_lane_of_block(count, is_aligned(sum) && is_aligned(gradient),
                           [&]<int Size>(std::int64_t begin, const lane_place<Size>& place) {
                               lane<Grad, Size> values = place.load(sum + begin + place.first);
                               const lane<T, Size> summands = place.load(gradient + begin + place.first);
#pragma unroll
                               for (int i = 0; i < Size; ++i)
                                   values.value[i] = added(values.value[i], summands.value[i]);
                               place.store(sum + begin + place.first, values);
                           });
}

template <class Grad>
__global__ void __launch_bounds__(threads) sum_kernel(rank_gradients<Grad> all, rank_scale scale) {
    const bool are_aligned = is_aligned(all.own) && is_aligned(all.received) &&
                             all.count * static_cast<std::int64_t>(sizeof(Grad)) % access_bytes == 0;
    for_each_lane_of_block(all.count, are_aligned,
                           [&]<int Size>(std::int64_t begin, const lane_place<Size>& place) {
                               lane<Grad, Size> values = place.load(all[0] + begin + place.first);
                               double sums[Size];
#pragma unroll
                               for (int i = 0; i < Size; ++i) sums[i] = to_float(values.value[i]);
                               for (std::size_t r = 1; r < all.size(); ++r) {
                                   values = place.load(all[r] + begin + place.first);
#pragma unroll
                                   for (int i = 0; i < Size; ++i) sums[i] += to_float(values.value[i]);
                               }
#pragma unroll
                               for (int i = 0; i < Size; ++i)
                                   values.value[i] = adamant::detail::round_once<Grad>(scale(sums[i]));
                               place.store(all.own + begin + place.first, values);
                           });
}

using copied_half [[gnu::may_alias]] = std::uint16_t;

//! What one launch copies, by block of threads.
struct copy_table {
    static constexpr int capacity = 1000;

    void* to[capacity];
    const void* from[capacity];
    std::int32_t halves[capacity];  //!< so many times two bytes
};
template <int Threads>
__global__ void __launch_bounds__(Threads) copy_kernel(const __grid_constant__ copy_table table) {
    auto* const to = static_cast<copied_half*>(table.to[blockIdx.x]);
    const auto* const from = static_cast<const copied_half*>(table.from[blockIdx.x]);
    for (int i = static_cast<int>(threadIdx.x); i < table.halves[blockIdx.x]; i += Threads) to[i] = from[i];
}

}  // namespace cuda

template <>
class bucket_work<cuda::memory> {
public:
    explicit bucket_work(const executor&, cuda::memory memory = {}) : memory_(memory) {}

    const cuda::memory& memory() const { return memory_; }

    template <class Grad>
    void zero(std::span<Grad> values) {
        if (!values.empty()) memory_.fill_zero(values.data(), values.size_bytes());
    }
    template <class Grad, class T>
    void add(std::span<Grad> sum, std::span<T> gradient, std::size_t tensor) {
        require_gradient_size(gradient.size(), sum.size(), tensor);
        const auto count = static_cast<std::int64_t>(sum.size());
        launch("add_kernel", blocks_of(count), cuda::add_kernel<Grad, std::remove_const_t<T>>, sum.data(),
               gradient.data(), count);
    }
    template <class Grad>
    void sum(const rank_gradients<Grad>& all, reduction how) {
        launch("sum_kernel", blocks_of(all.count), cuda::sum_kernel<Grad>, all, rank_scale(all.size(), how));
    }
    //! Of elements of 2 or 4 bytes, less than 2^32 bytes a piece.
    void copy(std::span<const byte_copy> copies) {
        if (copies.empty()) return;
        const auto table = std::make_unique_for_overwrite<cuda::copy_table>();
        constexpr std::size_t capacity = cuda::copy_table::capacity;
        for (; !copies.empty(); copies = copies.subspan(std::min(capacity, copies.size()))) {
            const auto now = copies.first(std::min(capacity, copies.size()));
            for (std::size_t i = 0; i < now.size(); ++i) {
                table->to[i] = now[i].to;
                table->from[i] = now[i].from;
                table->halves[i] = static_cast<std::int32_t>(now[i].bytes / 2);
            }
            launch("copy_kernel", std::ssize(now), cuda::copy_kernel<cuda::threads>, *table);
        }
    }
    template <class Ranks>
    void before_exchange(Ranks& ranks) {
        if constexpr (requires { ranks.follow(memory_.stream()); }) ranks.follow(memory_.stream());
        else memory_.wait();
    }
    void wait() { memory_.wait(); }

private:
    static std::int64_t blocks_of(std::int64_t count) {
        return (count + cuda::chunk_size - 1) / cuda::chunk_size;
    }
    template <class... Parameters, class... Arguments>
    void launch(const char* name, std::int64_t blocks, void (*kernel)(Parameters...),
                const Arguments&... arguments) {
        if (blocks > 0)
            cuda::check(cuda::launch_on(memory_.stream(), blocks, cuda::threads, kernel, arguments...),
                        "cudaLaunchKernelEx of " + std::string(name));
    }

    cuda::memory memory_;
};

}  // namespace adamant::inline v0
