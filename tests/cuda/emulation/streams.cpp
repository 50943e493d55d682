// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "streams.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <runtime_api.h>
#include <emulation.hpp>

#include "api_call.hpp"

using work = std::function<void()>;

namespace emulated_cuda {
namespace {
void run(const work& next);
}
}  // namespace emulated_cuda

struct CUgraph_st {
    std::vector<work> nodes;  // in the order of capture, which is one that their dependencies allow
};

struct CUgraphExec_st {
    std::shared_ptr<const std::vector<work>> nodes;
};

struct CUstream_st {
    struct item {
        std::uint64_t ticket;
        work run;
    };
    struct capture {
        cudaStreamCaptureMode mode;
        bool invalid = false;
        std::vector<work> nodes{};
    };
    bool blocking = true;  // waits for the default stream and lets it wait
    std::deque<item> pending{};
    std::unique_ptr<capture> captured{};

    bool done(std::uint64_t ticket) const { return pending.empty() || pending.front().ticket > ticket; }
    void run_to(std::uint64_t ticket) {
        while (!done(ticket)) {
            const work next = std::move(pending.front().run);
            pending.pop_front();
            emulated_cuda::run(next);
        }
    }
    void run_all() { run_to(std::numeric_limits<std::uint64_t>::max()); }
};

using stream_pointer = std::shared_ptr<CUstream_st>;
using clock_type = std::chrono::steady_clock;

struct CUevent_st {
    bool timed;
    bool captured = false;
    stream_pointer stream{};  // where it was recorded last, if it was
    std::uint64_t ticket = 0;
    std::shared_ptr<clock_type::time_point> reached{};

    bool done() const { return stream == nullptr || stream->done(ticket); }
    void wait() const {
        if (stream != nullptr) stream->run_to(ticket);
    }
};

namespace emulated_cuda {
namespace {

// What exists, by handle. A destroyed stream that still has work is kept until that is done.
struct registry {
    stream_pointer default_stream = std::make_shared<CUstream_st>();
    std::map<cudaStream_t, stream_pointer> streams;
    std::vector<stream_pointer> destroyed;
    std::map<cudaEvent_t, std::unique_ptr<CUevent_st>> events;
    std::map<cudaGraph_t, std::unique_ptr<CUgraph_st>> graphs;
    std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>> executables;
    std::uint64_t tickets = 0;
};

registry& all() {
    static registry the_registry;
    return the_registry;
}

// A device that failed does nothing more of what it was given. (A real one does nothing more at all.)
void run(const work& next) {
    try {
        next();
    } catch (...) {
        all().default_stream->pending.clear();
        for (const auto& [handle, stream] : all().streams) stream->pending.clear();
        all().destroyed.clear();
        throw;
    }
}

stream_pointer find(cudaStream_t stream) {
    if (stream == nullptr) return all().default_stream;
    const auto found = all().streams.find(stream);
    return found == all().streams.end() ? nullptr : found->second;
}

template <class Map, class Handle>
bool exists(const Map& map, Handle handle) {
    return map.find(handle) != map.end();
}

std::uint64_t push(CUstream_st& stream, work run) {
    stream.pending.push_back({++all().tickets, std::move(run)});
    return stream.pending.back().ticket;
}

void push_wait(CUstream_st& stream, const stream_pointer& other, std::uint64_t ticket) {
    if (!other->done(ticket)) push(stream, [other, ticket] { other->run_to(ticket); });
}

// The default stream waits for what is in blocking ones, and they for what is in it.
void push_implicit_waits(const stream_pointer& stream) {
    const auto wait_for = [&](const stream_pointer& other) {
        if (other != stream && other->blocking && !other->pending.empty())
            push_wait(*stream, other, other->pending.back().ticket);
    };
    if (stream == all().default_stream) {
        for (const auto& [handle, other] : all().streams) wait_for(other);
        for (const auto& other : all().destroyed) wait_for(other);
    } else if (stream->blocking) {
        wait_for(all().default_stream);
    }
}

cudaError_t invalidate(CUstream_st& stream, cudaError_t error) {
    stream.captured->invalid = true;
    return error;
}

}  // namespace

bool is_stream(cudaStream_t stream) { return find(stream) != nullptr; }

bool is_captured(cudaStream_t stream) {
    const auto found = find(stream);
    return found != nullptr && found->captured != nullptr;
}

cudaError_t refused_by_captures(bool is_allocation) {
    cudaError_t refused = cudaSuccess;
    for (const auto& [handle, stream] : all().streams)
        if (stream->captured && !(is_allocation && stream->captured->mode == cudaStreamCaptureModeRelaxed))
            refused = invalidate(*stream, cudaErrorStreamCaptureUnsupported);
    return refused;
}

cudaError_t enqueue(cudaStream_t handle, work run) {
    const stream_pointer stream = find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->captured) {
        if (stream->captured->invalid) return cudaErrorStreamCaptureInvalidated;
        stream->captured->nodes.push_back(std::move(run));
        return cudaSuccess;
    }
    if (stream == all().default_stream)
        for (const auto& [other_handle, other] : all().streams)
            if (other->captured && other->blocking) return invalidate(*other, cudaErrorStreamCaptureImplicit);
    push_implicit_waits(stream);
    push(*stream, std::move(run));
    return cudaSuccess;
}

