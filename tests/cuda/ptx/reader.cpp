// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include <emulation.hpp>

#include "interpreter.hpp"
#include "statement.hpp"

namespace emulated_cuda::ptx {
namespace {

std::size_t rounded_up(std::size_t at, std::size_t alignment) {
    return (at + alignment - 1) / alignment * alignment;
}

// nvcc names an anonymous namespace after the file, g++ and clang _GLOBAL__N_1.
std::string host_name(std::string name) {
    constexpr std::string_view mark = "_GLOBAL__N__", host = "12_GLOBAL__N_1";
    for (std::size_t at = name.find(mark); at != name.npos; at = name.find(mark, at + host.size())) {
        std::size_t digits = at;
        while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
        const std::size_t length = digits < at ? std::stoul(name.substr(digits, at - digits)) : 0;
        if (length < mark.size() || at + length > name.size()) return name;
        name.replace(digits, at + length - digits, host);
        at = digits;
    }
    return name;
}

//! A variable in memory, or a parameter.
struct declaration {
    std::string name;
    std::size_t alignment = 0, element = 0, count = 1;
    std::size_t bytes() const { return element * count; }
};

//! ptxas may fuse a product and the sum that it goes into where neither says how it is rounded. A kernel that
//! leaves it the choice has no bits of its own.
class fusion_watch {
public:
    void see(const statement& s) {
        const bool is_product = s.opcode == "mul.f32" || s.opcode == "mul.f64";
        const bool is_sum =
            s.opcode == "add.f32" || s.opcode == "add.f64" || s.opcode == "sub.f32" || s.opcode == "sub.f64";
        if (is_product) products_.insert(s.operands.at(0).text);
        if (is_sum)
            for (std::size_t i = 1; i < s.operands.size(); ++i)
                summands_.push_back({s.operands[i].text, s.line});
    }
    // The line of a sum of a product, or 0.
    int found() const {
        for (const auto& [name, line] : summands_)
            if (products_.count(name) != 0) return line;
        return 0;
    }

private:
    std::set<std::string_view> products_;
    std::vector<std::pair<std::string_view, int>> summands_;
};

class reader {
public:
    reader(std::string_view text, module& made) : tokens_(split(text)), made_(made) {}

    void run() {
        try {
            names_.open();
            while (!now().is("end of file")) module_statement();
        } catch (const device_error& error) {
            throw device_error(made_.file + ":" + std::to_string(now_line()) + ": " + error.what());
        }
    }

private:
    const token& now() const { return tokens_[at_]; }
    token next() { return tokens_[tokens_[at_].kind == token_kind::end ? at_ : at_++]; }
    int now_line() const { return line_ != 0 ? line_ : now().line; }
    bool accept(std::string_view text) {
        if (!now().is(text)) return false;
        ++at_;
        return true;
    }
    void expect(std::string_view text) {
        if (!accept(text))
            throw device_error("'" + std::string(text) + "' is expected, not '" + std::string(now().text) +
                               "'");
    }
    std::size_t number() { return value_of(next().text, false); }
    void skip_line() {
        for (const int line = now().line; now().line == line && now().kind != token_kind::end;) ++at_;
    }
    void skip_to(std::string_view text) {
        while (!now().is(text) && now().kind != token_kind::end) ++at_;
        expect(text);
    }
    void skip_braces() {
        expect("{");
        for (int depth = 1; depth > 0 && now().kind != token_kind::end;) {
            if (now().is("{")) ++depth;
            if (now().is("}")) --depth;
            ++at_;
        }
    }

    void module_statement() {
        if (now().is(".version") || now().is(".target") || now().is(".address_size") || now().is(".file"))
            return skip_line();
        if (accept(".visible") || accept(".extern") || accept(".weak")) return;
        if (accept(".global") || accept(".const")) return static_data_of();
        if (accept(".func")) return skip_function();
        if (accept(".entry")) return kernel();
        if (accept(".section")) {
            next();
            return skip_braces();
        }
        throw device_error("'" + std::string(now().text) + "' is not known outside of a kernel");
    }

