// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <device_functions.h>
#include <emulation.hpp>

#include "operations.hpp"
#include "statement.hpp"
#include "windows.hpp"

namespace emulated_cuda::ptx {
namespace {

using words = std::vector<std::string_view>;

words split_opcode(std::string_view opcode) {
    words parts;
    for (;;) {
        const std::size_t dot = opcode.find('.');
        parts.push_back(opcode.substr(0, dot));
        if (dot == opcode.npos) return parts;
        opcode.remove_prefix(dot + 1);
    }
}

template <class T, std::size_t N>
std::optional<T> chosen(const std::pair<std::string_view, T> (&names)[N], std::string_view name) {
    for (const auto& [known, value] : names)
        if (known == name) return value;
    return std::nullopt;
}

constexpr std::pair<std::string_view, space> space_names[] = {{"global", space::global},
                                                              {"const", space::constant},
                                                              {"shared", space::shared},
                                                              {"local", space::local},
                                                              {"param", space::parameter}};

// Order between threads needs no care where they take turns at barriers; what a cache keeps, none either.
bool is_about_order_or_caches(std::string_view word) {
    constexpr std::string_view known[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "volatile",
                                          "cta",  "gpu",     "sys",     "cluster", "ca",      "cg",
                                          "cs",   "cv",      "lu",      "wb",      "wt",      "nc"};
    if (word.substr(0, 4) == "L1::" || word.substr(0, 4) == "L2::") return word != "L2::cache_hint";
    return std::find(std::begin(known), std::end(known), word) != std::end(known);
}

constexpr std::pair<std::string_view, std::uint32_t> special_names[] = {
    {"%tid.x", tid_x},     {"%tid.y", tid_y},       {"%tid.z", tid_z},       {"%ntid.x", ntid_x},
    {"%ntid.y", ntid_y},   {"%ntid.z", ntid_z},     {"%ctaid.x", ctaid_x},   {"%ctaid.y", ctaid_y},
    {"%ctaid.z", ctaid_z}, {"%nctaid.x", nctaid_x}, {"%nctaid.y", nctaid_y}, {"%nctaid.z", nctaid_z},
    {"%laneid", laneid}};

void to_generic(const instruction& i, thread& t) { t.registers[i.to] = i.from[0].of(t) + window_of(i.where); }

void from_generic(const instruction& i, thread& t) {
    const std::uint64_t address = i.from[0].of(t);
    if (space_of(address) != (i.where == space::constant ? space::global : i.where))
        throw device_error("an address of another space is converted");
    t.registers[i.to] = address - window_of(i.where);
}

void is_in_space(const instruction& i, thread& t) {
    t.registers[i.to] = space_of(i.from[0].of(t)) == i.where;
}

// {a, b} = c and c = {a, b}, the first being the lowest; bytes are those of an element.
void unpack(const instruction& i, thread& t) {
    std::uint64_t value = i.from[0].of(t);
    const int bits = 8 * i.bytes;
    for (const operand& element : i.elements) {
        t.registers[element.index] = value & ((std::uint64_t{1} << bits) - 1);
        value >>= bits;
    }
}
void pack(const instruction& i, thread& t) {
    std::uint64_t value = 0;
    int shift = 0;
    for (const operand& element : i.elements) {
        value |= element.of(t) << shift;
        shift += 8 * i.bytes;
    }
    t.registers[i.to] = value;
}

class decoder {
public:
    decoder(const statement& written, const scopes& names, entry& kernel, std::vector<jump>& jumps)
        : written_(written),
          names_(names),
          kernel_(kernel),
          jumps_(jumps),
          parts_(split_opcode(written.opcode)) {
        made_.line = written.line;
        if (!written.guard.empty()) {
            made_.is_guarded = true;
            made_.guard = source({.text = written.guard, .is_negated = written.guard_is_negated}, 1);
        }
    }

    void run() {
        const std::string_view stem = parts_.front();
        if (stem == "ld" || stem == "st") access(stem == "ld");
        else if (stem == "atom" || stem == "red") atomic(stem == "atom");
        else if (stem == "mov" && is_list(0)) unpack_list();
        else if (stem == "mov" && is_list(1)) pack_list();
        else if (stem == "cvta" || stem == "isspacep") convert_address(stem == "cvta");
        else if (stem == "bra" || stem == "brx") branch();
        else if (stem == "bar" || stem == "barrier") barrier();
        else if (stem == "shfl") shuffle();
        else if (stem == "vote") vote();
        else if (!simple()) compute();
        kernel_.code.push_back(std::move(made_));
    }

private:
    [[noreturn]] void unknown() const { throw device_error("'" + written_.opcode + "' is not known"); }
    void expect(bool condition) const {
        if (!condition) unknown();
    }
    void expect_operands(std::size_t count) const {
        if (written_.operands.size() != count)
            throw device_error("'" + written_.opcode + "' has " + std::to_string(count) + " operands");
    }
    bool is_list(std::size_t i) const {
        return i < written_.operands.size() && written_.operands[i].is == written_operand::form::list;
    }

