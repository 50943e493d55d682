// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The emulated runtime notices what a device would not forgive: a missing synchronise, a wait that a capture
//! must not see, memory used after it was freed. And it does what CUDA does otherwise.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "../emulation/memory.hpp"
#include "../emulation/sanitizer.hpp"
#include "device.hpp"
#include "kernels.hpp"

namespace {

using bits::array;
using bits::check;
using bits::launch;
using emulated_cuda::device_error;

struct stream {
    cudaStream_t handle = nullptr;
    explicit stream(unsigned flags = cudaStreamNonBlocking) {
        check(cudaStreamCreateWithFlags(&handle, flags));
    }
    ~stream() { static_cast<void>(cudaStreamDestroy(handle)); }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
};

//! An array of the host, and the copy of a device's array that a stream is to make to it.
std::vector<float> nothing() { return std::vector<float>(64, -1.0f); }
void copy(std::vector<float>& to, const array<float>& from, cudaStream_t s) {
    check(cudaMemcpyAsync(to.data(), from.data(), 64 * sizeof(float), cudaMemcpyDeviceToHost, s));
}

TEST_CASE("a stream works when it is waited for, and no sooner") {
    const stream s;
    const array<float> values(std::vector<float>(64, 1.0f));
    check(launch(bits::increment, 1, 64, s.handle, values.data(), 64u));
    auto seen = nothing();
    copy(seen, values, s.handle);
    CHECK(seen == nothing());  // a missing synchronise
    CHECK(cudaStreamQuery(s.handle) == cudaErrorNotReady);
    check(cudaStreamSynchronize(s.handle));
    CHECK(seen == std::vector<float>(64, 2.0f));
    CHECK(cudaStreamQuery(s.handle) == cudaSuccess);
}

TEST_CASE("streams wait for each other where an event says so") {
    const stream producer, consumer;
    const array<float> values(std::vector<float>(64, 1.0f));
    cudaEvent_t done = nullptr;
    check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (const bool waits : {false, true}) {
        check(launch(bits::increment, 1, 64, producer.handle, values.data(), 64u));
        check(cudaEventRecord(done, producer.handle));
        if (waits) check(cudaStreamWaitEvent(consumer.handle, done));
        auto seen = nothing();
        copy(seen, values, consumer.handle);
        check(cudaStreamSynchronize(consumer.handle));
        CHECK(seen.front() == (waits ? 3.0f : 1.0f));
        CHECK(cudaEventQuery(done) == (waits ? cudaSuccess : cudaErrorNotReady));
    }
    check(cudaEventSynchronize(done));
    check(cudaEventDestroy(done));
    CHECK(cudaEventDestroy(done) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("the default stream and blocking ones wait for each other") {
    for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
        const stream s(flags);
        const array<float> values(std::vector<float>(64, 1.0f));
        check(launch(bits::increment, 1, 64, s.handle, values.data(), 64u));
        auto seen = nothing();
        check(cudaMemcpy(seen.data(), values.data(), 64 * sizeof(float), cudaMemcpyDeviceToHost));
        CHECK(seen.front() == (flags == cudaStreamDefault ? 2.0f : 1.0f));
    }
}

TEST_CASE("events measure time") {
    cudaEvent_t start = nullptr, end = nullptr;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    const array<float> values(64);
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);
    check(cudaEventRecord(start));
    check(launch(bits::increment, 1, 64, nullptr, values.data(), 64u));
    check(cudaEventRecord(end));
    CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorNotReady);
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&milliseconds, start, end));
    CHECK(milliseconds > 0);
    check(cudaEventDestroy(start));
    check(cudaEventDestroy(end));
}

TEST_CASE("a captured graph does its work at each launch") {
    const stream s;
    const array<float> values(std::vector<float>(64, 1.0f));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 2; ++i) check(launch(bits::increment, 1, 64, s.handle, values.data(), 64u));
    check(cudaStreamIsCapturing(s.handle, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    check(cudaStreamEndCapture(s.handle, &graph));
    check(cudaGraphInstantiate(&executable, graph));
    check(cudaGraphDestroy(graph));
    CHECK(values.values().front() == 1.0f);  // nothing was done yet
    for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(executable, s.handle));
    check(cudaStreamSynchronize(s.handle));
    CHECK(values.values().front() == 7.0f);
    check(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphLaunch(executable, s.handle) == cudaErrorInvalidValue);
}

