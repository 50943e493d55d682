// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What a step costs on a GPU: time by CUDA events, and bytes over time as a share of a copy on the same
//! device. Usage: step_cuda [--json FILE] [--only WORD]
#include <adamant/adamant.hpp>
#include <adamant/cuda/adam.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optimizer/narrow_catalogue.hpp>
#include <string>
#include <unjudged.hpp>
#include <vector>

namespace {

using namespace adamant;

void check(cudaError_t error) { cuda::check(error, "a call of the benchmark"); }

//! Zeros in device memory.
class device_array {
public:
    explicit device_array(std::size_t bytes) {
        check(cudaMalloc(&data_, bytes));
        check(cudaMemset(data_, 0, bytes));
    }
    device_array(device_array&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
    device_array& operator=(device_array&&) = delete;
    ~device_array() { static_cast<void>(cudaFree(data_)); }
    void* data() const { return data_; }

private:
    void* data_ = nullptr;
};

//! The shortest of some repetitions, in seconds.
template <class F>
double seconds_of(cudaStream_t stream, F&& enqueue) {
    cudaEvent_t begin = nullptr, end = nullptr;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    constexpr int repetitions = 7, in_one = 5;
    float shortest = 0;
    for (int r = 0; r < repetitions; ++r) {
        check(cudaEventRecord(begin, stream));
        for (int i = 0; i < in_one; ++i) enqueue();
        check(cudaEventRecord(end, stream));
        check(cudaEventSynchronize(end));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        shortest = r == 0 ? milliseconds : std::min(shortest, milliseconds);
    }
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    return shortest * 1e-3 / in_one;
}

//! Bytes read and written per second by a copy of one array to another.
double copy_bandwidth(cudaStream_t stream) {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    const device_array from(bytes), to(bytes);
    return 2.0 * bytes / seconds_of(stream, [&] {
               check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream));
           });
}

//! What the fused pass reads and writes of a parameter: the gradient once, weight and state both ways. A
//! weight beside a full master is only written.
template <class Policy>
double bytes_moved() {
    using resolved = typename Policy::resolved;
    const double grad = sizeof(typename resolved::grad_t), weight = sizeof(typename resolved::param_t);
    const double state = Policy::bytes_per_param() - grad - weight;
    using master = slot_codec_t<resolved, slot::main_params>;
    const bool reads_weight = !std::is_same_v<typename master::stored, float> && !master::has_scales;
    return grad + weight * (reads_weight ? 2 : 1) + 2 * state;
}

template <class Policy>
nlohmann::json measured(const std::string& list, std::int64_t tensors, std::int64_t size, double copy,
                        cudaStream_t stream) {
    using optimizer_type = adam<Policy, cuda::memory>;
    using param_t = typename optimizer_type::param_t;
    using grad_t = typename optimizer_type::grad_t;
    std::vector<device_array> memory;
    std::vector<std::span<param_t>> params;
    std::vector<std::span<const grad_t>> grads;
    for (std::int64_t t = 0; t < tensors; ++t) {
        const auto count = static_cast<std::size_t>(size);
        params.emplace_back(static_cast<param_t*>(memory.emplace_back(count * sizeof(param_t)).data()),
                            count);
        grads.emplace_back(static_cast<const grad_t*>(memory.emplace_back(count * sizeof(grad_t)).data()),
                           count);
    }
    optimizer_type optimizer(params, {}, unjudged(), stream);
    const double update = seconds_of(stream, [&] { optimizer.step(params, grads, {.grad_norm = 1}); });
    const double both = seconds_of(stream, [&] { optimizer.step(params, grads); });
    const auto elements = static_cast<double>(tensors * size);
    const double bandwidth = bytes_moved<Policy>() * elements / update;
    std::printf("%-8s %11.0f  %9.3f  %9.3f  %8.4f  %7.0f  %5.0f  %s\n", list.c_str(), elements, update * 1e3,
                both * 1e3, update * 1e9 / elements, bandwidth * 1e-9, 100 * bandwidth / copy,
                Policy::describe().c_str());
    return {{"policy", Policy::describe()}, {"list", list},          {"elements", elements},
            {"update_ms", update * 1e3},    {"step_ms", both * 1e3}, {"bytes_per_second", bandwidth},
            {"copy_bytes_per_second", copy}};
}

using measured_catalogue =
    catalogue<policy<mode<fp32>>, policy<mode<bf16>>, presets::lossless_bf16, presets::lean_bf16,
              policy<mode<bf16>, precision_aware, main_params<none>, main_grads<bf16>,
                     exp_avg<bf16, stochastic>, exp_avg_sq<bf16, stochastic>>,
              policy<mode<fp16>>, narrow<main_grads<bf16>, exp_avg<fp16>, exp_avg_sq<fp16>>,
              narrow<main_grads<bf16>, exp_avg<fp8>, exp_avg_sq<fp8>>,
              narrow<main_grads<bf16>, exp_avg<fp8_fine>, exp_avg_sq<fp8_fine>>, remainder8_fp8,
              no_master_fp8>;

template <class... Policies>
nlohmann::json measure_all(catalogue<Policies...>, const std::string& only, double copy,
                           cudaStream_t stream) {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total));
    nlohmann::json rows = nlohmann::json::array();
    const auto of_policy = [&]<class Policy>(std::type_identity<Policy>) {
        if (Policy::describe().find(only) == std::string::npos) return;
        for (const std::int64_t size : {1'000'000, 10'000'000, 100'000'000, 1'000'000'000})
            if (Policy::bytes_per_param() * static_cast<double>(size) < 0.9 * static_cast<double>(free))
                rows.push_back(measured<Policy>("single", 1, size, copy, stream));
        rows.push_back(measured<Policy>("small", 1000, 1000, copy, stream));
    };
    (of_policy(std::type_identity<Policies>{}), ...);
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    std::string json, only;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (argv[i] == std::string("--json")) json = argv[i + 1];
        else if (argv[i] == std::string("--only")) only = argv[i + 1];
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no CUDA device here: skipped");
        return 77;
    }
    try {
        cudaStream_t stream = nullptr;
        check(cudaStreamCreate(&stream));
        const double copy = copy_bandwidth(stream);
        std::printf(
            "copy: %.0f GB/s\nlist      elements  update ms    step ms  ns/param     GB/s   %%copy  policy\n",
            copy * 1e-9);
        const nlohmann::json rows = measure_all(measured_catalogue{}, only, copy, stream);
        if (!json.empty()) std::ofstream(json) << rows.dump(1) << '\n';
        check(cudaStreamDestroy(stream));
        return 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
}