    operand constant(std::uint64_t value) {
        auto& all = kernel_.constants;
        const auto found = std::find(all.begin(), all.end(), value);
        const auto index = static_cast<std::uint32_t>(found - all.begin());
        if (found == all.end()) all.push_back(value);
        return {.index = index, .is_constant = true};
    }

    // A value of so many bits; or_more: a wider register will do.
    operand source(const written_operand& from, int bits, bool or_more = false) {
        using form = written_operand::form;
        const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
        if (from.is == form::number) return constant(value_of(from.text, from.is_negated) & mask);
        if (from.is != form::name) throw device_error("an operand is a register or a number");
        if (const auto special = chosen(special_names, from.text)) return {.index = *special};
        if (from.text == "WARP_SZ") return constant(32);
        const variable& what = look_up(from.text);
        if (!what.is_register) return constant(what.place);
        check_bits(from.text, what, bits, or_more);
        return {.index = static_cast<std::uint32_t>(what.place), .is_negated = from.is_negated};
    }

    std::uint32_t result(const written_operand& to, int bits, bool or_more = false) {
        if (to.text == "_") return nowhere;
        const variable& what = look_up(to.text);
        if (!what.is_register)
            throw device_error("a result goes to a register, not to " + std::string(to.text));
        check_bits(to.text, what, bits, or_more);
        made_.to_bits = static_cast<std::uint8_t>(what.bits);
        return static_cast<std::uint32_t>(what.place);
    }

    const variable& look_up(std::string_view name) const {
        const variable* what = names_.find(name);
        if (what == nullptr) throw device_error("'" + std::string(name) + "' is not declared");
        return *what;
    }

    void check_bits(std::string_view name, const variable& what, int bits, bool or_more) const {
        if (what.bits == bits || (or_more && what.bits > bits && bits > 1)) return;
        throw device_error("'" + std::string(name) + "' has " + std::to_string(what.bits) + " bits, not " +
                           std::to_string(bits));
    }

    void address(const written_operand& written) {
        if (written.is != written_operand::form::address) throw device_error("an address is in brackets");
        made_.from[0] = constant(0);
        if (!written.text.empty() && std::isdigit(static_cast<unsigned char>(written.text.front())) != 0)
            made_.from[0] = constant(value_of(written.text, false));
        else
            made_.from[0] =
                source({.text = written.text},
                       made_.where == space::global || made_.where == space::generic ? 64 : 32, true);
        made_.offset = written.offset;
    }

    // Modifiers of memory; returns what is left: an operation, a vector, a type.
    words memory_words() {
        words rest;
        for (std::size_t i = 1; i < parts_.size(); ++i) {
            if (const auto where = chosen(space_names, parts_[i])) made_.where = *where;
            else if (parts_[i] == "shared::cta") made_.where = space::shared;
            else if (!is_about_order_or_caches(parts_[i])) rest.push_back(parts_[i]);
        }
        return rest;
    }

    void element_type(std::string_view type) {
        const int bits = bits_of_type(type);
        expect(bits >= 8 && bits <= 64);
        made_.bytes = static_cast<std::uint8_t>(bits / 8);
        made_.is_signed = type.front() == 's';
    }

    void access(bool is_load) {
        made_.what = is_load ? action::load : action::store;
        words rest = memory_words();
        std::size_t count = 1;
        if (rest.size() == 2) {
            constexpr std::pair<std::string_view, std::size_t> vectors[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}};
            const auto named = chosen(vectors, rest.front());
            expect(named.has_value());
            count = *named;
            rest.erase(rest.begin());
        }
        expect(rest.size() == 1);
        expect(is_load || (made_.where != space::parameter && made_.where != space::constant));
        element_type(rest.front());
        expect_operands(2);
        address(written_.operands[is_load ? 1 : 0]);
        const written_operand& data = written_.operands[is_load ? 0 : 1];
        const bool is_vector = data.is == written_operand::form::list;
        if (count != (is_vector ? data.parts.size() : 1))
            throw device_error("a vector's elements are as many as its type says");
        for (std::size_t e = 0; e < count; ++e) {
            const written_operand& element = is_vector ? data.parts[e] : data;
            made_.elements.push_back(is_load ? operand{.index = result(element, 8 * made_.bytes, true)}
                                             : source(element, 8 * made_.bytes, true));
        }
    }

