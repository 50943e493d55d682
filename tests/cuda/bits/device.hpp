// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Short words for the tests: arrays on the device, launches, numbers.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <emulation.hpp>
#include <random>
#include <stdexcept>
#include <vector>

namespace bits {

inline void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorName(error));
}

//! An array on the device.
template <class T>
class array {
public:
    explicit array(std::size_t size) : size_(size) { check(cudaMalloc(&data_, size * sizeof(T))); }
    explicit array(const std::vector<T>& values) : array(values.size()) {
        check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~array() { static_cast<void>(cudaFree(data_)); }
    array(const array&) = delete;
    array& operator=(const array&) = delete;

    T* data() const { return data_; }
    //! On the host, after all work.
    std::vector<T> values() const {
        std::vector<T> copied(size_);
        check(cudaDeviceSynchronize());
        check(cudaMemcpy(copied.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return copied;
    }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream,
                   const Arguments&... arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

//! Floats from -1 to 1, with a few that are special.
inline std::vector<float> some_floats(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-31f;
    const float special[] = {0.0f, -0.0f, 1e-41f, 3e38f, -INFINITY};
    for (std::size_t i = 0; i < std::size(special) && 17 * i + 3 < count; ++i)
        values[17 * i + 3] = special[i];
    return values;
}

inline std::vector<std::uint32_t> as_bits(const std::vector<float>& values) {
    std::vector<std::uint32_t> all;
    for (const float v : values) all.push_back(std::bit_cast<std::uint32_t>(v));
    return all;
}

inline std::vector<std::uint64_t> as_bits(const std::vector<double>& values) {
    std::vector<std::uint64_t> all;
    for (const double v : values) all.push_back(std::bit_cast<std::uint64_t>(v));
    return all;
}

}  // namespace bits
