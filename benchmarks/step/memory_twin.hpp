// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! memory_twin: what a step would take if its arithmetic were free: the same streams, of the same widths,
//! each loaded, or-ed with zero and stored where the step stores, and fetched ahead where kernels do that.
#pragma once

#include <adamant/state/memory.hpp>
#include <adamant/step/executor.hpp>
#include <adamant/step/simd/instruction_set.hpp>
#include <adamant/step/simd/lines_to_fetch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace bench {

//! The streams' memory, of the kind that a step has for them. A twin takes over that of the twin before it:
//! new pages take longer than what is measured in them.
class twin_memory {
public:
    unsigned char* take(std::size_t index, std::size_t bytes, bool of_state) {
        auto& buffers = buffers_[of_state][bytes >= large];
        while (buffers.size() <= index) buffers.emplace_back(std::size_t{0}, owner{of_state});
        if (buffers[index].bytes() < bytes)
            buffers[index] = adamant::buffer<unsigned char, owner>(bytes, {of_state});
        return buffers[index].data();
    }

private:
    static constexpr std::size_t large = std::size_t{2} << 20;  // of these the state's have huge pages
    struct owner {
        bool is_state;
        void* allocate(std::size_t bytes, std::size_t alignment) {
            if (is_state) return adamant::host_memory{}.allocate(bytes, alignment);
            return ::operator new (bytes, std::align_val_t{alignment});
        }
        void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
            if (is_state) adamant::host_memory{}.deallocate(pointer, bytes, alignment);
            else ::operator delete (pointer, std::align_val_t{alignment});
        }
    };
    std::vector<adamant::buffer<unsigned char, owner>> buffers_[2][2];
};

class memory_twin {
public:
    struct stream {
        int bytes;  //!< for 128 elements
        bool stored;
        bool of_state;  //!< the optimizer allocates it, not the user
        bool is_scales() const { return bytes < 32; }
    };

    memory_twin(std::int64_t elements, const std::vector<stream>& streams, twin_memory& kept)
        : elements_(elements) {
        std::size_t taken[2]{};
        for (const stream& s : streams) {
            const std::int64_t whole = (elements + 127) / 128 * s.bytes;
            const auto bytes =
                static_cast<std::size_t>((whole + 31) / 32 * 32);  // touched() takes 32 at a time
            memory_.push_back({kept.take(taken[s.of_state]++, bytes, s.of_state), s});
        }
    }

    void run(const adamant::executor& executor) {
        constexpr std::int64_t chunk = 32 * 1024;
        const std::int64_t chunks = (elements_ + chunk - 1) / chunk;
        const auto touch = is_fetched() ? touched<true> : touched<false>;
        auto task = [&](std::int64_t number) {
            const std::int64_t end = std::min(elements_, (number + 1) * chunk);
            // A block of each stream in turn, as the step has it. Of scales it is a larger one, for a vector.
            for (std::int64_t block = number * chunk; block < end; block += 256)
                for (memory& m : memory_) {
                    const std::int64_t size = m.shape.is_scales() ? 1024 : 256;
                    if (block % size != 0) continue;
                    const std::int64_t blocks = (std::min(size, end - block) + 127) / 128;
                    touch(m.bytes + block / 128 * m.shape.bytes, blocks * m.shape.bytes, m.shape.stored);
                }
        };
        executor.run(chunks, task);
    }

private:
    struct memory {
        unsigned char* bytes;
        stream shape;
    };

    bool is_fetched() const {
        const bool has_scales =
            std::ranges::any_of(memory_, [](const memory& m) { return m.shape.is_scales(); });
        const adamant::fetched_lines lines = adamant::lines_to_fetch();
        return adamant::active_instruction_set() == adamant::instruction_set::avx512 &&
               (has_scales ? lines.with_scales : lines.without) > 0;
    }

    template <bool Fetched>
#if defined(__x86_64__)
    __attribute__((target("avx2")))
#endif
    static void
    touched(unsigned char* bytes, std::int64_t count, bool stored) {
        typedef std::uint64_t vector __attribute__((vector_size(32)));
        vector zero{}, seen{};
        asm volatile("" : "+m"(zero));  // nobody knows that it is zero
        const vector nothing = zero;
        for (std::int64_t i = 0; i < count; i += 32) {
            if (Fetched && i % 64 == 0) {
                const std::uintptr_t ahead =
                    reinterpret_cast<std::uintptr_t>(bytes + i) + adamant::fetched_ahead;
                __builtin_prefetch(reinterpret_cast<const void*>(ahead));
            }
            vector x;
            __builtin_memcpy(&x, bytes + i, sizeof x);
            x |= nothing;
            if (stored) __builtin_memcpy(bytes + i, &x, sizeof x);
            else seen |= x;
        }
        asm volatile("" : : "m"(seen));
    }

    std::int64_t elements_;
    std::vector<memory> memory_;
};

}  // namespace bench
