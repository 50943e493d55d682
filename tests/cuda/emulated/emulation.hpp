// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What tests ask of the emulated device and set on it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "runtime_types.h"

namespace emulated_cuda {

//! A mistake that a device would answer with wrong results, a hang or a dead context: a barrier or shuffle
//! that some thread does not reach, an access outside of what is allocated, an unknown instruction. Thrown
//! where the stream is waited for.
class device_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

//! The order of blocks in a grid and of threads in a block. The environment variable ADAMANT_ORDER (forward,
//! reverse, shuffled) says with which a program starts; forward without it.
enum class order { forward, reverse, shuffled };
inline constexpr order all_orders[] = {order::forward, order::reverse, order::shuffled};
void set_order(order of_blocks_and_threads);

//! Interprets these files (paths between colons) from now on instead of calling functions; empty: calls them.
//! Throws device_error where a file cannot be read or holds what the interpreter does not know.
void use_ptx(std::string_view files);
//! Whether launches are interpreted.
bool uses_ptx();

//! Calls of a function by name, like "cudaMemcpyAsync", since the last reset().
std::uint64_t calls(std::string_view function);
//! Calls that make the host wait: of streams, events, the device, cudaMemcpy and cudaMemset, cudaFree and
//! cudaFreeHost.
std::uint64_t synchronisations();
std::uint64_t launches();     //!< of kernels, by calls
std::uint64_t kernels_run();  //!< since the program started, graphs included
std::uint64_t instructions_interpreted();
//! A block of PTX that takes more instructions runs without end; 2^28 at the start, some seconds.
void set_longest_block(std::uint64_t instructions);
std::uint64_t allocations();       //!< of device and pinned host memory, by calls
std::uint64_t bytes_on_device();   //!< allocated now
std::uint64_t live_allocations();  //!< now

//! The n-th call of a function from now on fails with an error and does nothing else (0: the next one).
void fail_call(std::string_view function, std::uint64_t n, cudaError_t error);
//! Forgets counts, failures to come, and the last error.
void reset();

//! What cudaDevAttrMultiProcessorCount says; 4 at the start.
void set_multiprocessors(int count);

}  // namespace emulated_cuda
