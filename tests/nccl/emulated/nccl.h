// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! <nccl.h> of a machine without a GPU: what nccl::communicator calls, over MPI and the emulated CUDA
//! runtime. It shows that calls and copies are right, not what NCCL makes of them. For tests only.
#pragma once

#include <cuda_runtime.h>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <vector>

enum ncclResult_t { ncclSuccess = 0, ncclInvalidArgument = 4, ncclRemoteError = 6 };
enum ncclDataType_t { ncclUint8 = 1 };

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
