// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Types and constants of the CUDA runtime, with its values.
#pragma once

#include <cstddef>

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned of_x = 1, unsigned of_y = 1, unsigned of_z = 1) : x(of_x), y(of_y), z(of_z) {}
};

struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};

// Names and values, for the enumeration and for cudaGetErrorName and cudaGetErrorString.
#define ADAMANT_CUDA_ERRORS(X)                                                                           \
    X(cudaSuccess, 0, "no error")                                                                        \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                                      \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                                     \
    X(cudaErrorInitializationError, 3, "initialization error")                                           \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                          \
    X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient")                            \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                     \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                      \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                             \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                    \
    X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")              \
    X(cudaErrorNotReady, 600, "device not ready")                                                        \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                          \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                     \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                         \
    X(cudaErrorNotSupported, 801, "operation not supported")                                             \
    X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")        \
    X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
    X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                         \
    X(cudaErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream")   \
    X(cudaErrorStreamCaptureImplicit, 906,                                                               \
      "operation would make the legacy stream depend on a capturing blocking stream")                    \
    X(cudaErrorCapturedEvent, 907,                                                                       \
      "operation not permitted on an event last recorded in a capturing stream")                         \
    X(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define ADAMANT_ENUMERATOR(name, value, text) name = value,
    ADAMANT_CUDA_ERRORS(ADAMANT_ENUMERATOR)
#undef ADAMANT_ENUMERATOR
};
using cudaError_t = cudaError;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;

inline constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;
inline constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2;

enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};

struct cudaFuncAttributes {
    std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMemoryPoolsSupported = 115
};

struct cudaLaunchAttribute {
    int id;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    std::size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};
