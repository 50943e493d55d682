// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! call: the check of every call to CUDA, and launches.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include <adamant/base/error.hpp>

// What a kernel computes must not depend on flags either; -ftz=true cannot be seen from here.
#if defined(__USE_FAST_MATH__) && !defined(ADAMANT_ALLOW_FAST_MATH)
#error \
    "[adamant] results do not depend on flags: build without --use_fast_math, or define ADAMANT_ALLOW_FAST_MATH."
#endif

namespace adamant::inline v0::cuda {

//! Throws cuda_error unless a call succeeded; `about` says which: "cudaMallocAsync of 128 bytes".
inline void check(cudaError_t result, const std::string& about) {
    if (result == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());  // what is reported here is not reported again later
    throw cuda_error("[adamant] calls to CUDA succeed: " + about + " failed with error " +
                         std::to_string(static_cast<int>(result)) + ", " + cudaGetErrorName(result) + " (" +
                         cudaGetErrorString(result) + ").",
                     static_cast<int>(result));
}

//! Without chevrons, so that headers are C++ for every compiler.
template <class... Parameters, class... Arguments>
cudaError_t launch_on(cudaStream_t stream, std::int64_t blocks, int threads_of_block,
                      void (*kernel)(Parameters...), const Arguments&... arguments) {
    static_assert((sizeof(Parameters) + ...) <= 32764, "[adamant] parameters of a kernel fit CUDA's limit.");
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads_of_block));
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace adamant::inline v0::cuda
