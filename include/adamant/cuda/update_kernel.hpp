// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! update_kernel: Adam's update of many tensors in one launch, one pass over all of their streams. The
//! arithmetic is step/adam_math.hpp's, the formats are the codecs': the bits are the CPU's.
#pragma once

#include <concepts>

#include <adamant/cuda/lane.hpp>
#include <adamant/step/step_scalar.hpp>
#include <adamant/train/step_decision.hpp>

namespace adamant::inline v0::cuda {

//! The state of all tensors and what a step has been decided to do, on the device.
template <class Weight, class ExpAvg, class ExpAvgSq>
struct update_state {
    const chunk* chunks;  //!< of this launch, as are the entries
    const tensor_entry* entries;
    coded<typename Weight::master> masters;
    coded<typename ExpAvg::stored> exp_avg;
    coded<typename ExpAvgSq::stored> exp_avg_sq;
    const step_status* status;        //!< the step is applied or leaves everything as it is
    const step_constants* constants;  //!< of this step, by group
    step_constants lasting;           //!< betas and seed, which no step changes
};

namespace detail {

//! The constants of a step. What lasts is an operand from the launch's parameters and takes no register.
__device__ inline step_constants merged(step_constants lasting, const step_constants& of_step) {
    lasting.grad_factor = of_step.grad_factor;
    lasting.exp_avg_factor = of_step.exp_avg_factor;
    lasting.eps = of_step.eps;
    lasting.lr = of_step.lr;
    lasting.weight_decay = of_step.weight_decay;
    lasting.update_bound = of_step.update_bound;
    lasting.step = of_step.step;
    return lasting;
}

template <class Codec, class Code, class Place>
__device__ inline std::uint8_t read_scale(coded<Code> v, std::int64_t first, const Place& place) {
    if constexpr (Codec::has_scales) return place.is_inside ? v.scales[first / group_size] : std::uint8_t{0};
    else return 0;
}
//! The first thread of a group writes for all.
template <class Codec, class Code, class Place>
__device__ inline void write_scale(coded<Code> v, std::int64_t first, const Place& place,
                                   std::uint8_t scale) {
    if constexpr (Codec::has_scales)
        if (place.is_inside && place.place_in_group() == 0) v.scales[first / group_size] = scale;
}

template <class Codec, class Code, class Place>
__device__ inline void decode_moment(coded<Code> v, std::int64_t first, const Place& place,
                                     const lane<Code, Place::size>& codes, float (&values)[Place::size]) {
    const std::uint8_t scale = read_scale<Codec>(v, first, place);
#pragma unroll
    for (int i = 0; i < Place::size; ++i) values[i] = Codec::decode(codes.value[i], scale);
}
template <class M, class V, class Place>
concept share_accesses = std::same_as<M, V> && is_half_access<M, Place::size>;

template <class ExpAvg, class ExpAvgSq, class M, class V, class Place>
__device__ inline void load_moments(coded<M> exp_avg, coded<V> exp_avg_sq, std::int64_t first,
                                    const Place& place, float (&m)[Place::size], float (&v)[Place::size]) {
    if constexpr (share_accesses<M, V, Place>) {
        const auto codes = place.load_both(exp_avg.codes + first, exp_avg_sq.codes + first);
        decode_moment<ExpAvg>(exp_avg, first, place, codes.a, m);
        decode_moment<ExpAvgSq>(exp_avg_sq, first, place, codes.b, v);
    } else {
        decode_moment<ExpAvg>(exp_avg, first, place, place.load(exp_avg.codes + first), m);
        decode_moment<ExpAvgSq>(exp_avg_sq, first, place, place.load(exp_avg_sq.codes + first), v);
    }
}

template <class Codec, class Code, class Place, class Noise>
__device__ inline lane<Code, Place::size> encode_moment(coded<Code> v, std::int64_t first, const Place& place,
                                                        const float (&values)[Place::size],
                                                        const Noise& noise) {
    const std::uint8_t scale = scale_of_group<Codec>(values);
    write_scale<Codec>(v, first, place, scale);
    lane<Code, Place::size> codes;
#pragma unroll
    for (int i = 0; i < Place::size; ++i) codes.value[i] = Codec::encode(values[i], scale, noise(i));
    return codes;
}
template <class ExpAvg, class ExpAvgSq, class M, class V, class Place, class NoiseM, class NoiseV>
__device__ inline void store_moments(coded<M> exp_avg, coded<V> exp_avg_sq, std::int64_t first,
                                     const Place& place, const float (&m)[Place::size],
                                     const float (&v)[Place::size], const NoiseM& noise_m,
                                     const NoiseV& noise_v) {
    const auto m_codes = encode_moment<ExpAvg>(exp_avg, first, place, m, noise_m);
    if constexpr (share_accesses<M, V, Place>) {
        const auto v_codes = encode_moment<ExpAvgSq>(exp_avg_sq, first, place, v, noise_v);
        place.store_both(exp_avg.codes + first, exp_avg_sq.codes + first, {m_codes, v_codes});
    } else {
        place.store(exp_avg.codes + first, m_codes);
        place.store(exp_avg_sq.codes + first, encode_moment<ExpAvgSq>(exp_avg_sq, first, place, v, noise_v));
    }
}

template <class Codec, class Weight, class Master, class Place>
__device__ inline void load_weights(const Weight* weights, coded<Master> masters, std::int64_t first,
                                    const Place& place, float (&values)[Place::size]) {
    const std::uint8_t scale = read_scale<Codec>(masters, first, place);
    const auto w = place.load(weights + place.first);
    lane<Master, Place::size> m{};
    if constexpr (Codec::has_master) m = place.load(masters.codes + first);
#pragma unroll
    for (int i = 0; i < Place::size; ++i) values[i] = Codec::decode(w.value[i], m.value[i], scale);
}

template <class Codec, class Weight, class Master, class Place, class Noise>
__device__ inline void store_weights(Weight* weights, coded<Master> masters, std::int64_t first,
                                     const Place& place, const float (&values)[Place::size],
                                     const Noise& noise) {
    const std::uint8_t scale = scale_of_group<Codec>(values);
    write_scale<Codec>(masters, first, place, scale);
    lane<Weight, Place::size> w;
    lane<Master, Place::size> m{};
#pragma unroll
    for (int i = 0; i < Place::size; ++i) {
        const auto encoded = Codec::encode(values[i], scale, noise(i));
        w.value[i] = encoded.weight;
        if constexpr (Codec::has_master) m.value[i] = encoded.master;
    }
    place.store(weights + place.first, w);
    if constexpr (Codec::has_master) place.store(masters.codes + first, m);
}

//! The words of a lane's elements, of the noise of their group.
template <slot S>
struct lane_noise {
    group_noise noise;
    int first;  //!< place of the lane in its group
    __device__ std::uint32_t operator()(int i) const { return noise_for<S>{noise}(first + i); }
};

}  // namespace detail

//! One block of threads per chunk; 64 registers, so that four blocks share a multiprocessor.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
__global__ void __launch_bounds__(threads, 4)
    update_kernel(const __grid_constant__ tensor_table table,
                  const __grid_constant__ update_state<Weight, ExpAvg, ExpAvgSq> s) {
    constexpr bool noisy = is_noisy<Weight, ExpAvg, ExpAvgSq>;
    if (*s.status != step_status::applied) return;
    const chunk c = s.chunks[blockIdx.x];
    const tensor_entry entry = s.entries[c.slot];
    const step_constants constants = detail::merged(s.lasting, s.constants[entry.group]);
    auto* weights = static_cast<typename Weight::weight*>(table.params[c.slot]) + c.begin;
    const auto* grads = static_cast<const Grad*>(table.grads[c.slot]) + c.begin;
    const std::int64_t moment_start = entry.moment_start + c.begin,
                       master_start = entry.master_start + c.begin;

    for_each_lane(
        c.count, is_aligned(weights) && is_aligned(grads), [&]<int Size>(const lane_place<Size>& place) {
            const std::int64_t moment = moment_start + place.first, master = master_start + place.first;
            float p[Size], m[Size], v[Size];
            detail::load_moments<ExpAvg, ExpAvgSq>(s.exp_avg, s.exp_avg_sq, moment, place, m, v);
            const auto g = place.load(grads + place.first);
            detail::load_weights<Weight>(weights, s.masters, master, place, p);
#pragma unroll
            for (int i = 0; i < Size; ++i)
                adam_update<is_bounded<ExpAvg, ExpAvgSq>>(constants, main_grad<MainGrad>(g.value[i]), p[i],
                                                          m[i], v[i]);
            const auto store = [&](const auto& of_weight, const auto& of_exp_avg, const auto& of_exp_avg_sq) {
                detail::store_moments<ExpAvg, ExpAvgSq>(s.exp_avg, s.exp_avg_sq, moment, place, m, v,
                                                        of_exp_avg, of_exp_avg_sq);
                detail::store_weights<Weight>(weights, s.masters, master, place, p, of_weight);
            };
            if constexpr (noisy) {
                const group_noise noise =
                    noise_of(constants.seed, entry.flat_start + c.begin + place.first, constants.step);
                const int first = place.place_in_group();
                store(detail::lane_noise<slot::main_params>{noise, first},
                      detail::lane_noise<slot::exp_avg>{noise, first},
                      detail::lane_noise<slot::exp_avg_sq>{noise, first});
            } else {
                store(no_noise{}, no_noise{}, no_noise{});
            }
        });
}

}  // namespace adamant::inline v0::cuda
