// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The update of a tensor by every instruction set, without an optimizer around it.
#pragma once

#include "kernels.hpp"

#include <adamant/policy/catalogue.hpp>
#include <adamant/state/optimizer_state.hpp>
#include <adamant/step/step_cpu.hpp>

#include <array>
#include <cmath>

namespace bench {

//! The streams of one tensor, each on a cache line of its own.
template <class Policy>
class update_data {
public:
    using resolved = typename Policy::resolved;
    using param_t = typename resolved::param_t;
    using grad_t = typename resolved::grad_t;
    using main_grad_t = adamant::element_t<typename resolved::main_grads>;
    template <adamant::slot S>
    using codec = adamant::slot_codec_t<resolved, S>;
    using weight_codec = codec<adamant::slot::main_params>;
    using streams_type = adamant::step_streams<weight_codec, grad_t, codec<adamant::slot::exp_avg>,
                                               codec<adamant::slot::exp_avg_sq>>;

    explicit update_data(std::int64_t elements)
        : size_(elements),
          weights_(static_cast<std::size_t>(elements), {}),
          grads_(static_cast<std::size_t>(elements), {}),
          state_(std::array{elements}, {true}, {}) {
        for (std::int64_t i = 0; i < elements; ++i) {
            const auto random = adamant::philox(1, static_cast<std::uint64_t>(i), 0);
            // Gradients of a group lie six binades apart, so that the short formats use their small codes
            // too.
            weights_.data()[i] = adamant::round_to<param_t>(0.05f * uniform(random[0]));
            grads_.data()[i] = adamant::round_to<grad_t>(1e-3f * uniform(random[1]) *
                                                         std::exp2(-6 * std::abs(uniform(random[2]))));
        }
        for (std::int64_t first = 0; first < elements; first += adamant::group_size)
            weight_codec::start(streams().weights, first, adamant::group_size, adamant::no_noise{});
    }

    std::int64_t size() const { return size_; }
    streams_type streams() {
        using adamant::slot;
        return {{weights_.data(), state_.template at<slot::main_params>(0)},
                grads_.data(),
                state_.template at<slot::exp_avg>(0),
                state_.template at<slot::exp_avg_sq>(0)};
    }

private:
    static float uniform(std::uint32_t word) {
        return static_cast<float>(static_cast<std::int32_t>(word)) * 0x1p-31f;
    }

    std::int64_t size_;
    adamant::buffer<param_t, adamant::host_memory> weights_;
    adamant::buffer<grad_t, adamant::host_memory> grads_;
    adamant::optimizer_state<resolved> state_;
};

template <class MainGrad, class Streams>
void update_with(adamant::instruction_set set, const Streams& streams, std::int64_t size,
                 const adamant::step_constants& constants) {
#if defined(__x86_64__)
    switch (set) {
        case adamant::instruction_set::avx512:
            return adamant::avx512::update_chunk<MainGrad>(streams, 0, size, constants);
        case adamant::instruction_set::avx2:
            return adamant::avx2::update_chunk<MainGrad>(streams, 0, size, constants);
        default: break;
    }
#elif defined(__aarch64__)
    if (set == adamant::instruction_set::neon)
        return adamant::neon::update_chunk<MainGrad>(streams, 0, size, constants);
#endif
    adamant::update_chunk_scalar<MainGrad>(streams, 0, size, constants);
}

template <class Policy>
void time_update(benchmark::State& state, adamant::instruction_set set) {
    using data_type = update_data<Policy>;
    data_type data(elements_in_cache(Policy::bytes_per_param()));
    adamant::step_constants constants =
        adamant::constants_of_step({.lr = 1e-6, .beta2 = 0.95}, 100, 1e-6, 0.01, 1);
    const auto update = [&] {
        update_with<typename data_type::main_grad_t>(set, data.streams(), data.size(), constants);
        ++constants.step;  // new noise
    };
    for (int i = 0; i < 100; ++i) update();  // moments start from zero
    for (auto _ : state) {
        update();
        benchmark::ClobberMemory();
    }
    report(state, data.size());
}

template <class... Policies>
void register_updates(adamant::catalogue<Policies...>) {
    const auto add_all = [](const std::string& policy, auto time) {
        for (const adamant::instruction_set set : instruction_sets())
            add_kernel("update", set, policy, time, set);
    };
    (add_all(Policies::describe(), time_update<Policies>), ...);
}

}  // namespace bench
