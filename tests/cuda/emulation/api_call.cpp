// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "api_call.hpp"

#include <map>
#include <string>
#include <utility>

#include <runtime_api.h>
#include <emulation.hpp>

#include "memory.hpp"
#include "streams.hpp"

namespace emulated_cuda {
namespace {

struct failure {
    std::uint64_t calls_before;
    cudaError_t error;
};

struct call_counts {
    std::map<std::string, std::uint64_t, std::less<>> by_name;
    std::map<std::string, failure, std::less<>> failures;
    std::uint64_t synchronisations = 0, allocations = 0;
};

call_counts& counts() {
    static call_counts the_counts;
    return the_counts;
}

thread_local cudaError_t last_error = cudaSuccess;

bool is_allocation(std::string_view function) {
    return function == "cudaMalloc" || function == "cudaMallocAsync" || function == "cudaMallocHost" ||
           function == "cudaHostAlloc";
}

}  // namespace

std::recursive_mutex& device_mutex() {
    static std::recursive_mutex the_mutex;
    return the_mutex;
}

cudaError_t begin_call(std::string_view function, effect of_call) {
    call_counts& c = counts();
    ++c.by_name[std::string(function)];
    if (of_call == effect::waits) ++c.synchronisations;
    if (is_allocation(function)) ++c.allocations;
    if (const auto found = c.failures.find(function); found != c.failures.end()) {
        if (found->second.calls_before == 0) {
            const cudaError_t error = found->second.error;
            c.failures.erase(found);
            return error;
        }
        --found->second.calls_before;
    }
    return of_call == effect::none ? cudaSuccess : refused_by_captures(of_call == effect::allocates);
}

cudaError_t end_call(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
    return error;
}

std::uint64_t calls(std::string_view function) {
    const std::scoped_lock lock(device_mutex());
    const auto found = counts().by_name.find(function);
    return found == counts().by_name.end() ? 0 : found->second;
}

std::uint64_t synchronisations() { return counts().synchronisations; }
std::uint64_t allocations() { return counts().allocations; }
std::uint64_t launches() { return calls("cudaLaunchKernelEx"); }
std::uint64_t bytes_on_device() { return memory().bytes_on_device(); }
std::uint64_t live_allocations() { return memory().live(); }

void fail_call(std::string_view function, std::uint64_t n, cudaError_t error) {
    const std::scoped_lock lock(device_mutex());
    counts().failures[std::string(function)] = {n, error};
}

void reset() {
    const std::scoped_lock lock(device_mutex());
    counts() = {};
    last_error = cudaSuccess;
}

}  // namespace emulated_cuda

cudaError_t cudaGetLastError() { return std::exchange(emulated_cuda::last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return emulated_cuda::last_error; }

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define ADAMANT_NAME(name, value, text) \
    case name: return #name;
        ADAMANT_CUDA_ERRORS(ADAMANT_NAME)
#undef ADAMANT_NAME
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define ADAMANT_TEXT(name, value, text) \
    case name: return text;
        ADAMANT_CUDA_ERRORS(ADAMANT_TEXT)
#undef ADAMANT_TEXT
    }
    return "unrecognized error code";
}
