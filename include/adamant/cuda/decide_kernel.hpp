// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! decide_kernel: what the host decides for a step on the CPU, decided on the device: norm, clip, skip, loss
//! scale, step count and the constants of every group. No step waits for the host.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include <adamant/train/grad_norm.hpp>
#include <adamant/train/loss_scaler.hpp>
#include <adamant/train/step_decision.hpp>

namespace adamant::inline v0::cuda {

//! What one step asks for; goes with the launch, by value.
struct step_request {
    hyperparameters hyper;
    double grad_scale;
    double lr;            //!< negative: the one on the device
    double weight_decay;  //!< negative: the one on the device
    double grad_norm;     //!< negative: what the norm kernel has found
    bool scales_loss;
    bool moves_scale;  //!< the loss scale is dynamic
    loss_scale_dynamics dynamics;
    std::int32_t groups;
};

//! What a step has led to, as step_result has it.
struct device_result {
    step_status status;
    double grad_norm;
    double clip_coefficient;
    double lr;
    std::int64_t step;
    double loss_scale;
};

//! All of an optimizer that changes from step to step, on the device.
struct optimizer_control {
    double lr;
    double weight_decay;
    std::int64_t step;      //!< applied so far
    bool state_is_history;  //!< the moments are what so many steps from zero led to
    loss_scale_state scaler;
    grad_statistics statistics;  //!< of this step; zero between steps
    device_result result;
};

inline constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

struct group_multipliers {
    double lr;
    double weight_decay;
};

//! One block of threads, of which the first decides and each fills in the constants of some groups. (A
//! template, since a kernel cannot be inline.)
template <int Threads>
__global__ void __launch_bounds__(Threads)
    decide_kernel(const __grid_constant__ step_request request, optimizer_control* control,
                  const group_multipliers* groups, step_constants* constants) {
    __shared__ double lr, weight_decay, grad_factor;
    __shared__ std::int64_t step, steps_from_zero;
    __shared__ bool applied;
    if (threadIdx.x == 0) {
        const double unscale = request.grad_scale / (request.scales_loss ? control->scaler.scale : 1.0);
        double norm = request.grad_norm, largest = norm;
        if (norm < 0) {
            norm = product(control->statistics.norm(), unscale);
            largest = square_root(control->statistics.largest_block) * unscale;
        }
        const step_decision decision = decide_step(norm, largest, unscale, request.hyper);
        lr = request.lr < 0 ? control->lr : request.lr;
        weight_decay = request.weight_decay < 0 ? control->weight_decay : request.weight_decay;
        grad_factor = decision.grad_factor;
        applied = decision.status == step_status::applied;
        step = control->step + 1;
        steps_from_zero = control->state_is_history ? step : endless;
        if (applied) control->step = step;
        if (request.moves_scale) request.dynamics.update(control->scaler, decision.found_inf);
        control->statistics = {};
        control->result = {decision.status,
                           norm,
                           decision.clip_coefficient,
                           lr,
                           control->step,
                           request.scales_loss ? control->scaler.scale : 1.0};
    }
    __syncthreads();
    if (!applied) return;
    const step_constants of_all = constants_of_step(request.hyper, step, steps_from_zero);
    for (int g = static_cast<int>(threadIdx.x); g < request.groups; g += Threads)
        constants[g] = completed(of_all, product(lr, groups[g].lr),
                                 product(weight_decay, groups[g].weight_decay), grad_factor);
}

//! Sets a value of the control block in the order of the stream.
template <class T>
__global__ void set_kernel(T* where, T value) {
    *where = value;
}

}  // namespace adamant::inline v0::cuda
