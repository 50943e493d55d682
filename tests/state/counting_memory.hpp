// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A memory that keeps books, and throws at a chosen call.
#pragma once

#include <adamant/state/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

struct ledger {
    std::size_t live_bytes = 0;
    int calls = 0;
    int returns = 0;
    int fail_at = 0;  //!< the number of the call that throws; 0: none
    std::size_t smallest_alignment = std::numeric_limits<std::size_t>::max();
};

struct counting_memory {
    ledger* book;

    void* allocate(std::size_t bytes, std::size_t alignment) {
        if (++book->calls == book->fail_at) throw std::bad_alloc();
        book->live_bytes += bytes;
        book->smallest_alignment = std::min(book->smallest_alignment, alignment);
        return adamant::host_memory{}.allocate(bytes, alignment);
    }
    void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) {
        ++book->returns;
        book->live_bytes -= bytes;
        adamant::host_memory{}.deallocate(pointer, bytes, alignment);
    }
};
static_assert(adamant::memory<counting_memory>);
