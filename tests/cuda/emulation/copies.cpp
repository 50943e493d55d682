// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Allocation, copies and the attributes of device and pointers.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <runtime_api.h>
#include <emulation.hpp>

#include "api_call.hpp"
#include "memory.hpp"
#include "streams.hpp"

namespace emulated_cuda {
namespace {

int multiprocessors = 4;

cudaError_t allocate(void** pointer, std::size_t bytes, memory_kind kind) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *pointer = bytes == 0 ? nullptr : memory().allocate(bytes, kind);
    return *pointer != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Work that was put into streams may still use the memory: it is done first, as cudaFree waits for it.
cudaError_t release(void* pointer, memory_kind kind) {
    if (pointer == nullptr) return cudaSuccess;
    finish_all();
    return memory().release(pointer, kind) ? cudaSuccess : cudaErrorInvalidValue;
}

bool is_device(const void* address) {
    const allocation* found = memory().find(address);
    return found != nullptr && found->kind == memory_kind::device;
}

bool fits(const void* address, std::size_t bytes, bool on_device) {
    const allocation* found = memory().find(address);
    if (found == nullptr) return !on_device;
    if ((found->kind == memory_kind::device) != on_device) return false;
    return bytes <= static_cast<std::size_t>(found->end() - static_cast<const std::byte*>(address));
}

//! Opens the allocation that holds an address, for one copy.
class opened_for_copy {
public:
    explicit opened_for_copy(const void* address) : opened_(memory().find(address)) {
        if (opened_ != nullptr) memory().open(*opened_);
    }
    ~opened_for_copy() {
        if (opened_ != nullptr) memory().close(*opened_);
    }
    opened_for_copy(const opened_for_copy&) = delete;
    opened_for_copy& operator=(const opened_for_copy&) = delete;

private:
    const allocation* opened_;
};

struct copy {
    void* to;
    const void* from;
    std::size_t bytes;
    bool to_device, from_device;

    copy(void* to_address, const void* from_address, std::size_t size, cudaMemcpyKind kind)
        : to(to_address), from(from_address), bytes(size), to_device(false), from_device(false) {
        const bool guess = kind == cudaMemcpyDefault;
        to_device =
            guess ? is_device(to) : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
        from_device =
            guess ? is_device(from) : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    }
    bool valid() const { return fits(to, bytes, to_device) && fits(from, bytes, from_device); }
    void run() const {
        if (!valid())
            throw device_error("a copy of " + std::to_string(bytes) + " bytes, whose memory was freed");
        const opened_for_copy opened_to(to), opened_from(from);
        std::memcpy(to, from, bytes);
    }
};

// Pageable memory is read at the call, as CUDA promises; written when the stream gets there, which CUDA
// allows.
cudaError_t enqueue_copy(copy c, cudaStream_t stream) {
    if (c.bytes == 0) return is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (!c.valid()) return cudaErrorInvalidValue;
    if (!c.from_device && memory().find(c.from) == nullptr && !is_captured(stream)) {
        const auto* bytes = static_cast<const std::byte*>(c.from);
        const auto staged = std::make_shared<const std::vector<std::byte>>(bytes, bytes + c.bytes);
        return enqueue(stream, [c, staged]() mutable {
            c.from = staged->data();
            c.run();
        });
    }
    return enqueue(stream, [c] { c.run(); });
}

cudaError_t enqueue_set(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    if (bytes == 0) return is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (!fits(to, bytes, true)) return cudaErrorInvalidValue;
    return enqueue(stream, [=] {
        if (!fits(to, bytes, true)) throw device_error("cudaMemset on memory that was freed");
        const opened_for_copy opened(to);
        std::memset(to, value, bytes);
    });
}

cudaError_t then_finish(cudaError_t enqueued, cudaStream_t stream) {
    return enqueued == cudaSuccess ? finish(stream) : enqueued;
}

}  // namespace

void set_multiprocessors(int count) { multiprocessors = count; }

}  // namespace emulated_cuda

