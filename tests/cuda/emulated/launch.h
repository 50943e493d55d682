// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! cudaLaunchKernelEx: packs the parameters of a launch, by value, as a device receives them.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "runtime_types.h"

namespace emulated_cuda {

//! Where a parameter lies in the packed parameters.
struct parameter {
    std::size_t offset, size;
};

//! A kernel with its type forgotten: `call` runs one thread of it.
struct kernel_function {
    void (*address)();
    void (*call)(void (*address)(), const std::byte* parameters);
    const parameter* parameters;
    std::size_t count;
};

//! Puts a launch into its stream. `bytes` are copied.
cudaError_t launch(const cudaLaunchConfig_t* config, const kernel_function& kernel, const std::byte* bytes,
                   std::size_t size);

inline constexpr std::size_t largest_parameters = 32764;  // bytes, from CUDA 12.1 on

template <class... Parameters>
constexpr auto lay_out() {
    std::array<parameter, sizeof...(Parameters) + 1> places{};  // the last one is the end
    std::size_t at = 0, i = 0;
    ((at = (at + alignof(Parameters) - 1) / alignof(Parameters) * alignof(Parameters),
      places[i++] = {at, sizeof(Parameters)}, at += sizeof(Parameters)),
     ...);
    places[i] = {at, 0};
    return places;
}

template <class... Parameters>
inline constexpr auto layout_of = lay_out<Parameters...>();

template <class... Parameters, std::size_t... I>
void call_thread(void (*address)(), [[maybe_unused]] const std::byte* bytes, std::index_sequence<I...>) {
    reinterpret_cast<void (*)(Parameters...)>(address)(
        *reinterpret_cast<const std::remove_const_t<Parameters>*>(bytes +
                                                                  layout_of<Parameters...>[I].offset)...);
}

}  // namespace emulated_cuda

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
    using namespace emulated_cuda;
    static constexpr auto& places = layout_of<Parameters...>;
    static constexpr std::size_t size = places[sizeof...(Parameters)].offset;
    static_assert((std::is_trivially_copyable_v<Parameters> && ...),
                  "[adamant] a kernel's parameters are trivially copyable: they are copied as bytes.");
    static_assert(size <= largest_parameters,
                  "[adamant] a kernel's parameters have at most 32,764 bytes: hand over more by pointer.");
    static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                  "[adamant] a launch has all parameters of its kernel: name them.");
    alignas(64) std::byte bytes[size + 1];
    std::size_t i = 0;
    const auto put = [&]<class P>(const P& value) {
        std::memcpy(bytes + places[i++].offset, &value, sizeof(P));
    };
    (put.template operator()<Parameters>(std::forward<Arguments>(arguments)), ...);
    const auto call = [](void (*address)(), const std::byte* parameters) {
        call_thread<Parameters...>(address, parameters, std::index_sequence_for<Parameters...>{});
    };
    return launch(config, {reinterpret_cast<void (*)()>(kernel), call, places.data(), sizeof...(Parameters)},
                  bytes, size);
}
