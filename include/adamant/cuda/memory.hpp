// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! cuda::memory: where the state of an optimizer on a GPU lives, and the stream on which it works.
#pragma once

#include <cstddef>
#include <string>

#include <adamant/cuda/call.hpp>
#include <adamant/state/memory.hpp>

namespace adamant::inline v0::cuda {

//! Where device memory comes from; the user's own (a pool, an arena) derives from it. Memory is used in the
//! order of the stream, aligned to 256 bytes.
class memory_resource {
public:
    virtual ~memory_resource() = default;
    virtual void* allocate(std::size_t bytes, cudaStream_t stream) = 0;
    virtual void deallocate(void* pointer, std::size_t bytes, cudaStream_t stream) noexcept = 0;
};

//! cudaMallocAsync and cudaFreeAsync.
class stream_ordered_resource final : public memory_resource {
public:
    void* allocate(std::size_t bytes, cudaStream_t stream) override {
        void* pointer = nullptr;
        check(cudaMallocAsync(&pointer, bytes, stream),
              "cudaMallocAsync of " + std::to_string(bytes) + " bytes");
        return pointer;
    }
    void deallocate(void* pointer, std::size_t, cudaStream_t stream) noexcept override {
        static_cast<void>(cudaFreeAsync(pointer, stream));  // a destructor has nobody to tell
    }
    static stream_ordered_resource& instance() {
        static stream_ordered_resource resource;
        return resource;
    }
};

//! The memory of adam<Policy, cuda::memory>: a stream and a resource, both of which outlive the optimizer.
class memory {
public:
    memory(cudaStream_t stream = nullptr,  // NOLINT(google-explicit-constructor): a stream is enough
           memory_resource& resource = stream_ordered_resource::instance())
        : stream_(stream), resource_(&resource) {}

    void* allocate(std::size_t bytes, std::size_t) { return resource_->allocate(bytes, stream_); }
    void deallocate(void* pointer, std::size_t bytes, std::size_t) noexcept {
        resource_->deallocate(pointer, bytes, stream_);
    }
    void fill_zero(void* pointer, std::size_t bytes) {
        check(cudaMemsetAsync(pointer, 0, bytes, stream_),
              "cudaMemsetAsync of " + std::to_string(bytes) + " bytes");
    }
    cudaStream_t stream() const { return stream_; }

    //! Copies either way, after what the stream has been given before, and waits.
    void copy(void* to, const void* from, std::size_t bytes) const {
        if (bytes == 0) return;
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_),
              "cudaMemcpyAsync of " + std::to_string(bytes) + " bytes");
        wait();
    }
    void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

private:
    cudaStream_t stream_;
    memory_resource* resource_;
};

}  // namespace adamant::inline v0::cuda
