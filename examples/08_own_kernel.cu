// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Parts reused: a kernel of one's own that makes its gradient in a register and updates the weight at once.
//!
//! Shows adam_update, the formula on registers, and codecs, which say how bf16 moments and a bf16 weight with
//! its 16-bit remainder are loaded and stored. What the kernel does has the bits of the same loop on the CPU.
//! Without a device it says so.
//!
//!     cmake --build build --target example_08_own_kernel
//!     build/examples/example_08_own_kernel
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <adamant/adamant.hpp>
#include <adamant/cuda/call.hpp>

using namespace adamant;
using weight_format = remainder16_codec;
using moment_format = plain_codec<bfloat16>;

//! One weight, 8 bytes with what is kept of it.
struct parameter {
    bfloat16 weight;
    std::int16_t remainder;
    bfloat16 exp_avg, exp_avg_sq;
};

__host__ __device__ parameter updated(parameter at, float target, const step_constants& constants) {
    float p = weight_format::decode(at.weight, at.remainder, 0);
    float m = moment_format::decode(at.exp_avg, 0), v = moment_format::decode(at.exp_avg_sq, 0);
    adam_update(constants, p - target, p, m, v);
    const auto weight = weight_format::encode(p, 0, 0);
    return {weight.weight, weight.master, moment_format::encode(m, 0, 0), moment_format::encode(v, 0, 0)};
}

__global__ void fused_backward(parameter* parameters, const float* targets, int size,
                               const __grid_constant__ step_constants constants) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < size) parameters[i] = updated(parameters[i], targets[i], constants);
}

void check(cudaError_t error) { cuda::check(error, "a call of the example"); }

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no CUDA device here: skipped");
        return 77;
    }
    constexpr int size = 10'000;
    const hyperparameters hyper{.lr = 0.01, .beta2 = 0.95};
    std::vector<parameter> on_host(size, parameter{to_bfloat16(1.0f), 0, {}, {}}), from_device(size);
    std::vector<float> target(size);
    for (int i = 0; i < size; ++i) target[i] = static_cast<float>(i) / size;

    parameter* parameters = nullptr;
    float* targets = nullptr;
    check(cudaMalloc(&parameters, size * sizeof(parameter)));
    check(cudaMalloc(&targets, size * sizeof(float)));
    check(cudaMemcpy(parameters, on_host.data(), size * sizeof(parameter), cudaMemcpyHostToDevice));
    check(cudaMemcpy(targets, target.data(), size * sizeof(float), cudaMemcpyHostToDevice));
    for (int step = 1; step <= 100; ++step) {
        const step_constants constants = constants_of_step(hyper, step, hyper.lr, hyper.weight_decay, 1);
        fused_backward<<<(size + 255) / 256, 256>>>(parameters, targets, size, constants);
        for (int i = 0; i < size; ++i) on_host[i] = updated(on_host[i], target[i], constants);
    }
    check(cudaMemcpy(from_device.data(), parameters, size * sizeof(parameter), cudaMemcpyDeviceToHost));
    check(cudaFree(parameters));
    check(cudaFree(targets));
    const bool same = std::memcmp(on_host.data(), from_device.data(), size * sizeof(parameter)) == 0;
    std::printf("100 steps of %d parameters in a kernel of one's own: %s\n", size,
                same ? "the CPU's bits" : "not the CPU's bits");
    return same ? 0 : 1;
}
