// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! fiber: a stack that a function runs on and can leave in the middle, known to the address sanitizer.
#pragma once

#include <cstddef>
#include <memory>

namespace emulated_cuda {

class fiber {
public:
    //! Throws std::bad_alloc where there is no memory for the stack.
    explicit fiber(void (*function)());
    ~fiber();
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;

    //! Runs the function from its start, or from where it left, until it leaves. It never returns.
    void enter();
    //! Called on a fiber: goes back to where it was entered.
    static void leave();

private:
    struct contexts;
    static void start();

    void (*function_)();
    std::byte* stack_;
    std::unique_ptr<contexts> contexts_;
};

}  // namespace emulated_cuda
