// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! nccl::communicator: the ranks of an NCCL communicator, by grouped sends and receives;
//! nccl::reducing_communicator: the same, with NCCL's own reductions.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <adamant/base/error.hpp>
#include <adamant/train/communicator.hpp>
#include <adamant/train/rank_sum.hpp>

namespace adamant::inline v0::nccl {

struct communicator_options {
    //! How long a call waits for other ranks before it throws, as mpi::communicator_options. 0: for ever.
    std::chrono::milliseconds patience{7000};
};

//! Throws communication_error, with NCCL's text, for a call that failed.
inline void check(ncclResult_t result, const char* call) {
    if (result != ncclSuccess)
        throw communication_error("[adamant] calls to NCCL succeed: " + std::string(call) + " returned " +
                                  std::to_string(static_cast<int>(result)) + ", " +
                                  ncclGetErrorString(result) + ".");
}
inline void check(cudaError_t result, const char* call) {
    if (result != cudaSuccess)
        throw cuda_error("[adamant] calls to CUDA succeed: " + std::string(call) + " failed with error " +
                             std::to_string(static_cast<int>(result)) + ", " + cudaGetErrorString(result) +
                             ".",
                         static_cast<int>(result));
}

//! Ranks of a communicator and work on a stream, both of which outlive it and belong to nobody else
//! meanwhile. Memory may be the device's or the host's; the host's goes through device memory of its size.
//! Move-only.
class communicator {
    //! Device memory in the order of a stream.
    class block {
    public:
        block(std::int64_t bytes, cudaStream_t stream) : stream_(stream) {
            check(cudaMallocAsync(&data_, static_cast<std::size_t>(bytes), stream), "cudaMallocAsync");
        }
        block(block&& other) noexcept : data_(std::exchange(other.data_, nullptr)), stream_(other.stream_) {}
        block& operator=(block&& other) noexcept {
            std::swap(data_, other.data_);
            std::swap(stream_, other.stream_);
            return *this;
        }
        ~block() {
            if (data_ != nullptr) static_cast<void>(cudaFreeAsync(data_, stream_));
        }
        void* data() const { return data_; }

    private:
        void* data_ = nullptr;
        cudaStream_t stream_;
    };
    class event {
    public:
        event() { check(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming), "cudaEventCreate"); }
        event(event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
        event& operator=(event&& other) noexcept {
            std::swap(handle_, other.handle_);
            return *this;
        }
        ~event() {
            if (handle_ != nullptr) static_cast<void>(cudaEventDestroy(handle_));
        }
        cudaEvent_t handle() const { return handle_; }

    private:
        cudaEvent_t handle_ = nullptr;
    };
    //! Host memory that a block has arrived for.
    struct arrival {
        void* to;
        const void* from;
        std::int64_t bytes;
    };

public:
    class request {
        friend communicator;
        event done_;
        std::vector<block> blocks_;
        std::vector<arrival> arrivals_;
    };

    communicator(ncclComm_t comm, cudaStream_t stream, communicator_options options = {})
        : comm_(comm), stream_(stream), options_(options) {
        if (comm == nullptr)
            throw communication_error("[adamant] ranks need a communicator: got a null ncclComm_t.");
        if (options.patience.count() < 0)
            throw config_error("[adamant] patience is not negative: write 0 to wait for ever.");
        check(ncclCommUserRank(comm, &rank_), "ncclCommUserRank");
        check(ncclCommCount(comm, &size_), "ncclCommCount");
        // What arrived is copied while later exchanges already wait on the other stream.
        check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    }
    communicator(communicator&& other) noexcept
        : comm_(other.comm_),
          stream_(other.stream_),
          copies_(std::exchange(other.copies_, nullptr)),
          before_(std::move(other.before_)),
          options_(other.options_),
          rank_(other.rank_),
          size_(other.size_) {}
    communicator& operator=(communicator&&) = delete;
    ~communicator() {
        if (copies_ != nullptr) static_cast<void>(cudaStreamDestroy(copies_));
    }

    int rank() const { return rank_; }
    int size() const { return size_; }

    //! Exchanges to come begin after what `stream` was given before.
    void follow(cudaStream_t stream) {
        if (stream == stream_) return;
        check(cudaEventRecord(before_.handle(), stream), "cudaEventRecord");
        check(cudaStreamWaitEvent(stream_, before_.handle(), 0), "cudaStreamWaitEvent");
    }

