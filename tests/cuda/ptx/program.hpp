// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A PTX text, decoded: every operand is a place in a thread's registers or a constant, every instruction a
//! function or a few cases of the interpreter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace emulated_cuda::ptx {

//! Registers of a kind that the hardware fills; the first ones of each thread.
enum special : std::uint32_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    nowhere,  //!< what is written to `_`
    specials
};

//! Registers hold their value zero-extended to 64 bits; predicates are 0 or 1.
struct thread {
    std::uint64_t* registers;
    const std::uint64_t* constants;
    std::uint64_t carry;
};

struct operand {
    std::uint32_t index = nowhere;
    bool is_constant = false;
    bool is_negated = false;  //!< a predicate: !%p

    std::uint64_t of(const thread& t) const { return (is_constant ? t.constants : t.registers)[index]; }
    bool holds(const thread& t) const { return (of(t) != 0) != is_negated; }
};

enum class action : std::uint8_t {
    compute,  //!< run()
    load,
    store,
    atomic,
    branch,
    branch_by_table,
    leave,
    block_barrier,
    warp_barrier,
    shuffle,
    vote,
    fence,
    trap
};

enum class space : std::uint8_t { generic, global, constant, shared, local, parameter };
enum class atomic_operation : std::uint8_t {
    add,
    min,
    max,
    min_signed,
    max_signed,
    bit_and,
    bit_or,
    bit_xor,
    exchange,
    compare
};

//! How a comparison's result and a further predicate make one.
enum class combination : std::uint8_t { none, with_and, with_or, with_xor };

struct instruction;
using computation = void (*)(const instruction&, thread&);

struct instruction {
    computation run = nullptr;
    action what = action::compute;
    space where = space::generic;  //!< of load, store, atomic; what cvta converts
    std::uint8_t mode = 0;         //!< atomic_operation, shuffle_mode, vote_mode, combination
    std::uint8_t bytes = 0;        //!< of an element that is loaded, stored or changed
    bool is_signed = false;        //!< it is sign-extended
    bool is_guarded = false;
    std::uint8_t to_bits = 0;  //!< of the register, where a result may be narrower
    operand guard{};
    std::uint32_t to = nowhere, also_to = nowhere;
    std::array<operand, 4> from{};    //!< load, store, atomic: the address is the first
    std::int64_t offset = 0;          //!< added to the address
    std::vector<operand> elements{};  //!< of a vector; targets of a table of branches are in targets
    std::uint32_t target = 0;
    std::vector<std::uint32_t> targets{};
    int line = 0;
};

struct placed {
    std::size_t offset, size;
};

struct module;

struct entry {
    const module* home;
    std::string name;  //!< as g++ and clang mangle it
    std::vector<placed> parameters;
    std::size_t parameter_bytes = 0, shared_bytes = 0, local_bytes = 0;
    std::uint32_t registers = specials;
    std::vector<std::uint64_t> constants;
    std::vector<instruction> code;
};

//! Static data of a module (.global and .const), where it lies for all kernels.
struct static_data {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
};

struct module {
    std::string file;
    std::vector<static_data> data;
    std::map<std::string, entry, std::less<>> entries;
};

}  // namespace emulated_cuda::ptx
