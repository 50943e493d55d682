// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "symbols.hpp"

#include <dlfcn.h>
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>

#include <emulation.hpp>

namespace emulated_cuda {
namespace {

struct symbol {
    std::string name;
    std::uintptr_t address;
    std::size_t size;
    bool is_function, is_writable;
};

std::vector<char> contents(const std::string& path) {
    std::error_code unreadable;
    const auto size = std::filesystem::file_size(path, unreadable);
    std::vector<char> bytes(unreadable ? 0 : size);
    std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

template <class T>
std::optional<T> read_at(const std::vector<char>& file, std::uint64_t offset) {
    T value;
    if (offset > file.size() || file.size() - offset < sizeof value) return std::nullopt;
    std::memcpy(&value, file.data() + offset, sizeof value);
    return value;
}

std::string text_at(const std::vector<char>& file, std::uint64_t offset) {
    if (offset >= file.size()) return {};
    return {file.data() + offset, strnlen(file.data() + offset, file.size() - offset)};
}

// The symbol table for the linker, which has local functions too: what dladdr reads has exported ones only.
std::vector<symbol> read_symbols(const std::string& path, std::uintptr_t base) {
    const std::vector<char> file = contents(path);
    const auto header = read_at<Elf64_Ehdr>(file, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
    const auto section = [&](std::size_t i) {
        return read_at<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr)).value_or(Elf64_Shdr{});
    };
    std::vector<symbol> found;
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
        const Elf64_Shdr table = section(i);
        if (table.sh_type != SHT_SYMTAB) continue;
        const std::uint64_t names = section(table.sh_link).sh_offset;
        for (std::uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
            const auto s = read_at<Elf64_Sym>(file, table.sh_offset + at);
            const bool is_function = s && ELF64_ST_TYPE(s->st_info) == STT_FUNC;
            if (!s || s->st_shndx == SHN_UNDEF || s->st_shndx >= SHN_LORESERVE) continue;
            if (!is_function && ELF64_ST_TYPE(s->st_info) != STT_OBJECT) continue;
            found.push_back({text_at(file, names + s->st_name),
                             s->st_value + (header->e_type == ET_DYN ? base : 0), s->st_size, is_function,
                             (section(s->st_shndx).sh_flags & SHF_WRITE) != 0});
        }
    }
    return found;
}

const std::vector<symbol>& symbols_around(void (*function)()) {
    static std::map<std::uintptr_t, std::vector<symbol>> read;  // by the address where the object is loaded
    Dl_info object{};
    if (dladdr(reinterpret_cast<void*>(function), &object) == 0)
        throw device_error("a kernel lies in no loaded object");
    const auto base = reinterpret_cast<std::uintptr_t>(object.dli_fbase);
    const auto known = read.find(base);
    if (known != read.end()) return known->second;
    // The program's own path may be relative to a directory that it has left.
    auto symbols = read_symbols("/proc/self/exe", base);
    const auto at = reinterpret_cast<std::uintptr_t>(function);
    const auto has_function = [&](const std::vector<symbol>& list) {
        for (const symbol& s : list)
            if (s.is_function && s.address == at) return true;
        return false;
    };
    if (!has_function(symbols)) symbols = read_symbols(object.dli_fname, base);
    if (!has_function(symbols))
        throw device_error(std::string(object.dli_fname) + " has no symbol for a kernel: it was stripped");
    return read.emplace(base, std::move(symbols)).first->second;
}

kernel_symbols find_symbols(void (*function)()) {
    const auto at = reinterpret_cast<std::uintptr_t>(function);
    kernel_symbols result;
    for (const symbol& s : symbols_around(function))
        if (s.is_function && s.address == at) result.name = s.name;
    if (result.name.size() < 2) throw device_error("a kernel has no symbol");
    // Itanium ABI: a variable local to function _Zf is _ZZfE and its name.
    const std::string local = "_ZZ" + result.name.substr(2) + "E";
    for (const symbol& s : symbols_around(function))
        if (!s.is_function && s.is_writable && s.name.rfind(local, 0) == 0)
            result.shared.emplace_back(reinterpret_cast<std::byte*>(s.address), s.size);
    return result;
}

}  // namespace

const kernel_symbols& symbols_of(void (*function)()) {
    static std::map<void (*)(), kernel_symbols> known;
    auto found = known.find(function);
    if (found == known.end()) found = known.emplace(function, find_symbols(function)).first;
    return found->second;
}

}  // namespace emulated_cuda
