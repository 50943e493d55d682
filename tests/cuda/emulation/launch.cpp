// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Launches: the function itself, or the PTX of that name.
#include <launch.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <runtime_api.h>
#include <emulation.hpp>

#include "../ptx/interpreter.hpp"
#include "api_call.hpp"
#include "grid.hpp"
#include "memory.hpp"
#include "streams.hpp"
#include "symbols.hpp"

namespace emulated_cuda {
namespace {

constexpr std::uint64_t most_threads = 1024;

struct alignas(64) aligned_bytes {
    std::byte bytes[64];
};

std::uint64_t kernels = 0;

struct ptx_files {
    std::vector<std::shared_ptr<const ptx::module>> modules;

    static ptx_files read(std::string_view paths) {
        ptx_files files;
        while (!paths.empty()) {
            const std::size_t end = std::min(paths.find(':'), paths.size());
            if (end > 0) files.modules.push_back(ptx::read(std::string(paths.substr(0, end))));
            paths.remove_prefix(std::min(end + 1, paths.size()));
        }
        return files;
    }
};

ptx_files& files() {
    static ptx_files the_files = [] {
        const char* named = std::getenv("ADAMANT_PTX");
        return ptx_files::read(named == nullptr ? "" : named);
    }();
    return the_files;
}

std::shared_ptr<const ptx::entry> entry_of(const kernel_function& kernel) {
    if (files().modules.empty()) return nullptr;
    const std::string& name = symbols_of(kernel.address).name;
    for (const auto& module : files().modules)
        if (const ptx::entry* found = ptx::find(*module, name)) return {module, found};
    throw device_error("no PTX of " + name + ": is it instantiated in a .cu file?");
}

void check_layout(const ptx::entry& entry, const kernel_function& kernel) {
    bool same = entry.parameters.size() == kernel.count;
    for (std::size_t i = 0; same && i < kernel.count; ++i)
        same = entry.parameters[i].offset == kernel.parameters[i].offset &&
               entry.parameters[i].size == kernel.parameters[i].size;
    if (!same) throw device_error("host and PTX lay out the parameters of " + entry.name + " differently");
}

}  // namespace

cudaError_t launch(const cudaLaunchConfig_t* config, const kernel_function& kernel, const std::byte* bytes,
                   std::size_t size) {
    return api_call("cudaLaunchKernelEx", effect::none, [&] {
        if (config == nullptr || kernel.address == nullptr) return cudaErrorInvalidValue;
        const dim3 grid = config->gridDim, block = config->blockDim;
        const std::uint64_t threads = volume(block), blocks = volume(grid);
        if (threads == 0 || threads > most_threads || block.z > 64 || blocks == 0 || grid.x > 0x7FFFFFFFu ||
            grid.y > 0xFFFFu || grid.z > 0xFFFFu)
            return cudaErrorInvalidConfiguration;
        if (config->dynamicSmemBytes != 0 || config->numAttrs != 0)
            return cudaErrorNotSupported;  // not emulated
        const auto entry = entry_of(kernel);
        if (entry) check_layout(*entry, kernel);
        const auto parameters =
            std::make_shared<std::vector<aligned_bytes>>(size / sizeof(aligned_bytes) + 1);
        std::memcpy(parameters->data(), bytes, size);
        return enqueue(config->stream, [=] {
            const auto* packed = reinterpret_cast<const std::byte*>(parameters->data());
            const opened_memory opened;
            ++kernels;
            if (entry) ptx::run(*entry, packed, grid, block);
            else run_function(kernel, packed, grid, block);
            memory().check_guards(symbols_of(kernel.address).name);
        });
    });
}

void use_ptx(std::string_view paths) {
    const std::scoped_lock lock(device_mutex());
    files() = ptx_files::read(paths);
}

bool uses_ptx() {
    const std::scoped_lock lock(device_mutex());
    return !files().modules.empty();
}

std::uint64_t kernels_run() { return kernels; }
std::uint64_t instructions_interpreted() { return ptx::instructions(); }
void set_longest_block(std::uint64_t instructions) { ptx::set_longest_block(instructions); }

}  // namespace emulated_cuda

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    using namespace emulated_cuda;
    return api_call("cudaFuncGetAttributes", effect::none, [&] {
        if (attributes == nullptr) return cudaErrorInvalidValue;
        if (function == nullptr) return cudaErrorInvalidDeviceFunction;
        *attributes = {};  // a function of the host has no registers and no code for a device
        attributes->maxThreadsPerBlock = static_cast<int>(most_threads);
        return cudaSuccess;
    });
}
