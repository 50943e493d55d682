// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The instructions that compute a result from registers, by their full spelling: what is not in the table is
//! unknown. Meanings are those of the PTX ISA's chapter of that name.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "program.hpp"

namespace emulated_cuda::ptx {

struct operation {
    computation run;
    //! A letter per operand, the result first: p(redicate), b(yte), h(alf word), w(ord), d(ouble word). A
    //! small letter is a register of just that width, a capital one may be wider: of cvt.
    std::string_view operands;
};

const std::unordered_map<std::string, operation>& operations();

}  // namespace emulated_cuda::ptx
