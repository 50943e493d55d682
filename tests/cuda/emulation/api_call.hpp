// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! api_call: what every function of the runtime has around it. It is counted, can be made to fail, waits for
//! other host threads, and leaves its error for cudaGetLastError.
#pragma once

#include <mutex>
#include <string_view>

#include <runtime_types.h>

namespace emulated_cuda {

enum class effect {
    none,
    waits,      //!< for work, possibly: not while a stream is captured
    allocates,  //!< not while one is, unless that capture is relaxed
};

//! One call at a time; a kernel runs within the call that waits for it.
std::recursive_mutex& device_mutex();

//! Counts the call, and says with which error it is to fail.
cudaError_t begin_call(std::string_view function, effect of_call);
//! Leaves the error, if it is one, for cudaGetLastError.
cudaError_t end_call(cudaError_t error);

template <class Body>
cudaError_t api_call(std::string_view function, effect of_call, Body body) {
    const std::scoped_lock lock(device_mutex());
    const cudaError_t refused = begin_call(function, of_call);
    return end_call(refused == cudaSuccess ? body() : refused);
}

}  // namespace emulated_cuda
