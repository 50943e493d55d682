// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! start_kernel: masters that say what the weights say.
#pragma once

#include <adamant/cuda/update_kernel.hpp>

namespace adamant::inline v0::cuda {

//! One block of threads per chunk; `seed` and `step` are of the noise.
template <class Weight>
__global__ void __launch_bounds__(threads)
    start_kernel(const __grid_constant__ tensor_table table, const chunk* chunks, const tensor_entry* entries,
                 coded<typename Weight::master> masters, std::uint64_t seed, std::uint64_t step) {
    const chunk c = chunks[blockIdx.x];
    const tensor_entry entry = entries[c.slot];
    const auto* weights = static_cast<const typename Weight::weight*>(table.params[c.slot]) + c.begin;
    for_each_lane(c.count, is_aligned(weights), [&]<int Size>(const lane_place<Size>& place) {
        const std::int64_t first = entry.master_start + c.begin + place.first;
        const auto w = place.load(weights + place.first);
        float values[Size];
#pragma unroll
        for (int i = 0; i < Size; ++i) values[i] = to_float(w.value[i]);
        const std::uint8_t scale = scale_of_group<Weight>(values);
        detail::write_scale<Weight>(masters, first, place, scale);
        const detail::lane_noise<slot::main_params> noise{
            noise_of(seed, entry.flat_start + c.begin + place.first, step), place.place_in_group()};
        lane<typename Weight::master, Size> m;
#pragma unroll
        for (int i = 0; i < Size; ++i) m.value[i] = Weight::master_of(values[i], scale, noise(i));
        place.store(masters.codes + first, m);
    });
}

}  // namespace adamant::inline v0::cuda
