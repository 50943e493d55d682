// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The kernels for nvcc.
#include "kernels.hpp"

namespace bits {

template __global__ void block_sums<float>(const float*, std::uint32_t, float*);
template __global__ void block_sums<double>(const double*, std::uint32_t, double*);

// A function of the host that names it instantiates a hidden one.
void use_hidden() {
    cudaLaunchKernelEx(static_cast<const cudaLaunchConfig_t*>(nullptr), hidden<float>,
                       static_cast<float*>(nullptr));
}

}  // namespace bits
