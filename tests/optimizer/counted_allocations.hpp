// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! How often a test calls operator new, which counted_allocations.cpp replaces for the whole program. It is a
//! translation unit of its own: where a compiler inlines only one of new and delete, it sees a mismatched
//! pair.
#pragma once

/// Calls of operator new, in any form and on any thread, since the program began.
[[nodiscard]] int allocations() noexcept;

template <class F>
int allocations_of(F&& f) {
    const int before = allocations();
    f();
    return allocations() - before;
}
