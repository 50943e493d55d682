// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The caller's memory and the caller's threads: state in an arena, steps on std::thread or on a pool.
//!
//! Shows the two concepts that an HPC code fills in, memory (allocate, deallocate) and task_runner (run), the
//! executors that there are, and that nothing of this changes a bit of the result.
//!
//!     cmake --build build --target example_05_own_memory_and_executor
//!     build/examples/example_05_own_memory_and_executor
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <span>
#include <thread>
#include <vector>

#include <adamant/adamant.hpp>
#include <adamant/numerics/philox.hpp>

using lean = adamant::presets::lean_bf16;
using adamant::bfloat16;

//! A block of memory given out from front to back, as a code with a fixed budget has it.
class arena {
public:
    explicit arena(std::size_t bytes) : block_(bytes) {}

    void* take(std::size_t bytes, std::size_t alignment) {
        void* place = block_.data() + used_;
        std::size_t room = block_.size() - used_;
        if (std::align(alignment, bytes, place, room) == nullptr) throw std::bad_alloc{};
        used_ = block_.size() - room + bytes;
        return place;
    }
    std::size_t used() const { return used_; }

private:
    std::vector<std::byte> block_;
    std::size_t used_ = 0;
};

//! A model of adamant::memory: a copyable handle to the arena.
struct arena_memory {
    arena* from;
    void* allocate(std::size_t bytes, std::size_t alignment) { return from->take(bytes, alignment); }
    void deallocate(void*, std::size_t, std::size_t) noexcept {}  // an arena is freed as a whole
};
static_assert(adamant::memory<arena_memory>);

//! A model of adamant::task_runner. A real code hands the tasks to the pool that it has.
struct thread_runner {
    int threads;
    void run(std::int64_t count, adamant::task task) {
        std::atomic<std::int64_t> next{0};
        const auto work = [&] {
            for (std::int64_t i = next++; i < count; i = next++) task(i);
        };
        std::vector<std::jthread> team;
        for (int t = 1; t < threads; ++t) team.emplace_back(work);
        work();
    }  // a jthread joins when it ends
};
static_assert(adamant::task_runner<thread_runner>);

namespace {

constexpr std::size_t size = 200'000;
constexpr adamant::hyperparameters hyper{.lr = 1e-3, .beta2 = 0.95};

//! Ten steps with made-up gradients; yields the weights.
template <class Optimizer>
std::vector<bfloat16> train(Optimizer& optimizer, std::vector<bfloat16> weight) {
    std::vector<bfloat16> grad(size);
    for (std::uint64_t step = 0; step < 10; ++step) {
        for (std::size_t i = 0; i < size; ++i)
            grad[i] = adamant::to_bfloat16(
                static_cast<float>(static_cast<std::int32_t>(adamant::philox(1, i, step)[0])) * 0x1p-40f);
        optimizer.step(std::array{std::span(weight)}, std::array{std::span<const bfloat16>(grad)});
    }
    return weight;
}

}  // namespace

int main() {
    std::vector<bfloat16> initial(size, adamant::to_bfloat16(0.1f));
    const std::array params{std::span(initial)};

    // One thread. Without an executor it would be the pool that all optimizers of the process share.
    adamant::adam<lean> plain{params, hyper, {.executor = adamant::serial_executor{}}};
    const std::vector<bfloat16> expected = train(plain, initial);

    // A pool of one's own; a copy of the executor in another optimizer's options would share it.
    const adamant::executor pool = adamant::thread_pool(3);
    adamant::adam<lean> pooled{params, hyper, {.executor = pool}};
    const bool pool_agrees = train(pooled, initial) == expected;

    // What the state will take is known before: 64 bytes more for each of its three buffers to start on a
    // cache line.
    const std::array<std::int64_t, 1> sizes{size};
    using optimizer_type = adamant::adam<lean, arena_memory>;
    arena budget(optimizer_type::state_bytes(sizes) + 3 * 64);

    adamant::optimizer_options options;
    options.executor = thread_runner{.threads = 4};
    optimizer_type own{params, hyper, options, arena_memory{&budget}};
    const std::vector<bfloat16> result = train(own, initial);

    std::printf("%zu bytes of state, %zu bytes of the arena used\n", own.state_bytes(), budget.used());
    std::printf("one thread and the heap, four threads and an arena: %s\n",
                result == expected ? "the same bits" : "different bits");
    std::printf("a pool of three threads: %s\n", pool_agrees ? "the same bits" : "different bits");
    return pool_agrees && result == expected && own.state_bytes() == optimizer_type::state_bytes(sizes) &&
                   budget.used() >= own.state_bytes()
               ? 0
               : 1;
}