cudaError_t finish(cudaStream_t handle) {
    const stream_pointer stream = find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    push_implicit_waits(stream);
    stream->run_all();
    return cudaSuccess;
}

void finish_all() {
    all().default_stream->run_all();
    const auto streams = all().streams;
    for (const auto& [handle, stream] : streams) stream->run_all();
    for (const auto& stream : std::exchange(all().destroyed, {})) stream->run_all();
}

}  // namespace emulated_cuda

using namespace emulated_cuda;

cudaError_t cudaDeviceSynchronize() {
    return api_call("cudaDeviceSynchronize", effect::waits, [] {
        finish_all();
        return cudaSuccess;
    });
}

static cudaError_t create_stream(cudaStream_t* handle, bool blocking) {
    if (handle == nullptr) return cudaErrorInvalidValue;
    const auto made = std::make_shared<CUstream_st>();
    made->blocking = blocking;
    all().streams.emplace(made.get(), made);
    *handle = made.get();
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return api_call("cudaStreamCreate", effect::none, [&] { return create_stream(stream, true); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return api_call("cudaStreamCreateWithFlags", effect::none, [&] {
        if (flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
        return create_stream(stream, flags != cudaStreamNonBlocking);
    });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    return api_call("cudaStreamDestroy", effect::none, [&] {
        const auto found = all().streams.find(handle);
        if (found == all().streams.end()) return cudaErrorInvalidResourceHandle;
        found->second->captured.reset();
        if (!found->second->pending.empty()) all().destroyed.push_back(found->second);
        all().streams.erase(found);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return api_call("cudaStreamSynchronize", effect::waits, [&] { return finish(stream); });
}

// It never waits, so what is not done stays so.
cudaError_t cudaStreamQuery(cudaStream_t handle) {
    return api_call("cudaStreamQuery", effect::none, [&] {
        const auto stream = find(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (stream->captured) return invalidate(*stream, cudaErrorStreamCaptureUnsupported);
        return stream->pending.empty() ? cudaSuccess : cudaErrorNotReady;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
    return api_call("cudaStreamWaitEvent", effect::none, [&] {
        const auto stream = find(handle);
        if (stream == nullptr || !exists(all().events, event)) return cudaErrorInvalidResourceHandle;
        if (flags != 0) return cudaErrorInvalidValue;
        if (stream->captured && event->stream == stream && event->captured) return cudaSuccess;
        if (stream->captured && !event->captured) return invalidate(*stream, cudaErrorStreamCaptureIsolation);
        if (event->captured) return cudaErrorNotSupported;  // a capture over two streams is not emulated
        if (event->stream != nullptr) push_wait(*stream, event->stream, event->ticket);
        return cudaSuccess;
    });
}

static cudaError_t create_event(cudaEvent_t* handle, unsigned flags) {
    if (handle == nullptr || flags > (cudaEventBlockingSync | cudaEventDisableTiming))
        return cudaErrorInvalidValue;
    auto made = std::make_unique<CUevent_st>(CUevent_st{.timed = (flags & cudaEventDisableTiming) == 0});
    *handle = made.get();
    all().events.emplace(*handle, std::move(made));
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return api_call("cudaEventCreate", effect::none, [&] { return create_event(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return api_call("cudaEventCreateWithFlags", effect::none, [&] { return create_event(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return api_call("cudaEventDestroy", effect::none, [&] {
        return all().events.erase(event) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
    return api_call("cudaEventRecord", effect::none, [&] {
        const auto stream = find(handle);
        if (stream == nullptr || !exists(all().events, event)) return cudaErrorInvalidResourceHandle;
        const auto reached = std::make_shared<clock_type::time_point>();
        const bool captured = stream->captured != nullptr;
        const cudaError_t error = enqueue(handle, [reached] { *reached = clock_type::now(); });
        if (error != cudaSuccess) return error;
        event->captured = captured;
        event->stream = stream;
        event->ticket = captured ? 0 : stream->pending.back().ticket;
        event->reached = reached;
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return api_call("cudaEventSynchronize", effect::waits, [&] {
        if (!exists(all().events, event)) return cudaErrorInvalidResourceHandle;
        if (event->captured) return cudaErrorCapturedEvent;
        event->wait();
        return cudaSuccess;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return api_call("cudaEventQuery", effect::none, [&] {
        if (!exists(all().events, event)) return cudaErrorInvalidResourceHandle;
        if (event->captured) return cudaErrorCapturedEvent;
        return event->done() ? cudaSuccess : cudaErrorNotReady;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return api_call("cudaEventElapsedTime", effect::none, [&] {
        for (const cudaEvent_t event : {start, end}) {
            if (!exists(all().events, event) || event->stream == nullptr || !event->timed)
                return cudaErrorInvalidResourceHandle;
            if (event->captured) return cudaErrorCapturedEvent;
            if (!event->done()) return cudaErrorNotReady;
        }
        if (milliseconds == nullptr) return cudaErrorInvalidValue;
        *milliseconds = std::chrono::duration<float, std::milli>(*end->reached - *start->reached).count();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
    return api_call("cudaStreamBeginCapture", effect::none, [&] {
        if (handle == nullptr) return cudaErrorStreamCaptureUnsupported;  // the default stream cannot be
        const auto stream = find(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (stream->captured) return cudaErrorIllegalState;
        stream->captured = std::make_unique<CUstream_st::capture>(CUstream_st::capture{.mode = mode});
        return cudaSuccess;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    return api_call("cudaStreamEndCapture", effect::none, [&] {
        const auto stream = find(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (stream->captured == nullptr) return cudaErrorIllegalState;
        if (graph == nullptr) return cudaErrorInvalidValue;
        const auto captured = std::exchange(stream->captured, nullptr);
        *graph = nullptr;
        if (captured->invalid) return cudaErrorStreamCaptureInvalidated;
        auto made = std::make_unique<CUgraph_st>(CUgraph_st{std::move(captured->nodes)});
        *graph = made.get();
        all().graphs.emplace(*graph, std::move(made));
        return cudaSuccess;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    return api_call("cudaStreamIsCapturing", effect::none, [&] {
        const auto stream = find(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (status == nullptr) return cudaErrorInvalidValue;
        *status = stream->captured == nullptr ? cudaStreamCaptureStatusNone
                  : stream->captured->invalid ? cudaStreamCaptureStatusInvalidated
                                              : cudaStreamCaptureStatusActive;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    return api_call("cudaGraphInstantiate", effect::none, [&] {
        if (executable == nullptr || flags != 0 || !exists(all().graphs, graph)) return cudaErrorInvalidValue;
        auto made = std::make_unique<CUgraphExec_st>(
            CUgraphExec_st{std::make_shared<const std::vector<work>>(graph->nodes)});
        *executable = made.get();
        all().executables.emplace(*executable, std::move(made));
        return cudaSuccess;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    return api_call("cudaGraphLaunch", effect::none, [&] {
        if (!exists(all().executables, executable)) return cudaErrorInvalidValue;
        return enqueue(stream, [nodes = executable->nodes] {
            for (const work& node : *nodes) node();
        });
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return api_call("cudaGraphDestroy", effect::none,
                    [&] { return all().graphs.erase(graph) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return api_call("cudaGraphExecDestroy", effect::none, [&] {
        return all().executables.erase(executable) != 0 ? cudaSuccess : cudaErrorInvalidValue;
    });
}