    void atomic(bool has_result) {
        using enum atomic_operation;
        made_.what = action::atomic;
        const words rest = memory_words();
        expect(rest.size() == 2 && made_.where != space::parameter && made_.where != space::constant);
        element_type(rest[1]);
        expect(made_.bytes >= 4 && rest[1].front() != 'f');
        const bool is_signed = made_.is_signed;
        const std::pair<std::string_view, atomic_operation> known[] = {{"add", add},
                                                                       {"min", is_signed ? min_signed : min},
                                                                       {"max", is_signed ? max_signed : max},
                                                                       {"and", bit_and},
                                                                       {"or", bit_or},
                                                                       {"xor", bit_xor},
                                                                       {"exch", exchange},
                                                                       {"cas", compare}};
        const auto named = chosen(known, rest[0]);
        expect(named.has_value());
        made_.mode = static_cast<std::uint8_t>(*named);
        const std::size_t first = has_result ? 1 : 0, values = *named == compare ? 2 : 1;
        expect_operands(first + 1 + values);
        if (has_result) made_.to = result(written_.operands[0], 8 * made_.bytes);
        address(written_.operands[first]);
        for (std::size_t v = 0; v < values; ++v)
            made_.from[1 + v] = source(written_.operands[first + 1 + v], 8 * made_.bytes);
    }

    void unpack_list() {
        expect_operands(2);
        const int bits = list_of(written_.operands[0]);
        for (const written_operand& part : written_.operands[0].parts)
            made_.elements.push_back({.index = result(part, bits)});
        made_.from[0] = source(written_.operands[1], static_cast<int>(made_.elements.size()) * bits);
        made_.run = &unpack;
    }

    void pack_list() {
        expect_operands(2);
        const int bits = list_of(written_.operands[1]);
        for (const written_operand& part : written_.operands[1].parts)
            made_.elements.push_back(source(part, bits));
        made_.to = result(written_.operands[0], static_cast<int>(made_.elements.size()) * bits);
        made_.run = &pack;
    }

    // Bits of an element of a mov's list.
    int list_of(const written_operand& list) {
        expect(parts_.size() == 2 && (list.parts.size() == 2 || list.parts.size() == 4));
        const int bits = bits_of_type(parts_[1]) / static_cast<int>(list.parts.size());
        expect(bits >= 8);
        made_.bytes = static_cast<std::uint8_t>(bits / 8);
        return bits;
    }

    void convert_address(bool is_cvta) {
        const bool to_space = is_cvta && parts_.size() == 4 && parts_[1] == "to";
        expect(parts_.size() == (to_space ? 4u : is_cvta ? 3u : 2u));
        const auto where = chosen(space_names, parts_[to_space ? 2 : 1]);
        expect(where.has_value() && (!is_cvta || parts_.back() == "u64"));
        expect_operands(2);
        made_.where = *where;
        made_.to = result(written_.operands[0], is_cvta ? 64 : 1);
        made_.from[0] = source(written_.operands[1], 64);
        made_.run = !is_cvta ? &is_in_space : to_space ? &from_generic : &to_generic;
    }

    void branch() {
        const bool by_table = parts_.front() == "brx";
        expect(parts_.size() == (by_table ? 2u : 1u) || parts_.back() == "uni");
        expect(!by_table || parts_[1] == "idx");
        expect_operands(by_table ? 2 : 1);
        made_.what = by_table ? action::branch_by_table : action::branch;
        if (by_table) made_.from[0] = source(written_.operands[0], 32);
        jumps_.push_back({kernel_.code.size(), std::string(written_.operands.back().text), written_.line});
    }

    void barrier() {
        if (written_.opcode == "bar.warp.sync") {
            expect_operands(1);
            made_.what = action::warp_barrier;
            made_.from[0] = source(written_.operands[0], 32);
            return;
        }
        expect(written_.opcode == "bar.sync" || written_.opcode == "barrier.sync" ||
               written_.opcode == "barrier.cta.sync" || written_.opcode == "barrier.sync.aligned");
        expect_operands(1);  // of all threads: a second one would count them
        made_.what = action::block_barrier;
    }

    void shuffle() {
        constexpr std::pair<std::string_view, shuffle_mode> modes[] = {{"idx", shuffle_mode::index},
                                                                       {"up", shuffle_mode::up},
                                                                       {"down", shuffle_mode::down},
                                                                       {"bfly", shuffle_mode::butterfly}};
        expect(parts_.size() == 4 && parts_[1] == "sync" && parts_[3] == "b32");
        const auto mode = chosen(modes, parts_[2]);
        expect(mode.has_value());
        expect_operands(5);
        made_.what = action::shuffle;
        made_.mode = static_cast<std::uint8_t>(*mode);
        made_.to = result(written_.operands[0], 32);
        if (!written_.operands[0].also.empty())
            made_.also_to = result({.text = written_.operands[0].also}, 1);
        for (std::size_t i = 0; i < 4; ++i) made_.from[i] = source(written_.operands[i + 1], 32);
    }

