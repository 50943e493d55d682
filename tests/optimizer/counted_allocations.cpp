// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "counted_allocations.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int> count{0};

void* counted(std::size_t bytes, std::size_t alignment) {
    ++count;
    void* const pointer = std::aligned_alloc(
        alignment, (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
    if (pointer == nullptr) throw std::bad_alloc();
    return pointer;
}

}  // namespace

int allocations() noexcept { return count; }

void* operator new(std::size_t bytes) { return counted(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { std::free(pointer); }
