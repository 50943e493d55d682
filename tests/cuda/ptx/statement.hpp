// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! An instruction as it is written, and the decoder that makes a program's instruction of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "program.hpp"
#include "tokens.hpp"

namespace emulated_cuda::ptx {

struct written_operand {
    enum class form { name, number, address, list } is = form::name;
    std::string_view text{};               //!< the name or number; of an address, its base
    std::string_view also{};               //!< p of %r1|p
    bool is_negated = false;               //!< !%p, or a number's sign
    std::int64_t offset = 0;               //!< of an address
    std::vector<written_operand> parts{};  //!< of a list {a, b}
};

struct statement {
    std::string opcode;
    std::string_view guard{};
    bool guard_is_negated = false;
    std::vector<written_operand> operands{};
    int line = 0;
};

//! What a name stands for: a register, or an address in a space.
struct variable {
    bool is_register;
    int bits;             //!< of a register; 1: a predicate
    std::uint64_t place;  //!< index of the register, or address
};

//! Names by scope, the innermost last.
class scopes {
public:
    void open() { names_.emplace_back(); }
    void close() { names_.pop_back(); }
    std::size_t depth() const { return names_.size(); }
    void declare(std::string name, variable what) { names_.back().insert_or_assign(std::move(name), what); }
    const variable* find(std::string_view name) const {
        for (auto scope = names_.rbegin(); scope != names_.rend(); ++scope)
            if (const auto found = scope->find(name); found != scope->end()) return &found->second;
        return nullptr;
    }

private:
    std::vector<std::map<std::string, variable, std::less<>>> names_;
};

//! A branch to a label that may not have been seen yet.
struct jump {
    std::size_t instruction;
    std::string label;
    int line;
};

//! Decodes a statement and puts it behind `code`. Throws device_error without file and line.
void decode(const statement& written, const scopes& names, entry& kernel, std::vector<jump>& jumps);

//! Bits of a type's name, 1 for pred; 0: there is no such type.
int bits_of_type(std::string_view type);
//! The bits of a literal: 1, 0x1F, 0f3F800000, 0d..., with or without U.
std::uint64_t value_of(std::string_view literal, bool is_negative);

}  // namespace emulated_cuda::ptx
