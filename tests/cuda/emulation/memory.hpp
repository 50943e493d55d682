// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Memory of the emulated device and pinned memory of the host: what is alive, between guards. Device memory
//! is readable while a kernel or a copy runs; at other times the address sanitizer refuses the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <runtime_types.h>

namespace emulated_cuda {

enum class memory_kind { device, pinned };

struct allocation {
    std::byte* begin;
    std::size_t size;
    memory_kind kind;
    std::uint64_t number;         //!< how many came before
    bool is_being_freed = false;  //!< when its stream gets there, or at the program's end

    std::byte* end() const { return begin + size; }
    std::string describe() const;
};

class device_memory {
public:
    device_memory() = default;
    ~device_memory();  //!< What nobody freed is left, for the leak sanitizer to see.
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;

    //! All bytes 0xFF: NaN as floats. nullptr where there is no memory.
    void* allocate(std::size_t bytes, memory_kind kind);
    //! Whether there was such an allocation.
    bool release(void* pointer, memory_kind kind);
    //! Whether it can be freed later: it is alive, the device's, and not already being freed.
    bool will_release(void* pointer);
    //! The allocation that holds an address, else nullptr.
    const allocation* find(const void* address) const;
    //! Throws device_error where the bytes before or behind an allocation changed. `culprit` ran last.
    void check_guards(const std::string& culprit) const;

    std::size_t live() const { return live_.size(); }
    std::size_t bytes_on_device() const;

    void open(const allocation& memory) const;   //!< for the host
    void close(const allocation& memory) const;  //!< if it is the device's
    void open_all() const;
    void close_all() const;

private:
    std::map<std::uintptr_t, allocation> live_;  // by begin
    std::uint64_t next_number_ = 0;
};

device_memory& memory();

//! Device memory can be used as long as it lives.
class opened_memory {
public:
    opened_memory() { memory().open_all(); }
    ~opened_memory() { memory().close_all(); }
    opened_memory(const opened_memory&) = delete;
    opened_memory& operator=(const opened_memory&) = delete;
};

}  // namespace emulated_cuda
