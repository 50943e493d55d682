// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A kernel with more parameters than a launch can carry, by one byte.
// EXPECT-ERROR: [adamant] a kernel's parameters have at most 32,764 bytes: hand over more by pointer.
#include <cuda_runtime.h>

struct table {
#ifdef TWIN
    char bytes[32756];
#else
    char bytes[32757];
#endif
};

__global__ void kernel(int*, const __grid_constant__ table) {}

int main() {
    const cudaLaunchConfig_t config{};
    return cudaLaunchKernelEx(&config, kernel, nullptr, table{});
}
