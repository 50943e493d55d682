// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Streams, events and captured graphs. A stream is a list of work that is done when the host, an event or
//! another stream waits for it, and no sooner.
#pragma once

#include <functional>

#include <runtime_types.h>

namespace emulated_cuda {

//! Puts work at the end of a stream, or into the graph that the stream is captured to; a graph does it as
//! often as it is launched.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
//! Does what was put into a stream.
cudaError_t finish(cudaStream_t stream);
//! Does what was put into any.
void finish_all();

bool is_stream(cudaStream_t stream);
bool is_captured(cudaStream_t stream);
//! cudaErrorStreamCaptureUnsupported while some stream is captured, and that capture is then invalid. A
//! relaxed capture lets allocations pass.
cudaError_t refused_by_captures(bool is_allocation);

}  // namespace emulated_cuda