    void vote() {
        constexpr std::pair<std::string_view, vote_mode> modes[] = {{"any", vote_mode::any},
                                                                    {"all", vote_mode::all},
                                                                    {"uni", vote_mode::uniform},
                                                                    {"ballot", vote_mode::ballot}};
        expect(parts_.size() == 4 && parts_[1] == "sync");
        const auto mode = chosen(modes, parts_[2]);
        expect(mode.has_value() && parts_[3] == (*mode == vote_mode::ballot ? "b32" : "pred"));
        expect_operands(3);
        made_.what = action::vote;
        made_.mode = static_cast<std::uint8_t>(*mode);
        made_.to = result(written_.operands[0], *mode == vote_mode::ballot ? 32 : 1);
        made_.from[0] = source(written_.operands[1], 1);
        made_.from[1] = source(written_.operands[2], 32);
    }

    bool simple() {
        constexpr std::pair<std::string_view, action> known[] = {{"ret", action::leave},
                                                                 {"ret.uni", action::leave},
                                                                 {"exit", action::leave},
                                                                 {"trap", action::trap},
                                                                 {"membar.cta", action::fence},
                                                                 {"membar.gl", action::fence},
                                                                 {"membar.sys", action::fence},
                                                                 {"fence.acq_rel.cta", action::fence},
                                                                 {"fence.acq_rel.gpu", action::fence},
                                                                 {"fence.acq_rel.sys", action::fence},
                                                                 {"fence.sc.cta", action::fence},
                                                                 {"fence.sc.gpu", action::fence},
                                                                 {"fence.sc.sys", action::fence}};
        const auto named = chosen(known, written_.opcode);
        if (!named) return false;
        expect_operands(0);
        made_.what = *named;
        return true;
    }

    // setp.lt.and.s32 is setp.lt.s32 with one operand more.
    std::string without_combination() {
        constexpr std::pair<std::string_view, combination> combinations[] = {
            {"and", combination::with_and}, {"or", combination::with_or}, {"xor", combination::with_xor}};
        if (parts_.front() != "setp" || parts_.size() != 4) return written_.opcode;
        const auto combined = chosen(combinations, parts_[2]);
        expect(combined.has_value());
        made_.mode = static_cast<std::uint8_t>(*combined);
        return "setp." + std::string(parts_[1]) + "." + std::string(parts_[3]);
    }

    void compute() {
        const auto found = operations().find(without_combination());
        if (found == operations().end()) unknown();
        made_.run = found->second.run;
        std::string letters(found->second.operands);
        if (parts_.front() == "setp" && made_.mode != 0) letters += 'p';
        expect_operands(letters.size());
        for (std::size_t i = 0; i < letters.size(); ++i) {
            const auto [bits, or_more] = width_of(letters[i]);
            const written_operand& given = written_.operands[i];
            if (!given.also.empty()) throw device_error("'" + written_.opcode + "' has one result here");
            if (i == 0) made_.to = result(given, bits, or_more);
            else made_.from[i - 1] = source(given, bits, or_more);
        }
    }

    static std::pair<int, bool> width_of(char letter) {
        const bool or_more = letter >= 'A' && letter <= 'Z';
        switch (or_more ? letter - 'A' + 'a' : letter) {
            case 'p': return {1, false};
            case 'b': return {8, true};
            case 'h': return {16, or_more};
            case 'w': return {32, or_more};
            default: return {64, false};
        }
    }

    const statement& written_;
    const scopes& names_;
    entry& kernel_;
    std::vector<jump>& jumps_;
    words parts_;
    instruction made_;
};

}  // namespace

void decode(const statement& written, const scopes& names, entry& kernel, std::vector<jump>& jumps) {
    decoder(written, names, kernel, jumps).run();
}

int bits_of_type(std::string_view type) {
    if (type == "pred") return 1;
    if (type.size() < 2 || std::string_view("bsuf").find(type.front()) == std::string_view::npos) return 0;
    int bits = 0;
    for (const int known : {8, 16, 32, 64})
        if (type.substr(1) == std::to_string(known)) bits = known;
    return bits;
}

std::uint64_t value_of(std::string_view literal, bool is_negative) {
    const std::string whole(literal);
    const std::string_view prefix = literal.substr(0, std::min<std::size_t>(2, literal.size()));
    int base = 10;
    if (prefix == "0x" || prefix == "0X" || prefix == "0f" || prefix == "0F" || prefix == "0d" ||
        prefix == "0D") {
        literal.remove_prefix(2);
        base = 16;
    }
    if (!literal.empty() && literal.back() == 'U') literal.remove_suffix(1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), value, base);
    if (error != std::errc{} || end != literal.data() + literal.size())
        throw device_error("'" + whole + "' is no number that is known here");
    return is_negative ? std::uint64_t{0} - value : value;
}

}  // namespace emulated_cuda::ptx