    request exchange(std::span<const outgoing> out, std::span<const incoming> in) {
        request result;
        std::vector<const void*> sources;
        std::vector<void*> targets;
        for (const outgoing& o : out) sources.push_back(on_device(o, result));
        for (const incoming& i : in) targets.push_back(on_device(i, result));
        check(ncclGroupStart(), "ncclGroupStart");
        try {
            for (std::size_t i = 0; i < out.size(); ++i)
                check(ncclSend(sources[i], static_cast<std::size_t>(out[i].bytes), ncclUint8, out[i].rank,
                               comm_, stream_),
                      "ncclSend");
            for (std::size_t i = 0; i < in.size(); ++i)
                check(ncclRecv(targets[i], static_cast<std::size_t>(in[i].bytes), ncclUint8, in[i].rank,
                               comm_, stream_),
                      "ncclRecv");
        } catch (...) {
            static_cast<void>(ncclGroupEnd());  // it says again what has failed
            throw;
        }
        check(ncclGroupEnd(), "ncclGroupEnd");
        end_of(result);
        return result;
    }

    bool test(request& r) {
        ncclResult_t failure = ncclSuccess;
        check(ncclCommGetAsyncError(comm_, &failure), "ncclCommGetAsyncError");
        check(failure, "an exchange");
        const cudaError_t state = cudaEventQuery(r.done_.handle());
        if (state == cudaErrorNotReady) return false;
        check(state, "cudaEventQuery");
        if (!r.arrivals_.empty()) {
            for (const arrival& a : r.arrivals_)
                check(cudaMemcpyAsync(a.to, a.from, static_cast<std::size_t>(a.bytes), cudaMemcpyDeviceToHost,
                                      copies_),
                      "cudaMemcpyAsync");
            check(cudaStreamSynchronize(copies_), "cudaStreamSynchronize");
            r.arrivals_.clear();
        }
        r.blocks_.clear();
        return true;
    }

    //! Throws communication_error after the options' patience; ncclCommAbort is the caller's to call then.
    void wait(request& r) {
        const auto start = std::chrono::steady_clock::now();
        while (!test(r)) {
            if (options_.patience.count() > 0 && std::chrono::steady_clock::now() - start > options_.patience)
                throw communication_error(
                    "[adamant] all ranks take part: rank " + std::to_string(rank_) + " waited " +
                    std::to_string(options_.patience.count()) +
                    " ms for the others. Look there for what ended, or set patience to more than ranks are "
                    "apart.");
            std::this_thread::yield();
        }
    }

protected:
    //! ncclReduceScatter of memory of either kind.
    request reduce_scatter(const void* from, void* to, std::int64_t count, std::int64_t bytes_of_element,
                           ncclDataType_t type, ncclRedOp_t operation) {
        request result;
        const std::int64_t bytes = count * bytes_of_element;
        const void* const source = on_device(outgoing{rank_, from, bytes * size_}, result);
        void* const target = on_device(incoming{rank_, to, bytes}, result);
        check(ncclReduceScatter(source, target, static_cast<std::size_t>(count), type, operation, comm_,
                                stream_),
              "ncclReduceScatter");
        end_of(result);
        return result;
    }

private:
    void end_of(request& r) const { check(cudaEventRecord(r.done_.handle(), stream_), "cudaEventRecord"); }
    static bool is_on_device(const void* data) {
        cudaPointerAttributes attributes{};
        check(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
        return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    }
    const void* on_device(const outgoing& o, request& r) const {
        if (is_on_device(o.data)) return o.data;
        const block& staged = r.blocks_.emplace_back(o.bytes, stream_);
        check(cudaMemcpyAsync(staged.data(), o.data, static_cast<std::size_t>(o.bytes),
                              cudaMemcpyHostToDevice, stream_),
              "cudaMemcpyAsync");
        return staged.data();
    }
    void* on_device(const incoming& i, request& r) const {
        if (is_on_device(i.data)) return i.data;
        void* const staged = r.blocks_.emplace_back(i.bytes, stream_).data();
        r.arrivals_.push_back({i.data, staged, i.bytes});
        return staged;
    }

    ncclComm_t comm_;
    cudaStream_t stream_;
    cudaStream_t copies_ = nullptr;
    event before_;  // of another stream, which exchanges follow
    communicator_options options_;
    int rank_ = 0;
    int size_ = 1;
};

//! Gradients are reduced by ncclReduceScatter: fewer bytes and no memory for what arrives, but in the order
//! and with the roundings of NCCL's algorithm, in the bucket's dtype. Outside the promise of the same bits
//! for any number of ranks; all else is communicator's.
class reducing_communicator : public communicator {
public:
    using communicator::communicator;

    template <class T>
    request reduce_scatter(const T* bucket, T* own, std::int64_t count, reduction how) {
        constexpr dtype type = dtype_of<T>;
        return communicator::reduce_scatter(bucket, own, count, sizeof(T),
                                            type == dtype::fp32   ? ncclFloat32
                                            : type == dtype::bf16 ? ncclBfloat16
                                                                  : ncclFloat16,
                                            how == reduction::mean ? ncclAvg : ncclSum);
    }
};

}  // namespace adamant::inline v0::nccl
