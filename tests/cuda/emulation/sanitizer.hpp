// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Whether the address sanitizer is on, by the words of g++ and of clang, and its functions, which do nothing
//! if not.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define ADAMANT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADAMANT_ASAN 1
#endif
#endif

#if defined(ADAMANT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
namespace emulated_cuda {
inline constexpr bool has_address_sanitizer = true;
}
#else
namespace emulated_cuda {
inline constexpr bool has_address_sanitizer = false;
}
#define __asan_poison_memory_region(pointer, size) (static_cast<void>(pointer), static_cast<void>(size))
#define __asan_unpoison_memory_region(pointer, size) (static_cast<void>(pointer), static_cast<void>(size))
#endif
