// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! telemetry: what the next step would lose to low precision, counted on copies in registers. A pass of its
//! own, instantiated where it is called and as slow as it has to be: step() does not pay for it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

#include <adamant/optimizer/adam.hpp>

namespace adamant::inline v0 {

//! Counts of elements. A share of nothing is 0.
struct step_counts {
    std::int64_t elements = 0;
    std::int64_t updated = 0;  //!< the update is not zero in fp32
    std::int64_t lost = 0;     //!< of these, the parameter with its master is stored as it was before
    std::int64_t cut = 0;      //!< the update is held to its bound (step/adam_math.hpp)
    //! By slot, where its kind has group scales: not zero, and stored on the smallest code of its group or,
    //! in a signed kind, below it as zero.
    std::array<std::int64_t, all_slots.size()> on_smallest_code{};

    std::int64_t smallest(slot s) const { return on_smallest_code[static_cast<std::size_t>(s)]; }

    double lost_share() const { return share(lost, updated); }
    double cut_share() const { return share(cut, elements); }
    double smallest_share(slot s) const { return share(smallest(s), elements); }

    void add(const step_counts& other) {
        elements += other.elements;
        updated += other.updated;
        lost += other.lost;
        cut += other.cut;
        for (std::size_t s = 0; s < on_smallest_code.size(); ++s)
            on_smallest_code[s] += other.on_smallest_code[s];
    }

    friend bool operator==(const step_counts&, const step_counts&) = default;

private:
    static double share(std::int64_t part, std::int64_t whole) {
        return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    }
};

//! What the next step would do. Where it would be skipped, only elements are counted.
struct step_telemetry {
    step_status status = step_status::applied;
    step_counts total{};
    std::vector<step_counts> tensors{};  //!< in list order
};

namespace detail {

//! A group stored beside the state.
template <class Codec>
struct stored_group {
    using code = std::conditional_t<std::is_void_v<typename Codec::stored>, char, typename Codec::stored>;
    code codes[group_size]{};
    std::uint8_t scale = 0;

    coded<code> view() { return {codes, &scale}; }

    //! Those of `count` values, zeros not counted, that are on the smallest code or below it.
    template <slot S>
    std::int64_t on_smallest_code(const float* values, int count) const {
        std::int64_t found = 0;
        if constexpr (Codec::has_scales) {
            constexpr int largest = std::numeric_limits<code>::max();
            constexpr int magnitude_bits = S == slot::exp_avg_sq ? largest : largest >> 1;
            for (int i = 0; i < count; ++i) found += values[i] != 0 && (codes[i] & magnitude_bits) <= 1;
        }
        return found;
    }
};
template <class Codec>
struct stored_weights {
    typename Codec::weight weights[group_size]{};
    stored_group<Codec> masters{};

