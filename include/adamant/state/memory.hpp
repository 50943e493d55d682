// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! memory: where state lives; host_memory is the default, an arena or pinned memory is the user's.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <adamant/base/error.hpp>

namespace adamant::inline v0 {

//! A copyable handle. allocate(bytes, alignment) returns memory or throws; deallocate(pointer, bytes,
//! alignment) takes it back. What the host cannot write has fill_zero(pointer, bytes) besides.
template <class M>
concept memory = std::copy_constructible<M> &&
    requires(M m, std::size_t bytes, std::size_t alignment, void* p) {
    { m.allocate(bytes, alignment) } -> std::same_as<void*>;
    m.deallocate(p, bytes, alignment);
};

//! Whether the host reads and writes there.
template <class M>
inline constexpr bool is_on_host = !requires(M m, void* p, std::size_t bytes) {
    m.fill_zero(p, bytes);
};

//! The process's heap. What fills huge pages asks the system for them: a step reads all of it in order, from
//! five arrays at once, and a page of 4 KiB ends every thousand elements.
struct host_memory {
    void* allocate(std::size_t bytes, std::size_t alignment) {
        if (bytes > std::numeric_limits<std::ptrdiff_t>::max())
            throw std::bad_alloc();  // rounding up would wrap
        void* pointer = ::operator new(bytes, align(bytes, alignment));
#if defined(MADV_HUGEPAGE)
        // A hint: where there are none, all works as well in small ones.
        if (bytes >= huge_page)
            static_cast<void>(madvise(pointer, bytes / huge_page * huge_page, MADV_HUGEPAGE));
#endif
        return pointer;
    }
    void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
        ::operator delete(pointer, align(bytes, alignment));
    }

private:
    static constexpr std::size_t huge_page = std::size_t{2} << 20;
    static constexpr std::align_val_t align(std::size_t bytes, std::size_t alignment) {
        return std::align_val_t{bytes >= huge_page ? std::max(alignment, huge_page) : alignment};
    }
};

//! An array of zeros in some memory, on a cache line of its own. Nothing is allocated for zero elements.
template <class T, memory Memory>
class buffer {
public:
    static constexpr std::size_t alignment = 64;

    explicit buffer(std::size_t count, Memory memory) : buffer(std::move(memory)) {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
            throw shape_error("[adamant] state fits the address space: use fewer parameters.");
        if (count == 0) return;
        values_ = static_cast<T*>(memory_.allocate(count * sizeof(T), alignment));
        count_ = count;
        if constexpr (is_on_host<Memory>) std::memset(values_, 0, count * sizeof(T));
        else memory_.fill_zero(values_, count * sizeof(T));
    }
    buffer(buffer&& other) noexcept
        : memory_(std::move(other.memory_)),
          values_(std::exchange(other.values_, nullptr)),
          count_(std::exchange(other.count_, 0)) {}
    buffer& operator=(buffer&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(values_, other.values_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~buffer() {
        if (values_ != nullptr) memory_.deallocate(values_, count_ * sizeof(T), alignment);
    }

    T* data() { return values_; }
    const T* data() const { return values_; }
    std::size_t bytes() const { return count_ * sizeof(T); }

private:
    explicit buffer(Memory memory) : memory_(std::move(memory)) {}  // from here on the destructor gives back

    Memory memory_;
    T* values_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace adamant::inline v0
