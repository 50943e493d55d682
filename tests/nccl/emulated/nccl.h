// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! <nccl.h> of a machine without a GPU: what nccl::communicator calls, over MPI and the emulated CUDA
//! runtime. It shows that calls and copies are right, not what NCCL makes of them. For tests only.
#pragma once

#include <cuda_runtime.h>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <adamant/numerics/bfloat16.hpp>
#include <adamant/numerics/float16.hpp>

#include <cstddef>
#include <vector>

enum ncclResult_t { ncclSuccess = 0, ncclInvalidArgument = 4, ncclRemoteError = 6 };
enum ncclDataType_t { ncclUint8 = 1, ncclFloat16 = 6, ncclFloat32 = 7, ncclBfloat16 = 9 };
enum ncclRedOp_t { ncclSum = 0, ncclAvg = 4 };

struct ncclComm {
    MPI_Comm comm;
    ncclResult_t async_error = ncclSuccess;
    bool is_stuck = false;
};
using ncclComm_t = ncclComm*;

namespace emulated_nccl {

struct call {
    const void* source;
    void* target;
    std::size_t bytes;
    int peer;
    ncclComm_t comm;
    cudaStream_t stream;
};
inline std::vector<call> group;
inline bool is_grouped = false;

inline ncclResult_t add(const call& c) {
    int size = 0;
    MPI_Comm_size(c.comm->comm, &size);
    cudaPointerAttributes attributes{};
    const void* data = c.source != nullptr ? c.source : c.target;
    if (!is_grouped || c.peer < 0 || c.peer >= size ||
        cudaPointerGetAttributes(&attributes, data) != cudaSuccess || attributes.type != cudaMemoryTypeDevice)
        return ncclInvalidArgument;
    group.push_back(c);
    return ncclSuccess;
}

}  // namespace emulated_nccl

inline const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess: return "no error";
        case ncclInvalidArgument: return "invalid argument";
        default: return "remote process exited or there was a network error";
    }
}
inline ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
    return MPI_Comm_rank(comm->comm, rank) == MPI_SUCCESS ? ncclSuccess : ncclInvalidArgument;
}
inline ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
    return MPI_Comm_size(comm->comm, count) == MPI_SUCCESS ? ncclSuccess : ncclInvalidArgument;
}
//! A device works by itself; the emulated one works when it is waited for, which is here.
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
    if (!comm->is_stuck) static_cast<void>(cudaDeviceSynchronize());
    *error = comm->async_error;
    return ncclSuccess;
}
inline ncclResult_t ncclSend(const void* data, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                             cudaStream_t stream) {
    return emulated_nccl::add({data, nullptr, count, peer, comm, stream});
}
inline ncclResult_t ncclRecv(void* data, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                             cudaStream_t stream) {
    return emulated_nccl::add({nullptr, data, count, peer, comm, stream});
}
inline ncclResult_t ncclGroupStart() {
    emulated_nccl::is_grouped = true;
    return ncclSuccess;
}
//! In the order of the stream: what it was given before is done first, and the group is done on return.
inline ncclResult_t ncclGroupEnd() {
    std::vector<MPI_Request> requests;
    for (const emulated_nccl::call& c : emulated_nccl::group) {
        if (cudaStreamSynchronize(c.stream) != cudaSuccess) return ncclInvalidArgument;
        MPI_Request& request = requests.emplace_back(MPI_REQUEST_NULL);
        const auto bytes = static_cast<int>(c.bytes);
        if (c.source != nullptr) MPI_Isend(c.source, bytes, MPI_BYTE, c.peer, 7, c.comm->comm, &request);
        else MPI_Irecv(c.target, bytes, MPI_BYTE, c.peer, 7, c.comm->comm, &request);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    emulated_nccl::group.clear();
    emulated_nccl::is_grouped = false;
    return ncclSuccess;
}

namespace emulated_nccl {

template <class T, class ToFloat, class FromFloat>
void reduce_scatter(const void* from, void* to, std::size_t count, ncclRedOp_t operation, MPI_Comm comm,
                    ToFloat to_float, FromFloat from_float) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    std::vector<float> all, own(count);
    const auto* const values = static_cast<const T*>(from);
    for (std::size_t i = 0; i < count * static_cast<std::size_t>(ranks); ++i)
        all.push_back(to_float(values[i]));
    MPI_Reduce_scatter_block(all.data(), own.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM, comm);
    for (std::size_t i = 0; i < count; ++i)
        static_cast<T*>(to)[i] =
            from_float(operation == ncclAvg ? own[i] / static_cast<float>(ranks) : own[i]);
}

}  // namespace emulated_nccl

//! Summed in fp32 by MPI, in its order; done on return.
inline ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                                      ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
    cudaPointerAttributes attributes{};
    for (const void* data : {from, static_cast<const void*>(to)})
        if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess ||
            attributes.type != cudaMemoryTypeDevice)
            return ncclInvalidArgument;
    if (cudaStreamSynchronize(stream) != cudaSuccess) return ncclInvalidArgument;
    const auto reduce = [&]<class T>(T, auto to_float, auto from_float) {
        emulated_nccl::reduce_scatter<T>(from, to, count, operation, comm->comm, to_float, from_float);
        return ncclSuccess;
    };
    switch (type) {
        case ncclFloat32:
            return reduce(
                float{}, [](float v) { return v; }, [](float v) { return v; });
        case ncclBfloat16:
            return reduce(
                adamant::bfloat16{}, [](adamant::bfloat16 v) { return to_float(v); }, adamant::to_bfloat16);
        case ncclFloat16:
            return reduce(
                adamant::float16{}, [](adamant::float16 v) { return to_float(v); }, adamant::to_float16);
        default: return ncclInvalidArgument;
    }
}