    typename Codec::view view() { return {weights, masters.view()}; }
};

//! What a step makes of elements [begin, end) of a tensor; begin is a multiple of group_size.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void count_chunk(const step_streams<Weight, Grad, ExpAvg, ExpAvgSq>& s, std::int64_t begin, std::int64_t end,
                 const step_constants& c, step_counts& counts) {
    constexpr bool bounded = is_bounded<ExpAvg, ExpAvgSq>;
    for (std::int64_t first = begin; first < end; first += group_size) {
        const int count = static_cast<int>(std::min<std::int64_t>(group_size, end - first));
        float before[group_size], p[group_size], m[group_size], v[group_size];
        bool is_updated[group_size];
        Weight::load(s.weights, first, count, before);
        ExpAvg::load(s.exp_avg, first, count, m);
        ExpAvgSq::load(s.exp_avg_sq, first, count, v);
        for (int i = 0; i < count; ++i) {
            p[i] = before[i];
            update_moments(c, main_grad<MainGrad>(s.grads[first + i]), p[i], m[i], v[i]);
            const float u = moment_ratio(c, m[i], v[i]);
            const float direction = update_direction<bounded>(c, u, p[i]);
            p[i] = __builtin_fmaf(-c.lr, direction, p[i]);
            is_updated[i] = c.lr != 0 && direction != 0;
            if constexpr (bounded) counts.cut += std::abs(u) > c.update_bound;
        }

        stored_weights<Weight> weights;
        stored_group<ExpAvg> exp_avg;
        stored_group<ExpAvgSq> exp_avg_sq;
        const group_noise noise = noise_of(c.seed, s.flat_start + first, c.step);
        Weight::store(weights.view(), 0, count, p, noise_for<slot::main_params>{noise});
        ExpAvg::store(exp_avg.view(), 0, count, m, noise_for<slot::exp_avg>{noise});
        ExpAvgSq::store(exp_avg_sq.view(), 0, count, v, noise_for<slot::exp_avg_sq>{noise});
        float after[group_size];
        Weight::load(weights.view(), 0, count, after);

        counts.elements += count;
        for (int i = 0; i < count; ++i) {
            counts.updated += is_updated[i];
            counts.lost += is_updated[i] && to_bits(after[i]) == to_bits(before[i]);
        }
        counts.on_smallest_code[0] += weights.masters.template on_smallest_code<slot::main_params>(p, count);
        counts.on_smallest_code[1] += exp_avg.template on_smallest_code<slot::exp_avg>(m, count);
        counts.on_smallest_code[2] += exp_avg_sq.template on_smallest_code<slot::exp_avg_sq>(v, count);
    }
}

class telemetry_reader {
public:
    template <class Resolved, memory Memory, class Params, class Grads>
    static step_telemetry read(const basic_adam<Resolved, Memory>& optimizer, const Params& params,
                               const Grads& grads, const step_options& options) {
        using optimizer_type = basic_adam<Resolved, Memory>;
        const tensor_registry& tensors = optimizer.tensors();
        std::vector<tensor_view> weights, gradients;
        tensors.take(params, weights, "parameters", [&](std::size_t i) { return tensors.type(i); });
        tensors.take(grads, gradients, "gradients",
                     [](std::size_t) { return dtype_of<typename optimizer_type::grad_t>; });
        const default_float_environment environment;
        const auto plan = optimizer.plan_step(options, weights, gradients, std::identity{});

        step_telemetry result{.status = plan.result.status};
        for (const std::int64_t size : tensors.sizes()) result.tensors.push_back({.elements = size});
        if (plan.result.status == step_status::applied)
            count(const_cast<optimizer_type&>(optimizer), plan, weights, gradients, result.tensors);
        for (const step_counts& counts : result.tensors) result.total.add(counts);
        return result;
    }

private:
    //! The optimizer's streams can be written, as codecs have one view for both; here they are only read.
    template <class Optimizer, class Plan>
    static void count(Optimizer& optimizer, const Plan& plan, std::span<const tensor_view> params,
                      std::span<const tensor_view> grads, std::vector<step_counts>& result) {
        std::vector<step_constants> constants;
        for (const param_group& group : optimizer.tensors().groups())
            constants.push_back(optimizer.constants_of(plan, group));
        for (step_counts& counts : result) counts = {};
        std::mutex mutex;
        optimizer.executor_.run(optimizer.plan_.tasks(), [&](std::int64_t number) {
            const default_float_environment environment;
            for (const chunk& c : optimizer.plan_.task(number)) {
                step_counts part;
                optimizer.with_streams(c.tensor, params[c.tensor], grads[c.tensor], [&](const auto& streams) {
                    count_chunk<typename Optimizer::main_grad_t>(
                        streams, c.begin, c.end, constants[optimizer.tensors().group_of(c.tensor)], part);
                });
                const std::lock_guard lock(mutex);
                result[c.tensor].add(part);
            }
        });
    }
};

}  // namespace detail

//! What step(params, grads, options) would do, in all and by tensor. Neither parameters nor the optimizer
//! change. Errors: those of step.
template <class Resolved, memory Memory, parameter_list Params, tensor_list Grads>
step_telemetry telemetry(const basic_adam<Resolved, Memory>& optimizer, const Params& params,
                         const Grads& grads, const step_options& options = {}) {
    static_assert(
        is_on_host<Memory>,
        "[adamant] telemetry reads host memory: copy parameters, gradients and state to the host first.");
    return detail::telemetry_reader::read(optimizer, params, grads, options);
}

}  // namespace adamant::inline v0
