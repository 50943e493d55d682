// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The element types of the safetensors format, and the one of each storage kind.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <adamant/numerics/dtype.hpp>
#include <adamant/state/slots.hpp>

namespace adamant::inline v0::safetensors {

struct element_type {
    std::string_view name;
    std::int64_t bytes;

    friend constexpr bool operator==(const element_type&, const element_type&) = default;
};

//! Those whose elements are whole bytes; ours are F32, BF16, F16, U8, I8 and I16.
inline constexpr std::array<element_type, 15> element_types{{{"F32", 4},
                                                             {"BF16", 2},
                                                             {"F16", 2},
                                                             {"U8", 1},
                                                             {"I8", 1},
                                                             {"I16", 2},
                                                             {"BOOL", 1},
                                                             {"F8_E4M3", 1},
                                                             {"F8_E5M2", 1},
                                                             {"U16", 2},
                                                             {"I32", 4},
                                                             {"U32", 4},
                                                             {"I64", 8},
                                                             {"U64", 8},
                                                             {"F64", 8}}};
inline constexpr element_type scale_bytes = element_types[3];

//! Null where there is no such type.
constexpr const element_type* element_type_named(std::string_view name) {
    for (const element_type& type : element_types)
        if (type.name == name) return &type;
    return nullptr;
}

//! The codes of a kind. Those of fp16 are halves, to be multiplied by 2^(scale byte - 127) of their group;
//! those of fp8 and fp8_fine are defined in numerics/minifloat.hpp, the remainders in headers of their name.
constexpr element_type element_type_of(dtype kind) {
    constexpr auto of = [](std::string_view name) { return *element_type_named(name); };
    switch (kind) {
        case dtype::fp32: return of("F32");
        case dtype::bf16: return of("BF16");
        case dtype::fp16: return of("F16");
        case dtype::remainder16: return of("I16");
        case dtype::remainder8: return of("I8");
        default: return of("U8");
    }
}

}  // namespace adamant::inline v0::safetensors