template <class Call>
void ends_a_capture(Call call, cudaError_t expected = cudaErrorStreamCaptureUnsupported) {
    const stream s;
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal));
    CHECK(call(s.handle) == expected);
    CHECK(cudaMemsetAsync(nullptr, 0, 0, s.handle) == cudaSuccess);  // nothing to do is nothing
    CHECK(cudaStreamEndCapture(s.handle, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(graph == nullptr);
    CHECK(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("a capture does not outlive a wait or an allocation") {
    void* pointer = nullptr;
    float value = 0;
    const array<float> values(64);
    ends_a_capture([](cudaStream_t s) { return cudaStreamSynchronize(s); });
    ends_a_capture([](cudaStream_t s) { return cudaStreamQuery(s); });
    ends_a_capture([](cudaStream_t) { return cudaDeviceSynchronize(); });
    ends_a_capture([&](cudaStream_t) { return cudaMalloc(&pointer, 16); });
    ends_a_capture([&](cudaStream_t) { return cudaFree(pointer); });
    ends_a_capture([&](cudaStream_t s) { return cudaMallocAsync(&pointer, 16, s); });
    ends_a_capture([&](cudaStream_t s) { return cudaFreeAsync(values.data(), s); });
    ends_a_capture([&](cudaStream_t) { return cudaMallocHost(&pointer, 16); });
    ends_a_capture([&](cudaStream_t) { return cudaHostAlloc(&pointer, 16, cudaHostAllocDefault); });
    ends_a_capture(
        [&](cudaStream_t) { return cudaMemcpy(&value, values.data(), 4, cudaMemcpyDeviceToHost); });
    ends_a_capture([&](cudaStream_t) { return cudaMemset(values.data(), 0, 4); });
    CHECK(pointer == nullptr);
    CHECK(value == 0);
}

TEST_CASE("capture has errors of its own") {
    CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
    const stream s, blocking(cudaStreamDefault), other;
    const array<float> values(64);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(s.handle, &graph) == cudaErrorIllegalState);

    check(cudaStreamBeginCapture(blocking.handle, cudaStreamCaptureModeRelaxed));
    CHECK(launch(bits::increment, 1, 1, nullptr, values.data(), 1u) == cudaErrorStreamCaptureImplicit);
    CHECK(launch(bits::increment, 1, 1, blocking.handle, values.data(), 1u) ==
          cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamEndCapture(blocking.handle, &graph) == cudaErrorStreamCaptureInvalidated);

    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event));
    check(cudaEventRecord(event, other.handle));
    check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeRelaxed));
    CHECK(cudaStreamWaitEvent(s.handle, event) == cudaErrorStreamCaptureIsolation);
    CHECK(cudaStreamEndCapture(s.handle, &graph) == cudaErrorStreamCaptureInvalidated);
    check(cudaEventDestroy(event));

    void* pointer = nullptr;
    check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMalloc(&pointer, 16) == cudaSuccess);
    check(cudaStreamEndCapture(s.handle, &graph));
    check(cudaGraphDestroy(graph));
    check(cudaFree(pointer));
}

TEST_CASE("calls are counted, and fail when they are told to") {
    emulated_cuda::reset();
    const array<float> values(64);
    CHECK(emulated_cuda::allocations() == 1);
    check(launch(bits::increment, 1, 64, nullptr, values.data(), 64u));
    CHECK(emulated_cuda::launches() == 1);
    CHECK(emulated_cuda::synchronisations() == 0);
    check(cudaStreamSynchronize(nullptr));
    check(cudaDeviceSynchronize());
    CHECK(emulated_cuda::synchronisations() == 2);
    CHECK(emulated_cuda::calls("cudaStreamSynchronize") == 1);

    emulated_cuda::fail_call("cudaLaunchKernelEx", 1, cudaErrorLaunchOutOfResources);
    check(launch(bits::increment, 1, 64, nullptr, values.data(), 64u));
    CHECK(launch(bits::increment, 1, 64, nullptr, values.data(), 64u) == cudaErrorLaunchOutOfResources);
    CHECK(cudaPeekAtLastError() == cudaErrorLaunchOutOfResources);
    CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    CHECK(cudaGetLastError() == cudaSuccess);
    check(launch(bits::increment, 1, 64, nullptr, values.data(), 64u));
    CHECK(emulated_cuda::launches() == 4);
    emulated_cuda::reset();
    CHECK(emulated_cuda::launches() == 0);
}