    // A kernel that calls is refused where it calls.
    void skip_function() {
        while (!now().is("{") && !now().is(";") && now().kind != token_kind::end) ++at_;
        if (!accept(";")) skip_braces();
    }

    declaration declare() {
        declaration d;
        while (now().kind == token_kind::word && now().text.front() == '.') {
            if (accept(".align")) d.alignment = number();
            else if (accept(".ptr")) skip_pointee();
            else d.element = static_cast<std::size_t>(bits_of_type(next().text.substr(1))) / 8;
        }
        if (d.element == 0) throw device_error("a variable has a type of 8, 16, 32 or 64 bits");
        d.alignment = std::max(d.alignment, d.element);
        d.name = next().text;
        while (accept("[")) {
            if (now().is("]")) throw device_error("an array of unknown size is not known here");
            d.count *= number();
            expect("]");
        }
        return d;
    }

    // `.ptr .global .align 4` tells of what a parameter points to.
    void skip_pointee() {
        if (now().is(".global") || now().is(".shared") || now().is(".const") || now().is(".local")) ++at_;
        if (accept(".align")) number();
    }

    void static_data_of() {
        const declaration d = declare();
        auto bytes = std::make_unique<std::byte[]>(d.bytes() + d.alignment);
        const auto begin = rounded_up(reinterpret_cast<std::uintptr_t>(bytes.get()), d.alignment);
        if (accept("=")) initialise(reinterpret_cast<std::byte*>(begin), d);
        expect(";");
        names_.declare(d.name, {false, 64, begin});
        made_.data.push_back({std::move(bytes), d.bytes() + d.alignment});
    }

    void initialise(std::byte* begin, const declaration& d) {
        const bool is_list = accept("{");
        for (std::size_t i = 0; i < d.count; ++i) {
            if (i > 0 && !accept(",")) break;  // the rest is zero
            const bool is_negative = accept("-");
            const std::uint64_t value = value_of(next().text, is_negative);
            std::memcpy(begin + i * d.element, &value, d.element);
        }
        if (is_list) expect("}");
    }

    void kernel() {
        kernel_ = {};
        kernel_.home = &made_;
        kernel_.name = host_name(std::string(next().text));
        labels_.clear(), tables_.clear(), jumps_.clear();
        fusion_ = {};
        names_.open();
        if (accept("(") && !accept(")")) parameters();
        while (!now().is("{")) ++at_;  // bounds of registers and threads
        body();
        names_.close();
        kernel_.code.push_back({.what = action::leave, .line = now().line});
        resolve_jumps();
        if (const int line = fusion_.found(); line != 0) {
            line_ = line;
            throw device_error(
                "ptxas may fuse this sum and a product in it: write __fmul_rn and __fadd_rn, or fma");
        }
        const std::string name = kernel_.name;
        made_.entries.insert_or_assign(name, std::move(kernel_));
    }

    void parameters() {
        do {
            expect(".param");
            const declaration d = declare();
            const std::size_t offset = place(kernel_.parameter_bytes, d);
            names_.declare(d.name, {false, 64, offset});
            kernel_.parameters.push_back({offset, d.bytes()});
        } while (accept(","));
        expect(")");
    }

    static std::size_t place(std::size_t& end, const declaration& d) {
        const std::size_t offset = rounded_up(end, d.alignment);
        end = offset + d.bytes();
        return offset;
    }

    void body() {
        const std::size_t outside = names_.depth();
        do {
            line_ = now().line;
            if (accept("{")) names_.open();
            else if (accept("}")) names_.close();
            else if (now().text.front() == '.') directive();
            else if (is_label()) label();
            else instruct();
            if (now().kind == token_kind::end && names_.depth() > outside)
                throw device_error("a kernel without end");
        } while (names_.depth() > outside);
        line_ = 0;
    }

    void directive() {
        if (accept(".reg")) return registers();
        if (accept(".shared")) return memory(kernel_.shared_bytes);
        if (accept(".local")) return memory(kernel_.local_bytes);
        if (accept(".pragma")) return skip_to(";");
        if (accept(".loc")) return skip_line();
        throw device_error("'" + std::string(now().text) + "' is not known in a kernel");
    }

