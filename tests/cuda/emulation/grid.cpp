// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <string_view>

#include <device_functions.h>
#include <emulation.hpp>

#include "api_call.hpp"
#include "fiber.hpp"
#include "rendezvous.hpp"
#include "sanitizer.hpp"
#include "symbols.hpp"

uint3 threadIdx{}, blockIdx{};
dim3 blockDim, gridDim;

namespace emulated_cuda {
namespace {

order order_from_environment() {
    const char* word = std::getenv("ADAMANT_ORDER");
    const std::string_view wanted = word == nullptr ? "forward" : word;
    if (wanted == "forward") return order::forward;
    if (wanted == "reverse") return order::reverse;
    if (wanted == "shuffled") return order::shuffled;
    throw device_error("ADAMANT_ORDER is forward, reverse or shuffled, not " + std::string(wanted));
}

order& current_order() {
    static order the_order = order_from_environment();
    return the_order;
}

//! A block whose threads share fibers: one that meets no barrier runs to its end on the fiber of the one
//! before, so a kernel without barriers costs no switch. A thread that waits keeps its fiber, and a further
//! one goes on with those that have not begun.
class block_on_fibers {
public:
    void run(const kernel_function& kernel, const std::byte* parameters);
    //! Called by the current thread: leaves its fiber until others have come too.
    const arrival& meet(const arrival& mine);

private:
    static void work();
    void begin_threads();
    void enter(fiber& f);
    std::unique_ptr<fiber> take_fiber();

    const kernel_function* kernel_ = nullptr;
    const std::byte* parameters_ = nullptr;
    rendezvous meetings_;
    std::uint32_t current_ = 0;  // thread
    std::vector<std::uint32_t> order_;
    std::size_t begun_ = 0;  // of order_
    std::vector<std::unique_ptr<fiber>> idle_, of_thread_;
    bool was_left_ = false;  // by a thread that waits
    std::exception_ptr failure_;
};

block_on_fibers& block() {
    static block_on_fibers the_block;
    return the_block;
}

void block_on_fibers::run(const kernel_function& kernel, const std::byte* parameters) {
    kernel_ = &kernel;
    parameters_ = parameters;
    const auto count = static_cast<std::uint32_t>(volume(blockDim));
    meetings_.reset(count);
    order_ = in_order(count);
    begun_ = 0;
    of_thread_.clear();
    of_thread_.resize(count);
    while (begun_ < count) begin_threads();
    while (!meetings_.all_returned()) {
        meetings_.release();
        for (const std::uint32_t thread : order_) {
            if (meetings_[thread].what != waits_for::nothing) continue;
            current_ = thread;
            threadIdx = place_in(blockDim, thread);
            std::unique_ptr<fiber> mine = std::move(of_thread_[thread]);
            enter(*mine);
            (was_left_ ? of_thread_[thread] : idle_.emplace_back()) = std::move(mine);
        }
    }
}

void block_on_fibers::begin_threads() {
    std::unique_ptr<fiber> next = take_fiber();
    enter(*next);
    (was_left_ ? of_thread_[current_] : idle_.emplace_back()) = std::move(next);
}

void block_on_fibers::enter(fiber& f) {
    was_left_ = false;
    f.enter();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::unique_ptr<fiber> block_on_fibers::take_fiber() {
    if (idle_.empty()) return std::make_unique<fiber>(&block_on_fibers::work);
    std::unique_ptr<fiber> last = std::move(idle_.back());
    idle_.pop_back();
    return last;
}

// What a fiber does: threads that have not begun, until there is none; then it is idle.
void block_on_fibers::work() {
    for (block_on_fibers& b = block();; fiber::leave()) {
        while (b.begun_ < b.order_.size() && !b.failure_) {
            b.current_ = b.order_[b.begun_++];
            threadIdx = place_in(blockDim, b.current_);
            try {
                b.kernel_->call(b.kernel_->address, b.parameters_);
            } catch (...) { b.failure_ = std::current_exception(); }
            b.meetings_[b.current_].what = waits_for::returned;
        }
        b.was_left_ = false;
    }
}

const arrival& block_on_fibers::meet(const arrival& mine) {
    const std::uint32_t thread = current_;
    meetings_[thread] = mine;
    was_left_ = true;
    fiber::leave();
    return meetings_[thread];
}

const arrival& meet(const arrival& mine) { return block().meet(mine); }

// What the block before left is not there for the next.
__attribute__((no_sanitize("address"))) void overwrite(std::span<std::byte> bytes) {
    volatile std::byte* const begin = bytes.data();
    for (std::size_t i = 0; i < bytes.size(); ++i) begin[i] = std::byte{0xFF};
}

}  // namespace

std::vector<std::uint32_t> in_order(std::uint64_t count) {
    static std::mt19937 random;
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    if (current_order() == order::reverse) std::reverse(numbers.begin(), numbers.end());
    if (current_order() == order::shuffled)
        for (std::size_t left = count; left > 1; --left)
            std::swap(numbers[left - 1], numbers[random() % left]);
    return numbers;
}

void set_order(order of_blocks_and_threads) {
    const std::scoped_lock lock(device_mutex());
    current_order() = of_blocks_and_threads;
}

void run_function(const kernel_function& kernel, const std::byte* parameters, const dim3& grid,
                  const dim3& threads) {
    const kernel_symbols& symbols = symbols_of(kernel.address);
    gridDim = grid;
    blockDim = threads;
    for (const std::uint32_t number : in_order(volume(grid))) {
        blockIdx = place_in(grid, number);
        for (const auto& variable : symbols.shared) overwrite(variable);
        block().run(kernel, parameters);
    }
}

void block_barrier() { meet({.what = waits_for::block}); }

void warp_barrier(unsigned mask) { meet({.what = waits_for::warp, .mask = mask}); }

std::uint64_t shuffle(shuffle_mode mode, unsigned mask, std::uint64_t value, unsigned lane, int width) {
    return meet({.what = waits_for::shuffle,
                 .mode = static_cast<std::uint8_t>(mode),
                 .mask = mask,
                 .lane = lane,
                 .segment = shuffle_segment(mode, width),
                 .value = value})
        .result;
}

unsigned vote(vote_mode mode, unsigned mask, bool predicate) {
    return static_cast<unsigned>(meet({.what = waits_for::vote,
                                       .mode = static_cast<std::uint8_t>(mode),
                                       .mask = mask,
                                       .value = predicate})
                                     .result);
}

void trap() { throw device_error("a kernel trapped"); }

}  // namespace emulated_cuda