using namespace emulated_cuda;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
    return api_call("cudaMalloc", effect::allocates,
                    [&] { return allocate(pointer, bytes, memory_kind::device); });
}

cudaError_t cudaFree(void* pointer) {
    return api_call("cudaFree", effect::waits, [&] { return release(pointer, memory_kind::device); });
}

// The memory of a graph's own allocations is not emulated: both are refused in a capture of any mode.
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
    return api_call("cudaMallocAsync", effect::none, [&] {
        if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
        if (const cudaError_t refused = refused_by_captures(false); refused != cudaSuccess) return refused;
        return allocate(pointer, bytes, memory_kind::device);
    });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return api_call("cudaFreeAsync", effect::none, [&] {
        if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
        if (const cudaError_t refused = refused_by_captures(false); refused != cudaSuccess) return refused;
        if (pointer == nullptr) return cudaSuccess;
        if (!memory().will_release(pointer)) return cudaErrorInvalidValue;
        return enqueue(stream, [pointer] {
            if (!memory().release(pointer, memory_kind::device)) throw device_error("memory is freed twice");
        });
    });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
    return api_call("cudaMallocHost", effect::allocates,
                    [&] { return allocate(pointer, bytes, memory_kind::pinned); });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    return api_call("cudaHostAlloc", effect::allocates, [&] {
        if (flags > (cudaHostAllocPortable | cudaHostAllocMapped)) return cudaErrorInvalidValue;
        return allocate(pointer, bytes, memory_kind::pinned);
    });
}

cudaError_t cudaFreeHost(void* pointer) {
    return api_call("cudaFreeHost", effect::waits, [&] { return release(pointer, memory_kind::pinned); });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return api_call("cudaMemcpy", effect::waits, [&] {
        return then_finish(enqueue_copy({to, from, bytes, kind}, nullptr), nullptr);
    });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return api_call("cudaMemcpyAsync", effect::none, [&] {
        return enqueue_copy({to, from, bytes, kind}, stream);
    });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    return api_call("cudaMemset", effect::waits,
                    [&] { return then_finish(enqueue_set(to, value, bytes, nullptr), nullptr); });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return api_call("cudaMemsetAsync", effect::none, [&] { return enqueue_set(to, value, bytes, stream); });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return api_call("cudaPointerGetAttributes", effect::none, [&] {
        if (attributes == nullptr) return cudaErrorInvalidValue;
        *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, const_cast<void*>(pointer)};
        if (const allocation* found = memory().find(pointer)) {
            const bool device = found->kind == memory_kind::device;
            attributes->type = device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
            attributes->device = 0;
            attributes->devicePointer = const_cast<void*>(pointer);
            if (device) attributes->hostPointer = nullptr;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceCount(int* count) {
    return api_call("cudaGetDeviceCount", effect::none, [&] {
        if (count == nullptr) return cudaErrorInvalidValue;
        *count = 1;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int* device) {
    return api_call("cudaGetDevice", effect::none, [&] {
        if (device == nullptr) return cudaErrorInvalidValue;
        *device = 0;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device) {
    return api_call("cudaSetDevice", effect::none,
                    [&] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return api_call("cudaDeviceGetAttribute", effect::none, [&] {
        if (device != 0) return cudaErrorInvalidDevice;
        if (value == nullptr) return cudaErrorInvalidValue;
        switch (attribute) {
            case cudaDevAttrMaxThreadsPerBlock: *value = 1024; return cudaSuccess;
            case cudaDevAttrWarpSize: *value = 32; return cudaSuccess;
            case cudaDevAttrMultiProcessorCount: *value = multiprocessors; return cudaSuccess;
            case cudaDevAttrComputeCapabilityMajor: *value = 8; return cudaSuccess;
            case cudaDevAttrComputeCapabilityMinor: *value = 0; return cudaSuccess;
            case cudaDevAttrMemoryPoolsSupported: *value = 1; return cudaSuccess;
        }
        return cudaErrorInvalidValue;
    });
}