TEST_CASE("memory: what is alive, what is its kind, and to whom it belongs") {
    const std::uint64_t before = emulated_cuda::live_allocations(), bytes = emulated_cuda::bytes_on_device();
    void *device = nullptr, *pinned = nullptr, *none = &device;
    check(cudaMalloc(&device, 100));
    check(cudaMallocHost(&pinned, 100));
    check(cudaMalloc(&none, 0));
    CHECK(none == nullptr);
    CHECK(emulated_cuda::live_allocations() == before + 2);
    CHECK(emulated_cuda::bytes_on_device() == bytes + 100);
    CHECK(reinterpret_cast<std::uintptr_t>(device) % 256 == 0);
    cudaPointerAttributes attributes{};
    const auto type_of = [&](const void* pointer) {
        check(cudaPointerGetAttributes(&attributes, pointer));
        return attributes.type;
    };
    CHECK(type_of(static_cast<char*>(device) + 99) == cudaMemoryTypeDevice);
    CHECK(type_of(pinned) == cudaMemoryTypeHost);
    CHECK(type_of(&device) == cudaMemoryTypeUnregistered);
    char of_host[101] = {};
    CHECK(cudaMemcpy(device, of_host, 101, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(device, of_host, 100, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(of_host, device, 100, cudaMemcpyDefault) == cudaSuccess);
    CHECK(of_host[0] == '\xFF');
    CHECK(of_host[100] == 0);
    CHECK(cudaFreeHost(device) == cudaErrorInvalidValue);
    CHECK(cudaFree(static_cast<char*>(device) + 1) == cudaErrorInvalidValue);
    check(cudaFree(device));
    CHECK(cudaFree(device) == cudaErrorInvalidValue);
    check(cudaFreeHost(pinned));
    CHECK(cudaFree(nullptr) == cudaSuccess);
    CHECK(emulated_cuda::live_allocations() == before);
}

#if defined(ADAMANT_ASAN)
TEST_CASE("the host does not read the device's memory, a kernel no more than there is") {
    float* memory = nullptr;
    check(cudaMalloc(&memory, 67));
    const auto* bytes = reinterpret_cast<const char*>(memory);
    const auto is_readable = [&](std::ptrdiff_t i) { return __asan_address_is_poisoned(bytes + i) == 0; };
    CHECK_FALSE(is_readable(0));
    check(launch(bits::increment, 1, 64, nullptr, memory, 16u));
    check(cudaDeviceSynchronize());
    CHECK_FALSE(is_readable(0));
    {
        const emulated_cuda::opened_memory as_in_a_kernel;
        CHECK(is_readable(0));
        CHECK(is_readable(66));
        CHECK_FALSE(is_readable(67));
        CHECK_FALSE(is_readable(-1));
    }
    check(cudaFree(memory));
}
#endif

TEST_CASE("memory of a stream is freed in its turn") {
    const stream s;
    float* memory = nullptr;
    check(cudaMallocAsync(&memory, 64 * sizeof(float), s.handle));
    check(cudaMemsetAsync(memory, 0, 64 * sizeof(float), s.handle));
    check(launch(bits::increment, 1, 64, s.handle, memory, 64u));
    auto seen = nothing();
    check(cudaMemcpyAsync(seen.data(), memory, 64 * sizeof(float), cudaMemcpyDeviceToHost, s.handle));
    check(cudaFreeAsync(memory, s.handle));
    CHECK(cudaFreeAsync(memory, s.handle) == cudaErrorInvalidValue);
    check(cudaMemsetAsync(memory, 0, 64 * sizeof(float), s.handle));  // too late
    CHECK_THROWS_WITH_AS(cudaStreamSynchronize(s.handle), doctest::Contains("freed"), device_error);
    CHECK(seen == std::vector<float>(64, 1.0f));
}

TEST_CASE("pinned memory is read when the stream gets there, other memory at the call") {
    const stream s;
    const array<float> values(2);
    float* pinned = nullptr;
    check(cudaMallocHost(&pinned, sizeof(float)));
    float pageable = *pinned = 1.0f;
    check(cudaMemcpyAsync(values.data(), pinned, sizeof(float), cudaMemcpyHostToDevice, s.handle));
    check(cudaMemcpyAsync(values.data() + 1, &pageable, sizeof(float), cudaMemcpyHostToDevice, s.handle));
    pageable = *pinned = 2.0f;
    check(cudaStreamSynchronize(s.handle));
    CHECK(values.values() == std::vector<float>{2.0f, 1.0f});
    check(cudaFreeHost(pinned));
}

TEST_CASE("a launch that no device would take") {
    const array<float> values(64);
    CHECK(launch(bits::increment, 1, 1025, nullptr, values.data(), 64u) == cudaErrorInvalidConfiguration);
    CHECK(launch(bits::increment, 0, 64, nullptr, values.data(), 64u) == cudaErrorInvalidConfiguration);
    cudaLaunchConfig_t config{};
    config.dynamicSmemBytes = 16;
    CHECK(cudaLaunchKernelEx(&config, bits::increment, values.data(), 64u) == cudaErrorNotSupported);
    config = {};
    config.stream = reinterpret_cast<cudaStream_t>(&config);
    CHECK(cudaLaunchKernelEx(&config, bits::increment, values.data(), 64u) == cudaErrorInvalidResourceHandle);
    CHECK(std::string(cudaGetErrorName(cudaErrorInvalidResourceHandle)) == "cudaErrorInvalidResourceHandle");
    CHECK(std::string(cudaGetErrorString(cudaErrorInvalidResourceHandle)) == "invalid resource handle");
    static_cast<void>(cudaGetLastError());
}

static_assert(emulated_cuda::largest_parameters == 32764);
static_assert(sizeof(bits::table) <= emulated_cuda::largest_parameters);

}  // namespace
