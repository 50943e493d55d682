// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! <cuda_runtime.h> of a machine without a GPU: with this folder first on the include path, a kernel header
//! that launches by cudaLaunchKernelEx is plain C++ and runs on the CPU, under sanitizers. For tests only.
//!
//! What is offered is what the kernels use, by CUDA's names. Harsher than a device where that finds mistakes:
//! a stream works only when it is waited for, fresh memory is NaN, memory of the device is poisoned for the
//! host (where there is an address sanitizer), a barrier or shuffle that some thread does not reach is an
//! exception, and what a capture must not see fails. Where ADAMANT_PTX names files that nvcc made (a:b:c), a
//! launch interprets them instead of calling the function. emulation.hpp holds what tests ask and set.
#pragma once

#define ADAMANT_CUDA_EMULATED 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
// One per kernel is enough, blocks run one after the other; what a block leaves is overwritten before the
// next.
#define __shared__ static

#include "device_functions.h"
#include "launch.h"
#include "runtime_api.h"
#include "runtime_types.h"
