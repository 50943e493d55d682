// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#include "sanitizer.hpp"

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace emulated_cuda {
namespace {

constexpr std::size_t stack_size = std::size_t{512}
                                   << 10;  // parameters are passed on it, 32 KB; pages come when touched

fiber* running = nullptr;

}  // namespace

#if defined(__x86_64__)

// swapcontext asks the kernel for the signal mask twice; what a call preserves is enough here.
extern "C" void adamant_switch_stack(void** saved, void* next);
__asm__(R"(
    .text
    .globl adamant_switch_stack
    .type adamant_switch_stack, @function
adamant_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size adamant_switch_stack, .-adamant_switch_stack
)");

namespace {
struct context {
    void* stack_pointer = nullptr;
    void prepare(std::byte* stack, void (*function)()) {
        auto* top = reinterpret_cast<std::uintptr_t*>(stack + stack_size);
        *--top = 0;  // a function starts with its return address on a multiple of 16
        *--top = reinterpret_cast<std::uintptr_t>(function);
        for (int preserved = 0; preserved < 6; ++preserved) *--top = 0;
        stack_pointer = top;
    }
};
void switch_context(context& from, context& to) {
    adamant_switch_stack(&from.stack_pointer, to.stack_pointer);
}
}  // namespace

#else

namespace {
struct context {
    ucontext_t state{};
    void prepare(std::byte* stack, void (*function)()) {
        getcontext(&state);
        state.uc_stack.ss_sp = stack;
        state.uc_stack.ss_size = stack_size;
        makecontext(&state, function, 0);
    }
};
void switch_context(context& from, context& to) { swapcontext(&from.state, &to.state); }
}  // namespace

#endif

struct fiber::contexts {
    context inside, outside;
    void *inside_fake = nullptr, *outside_fake = nullptr;  // the sanitizer's
    const void* outside_stack = nullptr;
    std::size_t outside_size = 0;
};

fiber::fiber(void (*function)()) : function_(function), contexts_(std::make_unique<contexts>()) {
    void* memory =
        mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc{};
    stack_ = static_cast<std::byte*>(memory);
    contexts_->inside.prepare(stack_, &fiber::start);
}

fiber::~fiber() {
    __asan_unpoison_memory_region(stack_, stack_size);  // what frames left, should the address be used again
    munmap(stack_, stack_size);
}

void fiber::enter() {
    fiber* const outer = running;
    running = this;
#if defined(ADAMANT_ASAN)
    __sanitizer_start_switch_fiber(&contexts_->outside_fake, stack_, stack_size);
#endif
    switch_context(contexts_->outside, contexts_->inside);
#if defined(ADAMANT_ASAN)
    __sanitizer_finish_switch_fiber(contexts_->outside_fake, nullptr, nullptr);
#endif
    running = outer;
}

void fiber::leave() {
    contexts& c = *running->contexts_;
#if defined(ADAMANT_ASAN)
    __sanitizer_start_switch_fiber(&c.inside_fake, c.outside_stack, c.outside_size);
#endif
    switch_context(c.inside, c.outside);
#if defined(ADAMANT_ASAN)
    __sanitizer_finish_switch_fiber(c.inside_fake, &c.outside_stack, &c.outside_size);
#endif
}

void fiber::start() {
#if defined(ADAMANT_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &running->contexts_->outside_stack,
                                    &running->contexts_->outside_size);
#endif
    running->function_();
    __builtin_trap();  // it never returns
}

}  // namespace emulated_cuda
