// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! On a GPU: the same words with cuda::memory, weights and gradients in device memory, and a step in a CUDA
//! graph.
//!
//! Shows construction on a stream, step(), which waits for nothing, result(), which waits for it, and that
//! the graph's steps move the step count and take a new lr. Without a device it says so.
//!
//!     cmake --build build --target example_07_cuda
//!     build/examples/example_07_cuda
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <adamant/adamant.hpp>
#include <adamant/cuda/adam.hpp>

using lean = adamant::presets::lean_bf16;
using adamant::bfloat16;

//! The gradient of half the squared distance to a target.
__global__ void backward(const bfloat16* weight, const float* target, bfloat16* grad, int size) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < size) grad[i] = adamant::to_bfloat16(adamant::to_float(weight[i]) - target[i]);
}

void check(cudaError_t error) { adamant::cuda::check(error, "a call of the example"); }

template <class T>
T* on_device(const std::vector<T>& values) {
    T* pointer = nullptr;
    check(cudaMalloc(&pointer, values.size() * sizeof(T)));
    check(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
}

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no CUDA device here: skipped");
        return 77;
    }
    constexpr int size = 100'000, blocks = (size + 255) / 256;
    std::vector<float> targets(size);
    for (int i = 0; i < size; ++i) targets[i] = 1.5f + static_cast<float>(i) / size;
    float* target = on_device(targets);
    bfloat16* weight = on_device(std::vector<bfloat16>(size, adamant::to_bfloat16(1.0f)));
    bfloat16* grad = on_device(std::vector<bfloat16>(size));
    const std::vector params{std::span(weight, size)};
    const std::vector grads{std::span<const bfloat16>(grad, size)};

    cudaStream_t stream = nullptr;
    check(cudaStreamCreate(&stream));
    bool holds = true;
    {
        adamant::adam<lean, adamant::cuda::memory> optimizer{
            params, {.lr = 0.02, .beta2 = 0.95, .weight_decay = 0, .clip_grad = 0}, stream};

        cudaGraph_t graph = nullptr;
        cudaGraphExec_t steps = nullptr;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        backward<<<blocks, 256, 0, stream>>>(weight, target, grad, size);
        optimizer.step(params, grads);
        check(cudaStreamEndCapture(stream, &graph));
        check(cudaGraphInstantiate(&steps, graph, 0));

        constexpr int count = 400;
        for (int s = 0; s < count; ++s) {
            optimizer.set_lr(0.02 * (1 - static_cast<double>(s) / count));  // a schedule: no new graph for it
            check(cudaGraphLaunch(steps, stream));
        }
        const adamant::step_result result = optimizer.result();  // waits
        std::printf("step %lld: gradient norm %.4f, lr %.5f, %zu bytes of state for %d parameters\n",
                    static_cast<long long>(result.step), result.grad_norm, result.lr, optimizer.state_bytes(),
                    size);
        holds = result.status == adamant::step_status::applied && result.step == count;
        check(cudaGraphExecDestroy(steps));
        check(cudaGraphDestroy(graph));
    }
    std::vector<bfloat16> weights(size);
    check(cudaMemcpy(weights.data(), weight, size * sizeof(bfloat16), cudaMemcpyDeviceToHost));
    for (int i = 0; i < size; ++i)
        holds = holds && std::abs(adamant::to_float(weights[i]) - targets[i]) <= 1.0f / 64;
    check(cudaStreamDestroy(stream));
    for (void* pointer : {static_cast<void*>(target), static_cast<void*>(weight), static_cast<void*>(grad)})
        check(cudaFree(pointer));
    return holds ? 0 : 1;
}
