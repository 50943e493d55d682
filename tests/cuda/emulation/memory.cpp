// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <emulation.hpp>

#include "sanitizer.hpp"

namespace emulated_cuda {
namespace {

constexpr std::size_t guard = 256;  // and what cudaMalloc aligns to
constexpr int fresh = 0xFF, guarded = 0xA5, freed = 0xFD;

// Bytes of memory from the first guard to the end of the last.
std::size_t extent(std::size_t size) { return guard + (size + guard - 1) / guard * guard + guard; }

bool untouched(const std::byte* from, const std::byte* to) {
    return std::all_of(from, to, [](std::byte b) { return b == std::byte{guarded}; });
}

}  // namespace

std::string allocation::describe() const {
    return "allocation " + std::to_string(number) + " (" + std::to_string(size) + " bytes of " +
           (kind == memory_kind::device ? "the device)" : "pinned memory)");
}

device_memory& memory() {
    static device_memory the_memory;
    return the_memory;
}

void* device_memory::allocate(std::size_t bytes, memory_kind kind) {
    auto* block = static_cast<std::byte*>(std::aligned_alloc(guard, extent(bytes)));
    if (block == nullptr) return nullptr;
    std::memset(block, guarded, extent(bytes));
    const allocation made{block + guard, bytes, kind, next_number_++};
    std::memset(made.begin, fresh, bytes);
    live_.emplace(reinterpret_cast<std::uintptr_t>(made.begin), made);
    __asan_poison_memory_region(block, extent(bytes));
    if (kind == memory_kind::pinned) open(made);
    return made.begin;
}

bool device_memory::release(void* pointer, memory_kind kind) {
    const auto found = live_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == live_.end() || found->second.kind != kind) return false;
    std::byte* const block = found->second.begin - guard;
    __asan_unpoison_memory_region(block, extent(found->second.size));
    std::memset(block, freed, extent(found->second.size));
    live_.erase(found);
    std::free(block);
    return true;
}

bool device_memory::will_release(void* pointer) {
    const auto found = live_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == live_.end() || found->second.kind != memory_kind::device) return false;
    return !std::exchange(found->second.is_being_freed, true);
}

device_memory::~device_memory() {
    const auto all = live_;
    for (const auto& [address, a] : all)
        if (a.is_being_freed) release(a.begin, a.kind);
}

const allocation* device_memory::find(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    auto next = live_.upper_bound(at);
    if (next == live_.begin()) return nullptr;
    const allocation& candidate = std::prev(next)->second;
    return at - reinterpret_cast<std::uintptr_t>(candidate.begin) < candidate.size ? &candidate : nullptr;
}

void device_memory::check_guards(const std::string& culprit) const {
    if (has_address_sanitizer) return;  // it catches the access itself
    for (const auto& [address, a] : live_) {
        const std::byte* const block = a.begin - guard;
        if (!untouched(block, a.begin) || !untouched(a.end(), block + extent(a.size)))
            throw device_error(culprit + " wrote outside of " + a.describe());
    }
}

std::size_t device_memory::bytes_on_device() const {
    std::size_t sum = 0;
    for (const auto& [address, a] : live_) sum += a.kind == memory_kind::device ? a.size : 0;
    return sum;
}

void device_memory::open(const allocation& a) const { __asan_unpoison_memory_region(a.begin, a.size); }

void device_memory::close(const allocation& a) const {
    if (a.kind == memory_kind::device) __asan_poison_memory_region(a.begin, a.size);
}

void device_memory::open_all() const {
    for (const auto& [address, a] : live_) open(a);
}

void device_memory::close_all() const {
    for (const auto& [address, a] : live_) close(a);
}

}  // namespace emulated_cuda