    void memory(std::size_t& end) {
        const declaration d = declare();
        expect(";");
        names_.declare(d.name, {false, 64, place(end, d)});
    }

    void registers() {
        const std::string_view type = next().text.substr(1);
        const int bits = bits_of_type(type);
        if (bits == 0) throw device_error("registers of type '" + std::string(type) + "' are not known");
        do {
            const std::string name(next().text);
            if (accept("<")) {
                const std::size_t count = number();
                expect(">");
                for (std::size_t i = 0; i < count; ++i) one_register(name + std::to_string(i), bits);
            } else {
                one_register(name, bits);
            }
        } while (accept(","));
        expect(";");
    }

    void one_register(std::string name, int bits) {
        names_.declare(std::move(name), {true, bits, kernel_.registers++});
    }

    bool is_label() const { return now().kind == token_kind::word && tokens_[at_ + 1].is(":"); }

    void label() {
        const std::string name(next().text);
        expect(":");
        if (!accept(".branchtargets")) {
            labels_[name] = static_cast<std::uint32_t>(kernel_.code.size());
            return;
        }
        do tables_[name].emplace_back(next().text);
        while (accept(","));
        expect(";");
    }

    void instruct() {
        statement s;
        s.line = now().line;
        if (accept("@")) {
            s.guard_is_negated = accept("!");
            s.guard = next().text;
        }
        s.opcode = next().text;
        while (!now().is(";")) {
            s.operands.push_back(written());
            if (!accept(",") && !now().is(";"))
                throw device_error("'" + std::string(now().text) + "' is not expected in an operand of '" +
                                   s.opcode + "'");
        }
        expect(";");
        fusion_.see(s);
        decode(s, names_, kernel_, jumps_);
    }

    written_operand written() {
        using form = written_operand::form;
        if (accept("[")) {
            written_operand address{.is = form::address, .text = next().text};
            const bool minus = accept("-");
            if (minus || accept("+")) {
                const bool is_negative = accept("-") != minus;  // nvcc writes +-8
                address.offset = static_cast<std::int64_t>(value_of(next().text, is_negative));
            }
            expect("]");
            return address;
        }
        if (accept("{")) {
            written_operand list{.is = form::list};
            do list.parts.push_back(written());
            while (accept(","));
            expect("}");
            return list;
        }
        written_operand one;
        one.is_negated = accept("!") || accept("-");
        one.is = now().kind == token_kind::number ? form::number : form::name;
        if (now().kind != token_kind::number && now().kind != token_kind::word)
            throw device_error("'" + std::string(now().text) + "' is no operand");
        one.text = next().text;
        if (accept("|")) one.also = next().text;
        return one;
    }

    void resolve_jumps() {
        for (const jump& j : jumps_) {
            line_ = j.line;
            instruction& from = kernel_.code[j.instruction];
            if (from.what == action::branch) from.target = target(j.label);
            else
                for (const std::string& label : tables_[j.label]) from.targets.push_back(target(label));
        }
        line_ = 0;
    }

    std::uint32_t target(const std::string& label) const {
        const auto found = labels_.find(label);
        if (found == labels_.end()) throw device_error("there is no label '" + label + "'");
        return found->second;
    }

    std::vector<token> tokens_;
    std::size_t at_ = 0;
    int line_ = 0;  // of what is read, for errors; 0: of the next token
    module& made_;
    scopes names_;
    entry kernel_;
    std::map<std::string, std::uint32_t> labels_;
    std::map<std::string, std::vector<std::string>> tables_;
    std::vector<jump> jumps_;
    fusion_watch fusion_;
};

}  // namespace

std::shared_ptr<const module> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw device_error("cannot read " + path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto made = std::make_shared<module>();
    made->file = path;
    reader(text, *made).run();
    return made;
}

const entry* find(const module& all, std::string_view name) {
    auto found = all.entries.find(name);
    // nvcc leaves out the L by which g++ and clang mark a static function.
    if (found == all.entries.end() && name.substr(0, 3) == "_ZL")
        found = all.entries.find("_Z" + std::string(name.substr(3)));
    return found == all.entries.end() ? nullptr : &found->second;
}

}  // namespace emulated_cuda::ptx
