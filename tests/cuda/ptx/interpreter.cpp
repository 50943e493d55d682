// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "interpreter.hpp"

#include <algorithm>
#include <cstring>

#include <emulation.hpp>

#include "../emulation/grid.hpp"
#include "../emulation/memory.hpp"
#include "../emulation/rendezvous.hpp"
#include "windows.hpp"

namespace emulated_cuda::ptx {
namespace {

std::uint64_t interpreted = 0;

std::uint64_t longest_block = std::uint64_t{1} << 28;
constexpr std::uint64_t never_written = 0xBAD0BAD0BAD0BAD0;

struct range {
    std::uintptr_t begin = 0, end = 0;
    bool holds(std::uint64_t address, std::size_t bytes) const {
        return address >= begin && address <= end && bytes <= end - address;
    }
};

std::uint64_t load_word(const std::byte* from, std::size_t bytes) {
    std::uint64_t value = 0;
    switch (bytes) {
        case 1: std::memcpy(&value, from, 1); break;
        case 2: std::memcpy(&value, from, 2); break;
        case 4: std::memcpy(&value, from, 4); break;
        default: std::memcpy(&value, from, 8);
    }
    return value;
}

void store_word(std::byte* to, std::uint64_t value, std::size_t bytes) {
    switch (bytes) {
        case 1: std::memcpy(to, &value, 1); break;
        case 2: std::memcpy(to, &value, 2); break;
        case 4: std::memcpy(to, &value, 4); break;
        default: std::memcpy(to, &value, 8);
    }
}

std::uint64_t sign_extended(std::uint64_t value, std::size_t bytes) {
    const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
    return (value ^ sign) - sign;
}

std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
    return bits < 64 ? value & ((std::uint64_t{1} << bits) - 1) : value;
}

std::uint64_t change(const instruction& i, std::uint64_t old, std::uint64_t a, std::uint64_t b) {
    const auto with_sign = [&](std::uint64_t v) {
        return static_cast<std::int64_t>(sign_extended(v, i.bytes));
    };
    switch (static_cast<atomic_operation>(i.mode)) {
        case atomic_operation::add: return old + a;
        case atomic_operation::min: return std::min(old, a);
        case atomic_operation::max: return std::max(old, a);
        case atomic_operation::min_signed: return with_sign(a) < with_sign(old) ? a : old;
        case atomic_operation::max_signed: return with_sign(a) > with_sign(old) ? a : old;
        case atomic_operation::bit_and: return old & a;
        case atomic_operation::bit_or: return old | a;
        case atomic_operation::bit_xor: return old ^ a;
        case atomic_operation::exchange: return a;
        case atomic_operation::compare: return old == a ? b : old;
    }
    return old;
}

//! One kernel's run: the memory of a block and its threads, used again for the next block.
class machine {
public:
    machine(const entry& kernel, const std::byte* parameters, const dim3& grid, const dim3& block)
        : kernel_(kernel),
          parameters_(parameters),
          grid_(grid),
          block_(block),
          count_(static_cast<std::uint32_t>(volume(block))),
          registers_(std::size_t{count_} * kernel.registers),
          local_(count_ * kernel.local_bytes + 1),
          shared_(kernel.shared_bytes + 1),
          next_(count_),
          carries_(count_),
          last_(kernel.code.size()) {}

    void run_block(const uint3& index) {
        begin(index);
        const std::vector<std::uint32_t> order = in_order(count_);
        for (;;) {
            for (const std::uint32_t t : order)
                if (meetings_[t].what == waits_for::nothing) run_thread(t);
            if (meetings_.all_returned()) break;
            meetings_.release();
        }
        interpreted += done_;
    }

private:
    void begin(const uint3& block_index) {
        done_ = 0;
        meetings_.reset(count_);
        std::fill(registers_.begin(), registers_.end(), never_written);
        std::fill(local_.begin(), local_.end(), std::byte{0xFF});
        std::fill(shared_.begin(), shared_.end(), std::byte{0xFF});
        std::fill(next_.begin(), next_.end(), kernel_.code.data());
        for (std::uint32_t t = 0; t < count_; ++t) {
            const uint3 me = place_in(block_, t);
            const std::uint64_t values[specials] = {me.x,
                                                    me.y,
                                                    me.z,
                                                    block_.x,
                                                    block_.y,
                                                    block_.z,
                                                    block_index.x,
                                                    block_index.y,
                                                    block_index.z,
                                                    grid_.x,
                                                    grid_.y,
                                                    grid_.z,
                                                    t % rendezvous::warp,
                                                    0};
            std::copy(std::begin(values), std::end(values), &registers_[std::size_t{t} * kernel_.registers]);
        }
    }

    void run_thread(std::uint32_t number) {
        const instruction*& now = next_[number];
        try {
            run_thread(number, now);
        } catch (const device_error& error) {
            throw device_error(kernel_.home->file + ":" + std::to_string(now->line) + ", " + kernel_.name +
                               ", thread " + std::to_string(number) + ": " + error.what());
        }
    }

    void run_thread(std::uint32_t number, const instruction*& next) {
        thread t{&registers_[std::size_t{number} * kernel_.registers], kernel_.constants.data(),
                 carries_[number]};
        receive(number, t, next);
        const instruction* i = next;
        for (;;) {
            next = i;
            if (++done_ > longest_block) throw device_error("a block runs without end");
            if (i->is_guarded && !i->guard.holds(t)) {
                ++i;
                continue;
            }
            switch (i->what) {
                case action::compute: i->run(*i, t); break;
                case action::load: load(*i, t, number); break;
                case action::store: store(*i, t, number); break;
                case action::atomic: atomic(*i, t, number); break;
                case action::branch: i = &kernel_.code[i->target]; continue;
                case action::branch_by_table: {
                    const std::uint64_t which = i->from[0].of(t);
                    if (which >= i->targets.size()) throw device_error("a branch beyond its table");
                    i = &kernel_.code[i->targets[which]];
                    continue;
                }
                case action::fence: break;
                case action::trap: throw device_error("a kernel trapped");
                case action::leave:
                case action::block_barrier:
                case action::warp_barrier:
                case action::shuffle:
                case action::vote:
                    meetings_[number] = arrival_of(*i, t);
                    carries_[number] = t.carry;
                    return;
            }
            ++i;
        }
    }

    static arrival arrival_of(const instruction& i, const thread& t) {
        const auto word = [&](std::size_t n) { return static_cast<std::uint32_t>(i.from[n].of(t)); };
        switch (i.what) {
            case action::block_barrier: return {.what = waits_for::block, .place = &i};
            case action::warp_barrier: return {.what = waits_for::warp, .mask = word(0), .place = &i};
            case action::shuffle:
                return {.what = waits_for::shuffle,
                        .mode = i.mode,
                        .mask = word(3),
                        .lane = word(1),
                        .segment = word(2),
                        .value = word(0),
                        .place = &i};
            case action::vote:
                return {.what = waits_for::vote,
                        .mode = i.mode,
                        .mask = word(1),
                        .value = i.from[0].holds(t),
                        .place = &i};
            default: return {.what = waits_for::returned};
        }
    }

    // What a meeting gave, before a thread goes on behind it.
    void receive(std::uint32_t number, thread& t, const instruction*& next) {
        const arrival& a = meetings_[number];
        if (a.place == nullptr) return;
        if (next->what == action::shuffle || next->what == action::vote) t.registers[next->to] = a.result;
        if (next->what == action::shuffle) t.registers[next->also_to] = a.in_range;
        ++next;
    }

    void load(const instruction& i, thread& t, std::uint32_t number) {
        const std::byte* from = memory_of(i, t, number, false);
        for (const operand& element : i.elements) {
            std::uint64_t value = load_word(from, i.bytes);
            if (i.is_signed) value = low_bits(sign_extended(value, i.bytes), i.to_bits);
            t.registers[element.index] = value;
            from += i.bytes;
        }
    }

    void store(const instruction& i, const thread& t, std::uint32_t number) {
        std::byte* to = memory_of(i, t, number, true);
        for (const operand& element : i.elements) {
            store_word(to, element.of(t), i.bytes);
            to += i.bytes;
        }
    }

    void atomic(const instruction& i, thread& t, std::uint32_t number) {
        std::byte* place = memory_of(i, t, number, true);
        const std::uint64_t old = load_word(place, i.bytes);
        store_word(place, change(i, old, i.from[1].of(t), i.from[2].of(t)), i.bytes);
        t.registers[i.to] = old;
    }

    std::byte* memory_of(const instruction& i, const thread& t, std::uint32_t number, bool is_written) {
        std::uint64_t address = i.from[0].of(t) + static_cast<std::uint64_t>(i.offset);
        const std::size_t bytes = i.bytes * std::max<std::size_t>(i.elements.size(), 1);
        if (address % bytes != 0)
            throw device_error("an address is no multiple of the " + std::to_string(bytes) +
                               " bytes accessed");
        space where = i.where;
        if (where == space::shared)
            address = static_cast<std::uint32_t>(address);  // its registers have 32 bits and wrap
        if (where == space::generic) {
            where = space_of(address);
            address -= window_of(where);
        }
        switch (where) {
            case space::shared:
                return within(shared_.data(), kernel_.shared_bytes, address, bytes, "shared memory");
            case space::local:
                return within(local_.data() + number * kernel_.local_bytes, kernel_.local_bytes, address,
                              bytes, "local memory");
            case space::parameter:
                if (is_written) throw device_error("a parameter is written");
                return within(const_cast<std::byte*>(parameters_), kernel_.parameter_bytes, address, bytes,
                              "the parameters");
            default: return global(i, address, bytes);
        }
    }

    static std::byte* within(std::byte* begin, std::size_t size, std::uint64_t address, std::size_t bytes,
                             const char* what) {
        if (address > size || bytes > size - address)
            throw device_error("byte " + std::to_string(static_cast<std::int64_t>(address)) + " of " + what +
                               ", which has " + std::to_string(size));
        return begin + address;
    }

    // An instruction mostly stays in an allocation.
    std::byte* global(const instruction& i, std::uint64_t address, std::size_t bytes) {
        range& last = last_[static_cast<std::size_t>(&i - kernel_.code.data())];
        if (!last.holds(address, bytes)) last = find_range(address, bytes);
        return reinterpret_cast<std::byte*>(address);
    }

    range find_range(std::uint64_t address, std::size_t bytes) const {
        range found;
        const allocation* a = memory().find(reinterpret_cast<const void*>(address));
        if (a != nullptr)
            found = {reinterpret_cast<std::uintptr_t>(a->begin), reinterpret_cast<std::uintptr_t>(a->end())};
        for (const static_data& data : kernel_.home->data) {
            const auto begin = reinterpret_cast<std::uintptr_t>(data.bytes.get());
            if (range{begin, begin + data.size}.holds(address, bytes)) found = {begin, begin + data.size};
        }
        if (found.holds(address, bytes)) return found;
        throw device_error("an access of " + std::to_string(bytes) + " bytes outside of what is allocated" +
                           (a == nullptr ? "" : ", behind " + a->describe()));
    }

    const entry& kernel_;
    const std::byte* parameters_;
    dim3 grid_, block_;
    std::uint32_t count_;
    std::vector<std::uint64_t> registers_;
    std::vector<std::byte> local_, shared_;
    std::vector<const instruction*> next_;
    std::vector<std::uint64_t> carries_;
    std::vector<range> last_;  // by instruction
    rendezvous meetings_;
    std::uint64_t done_ = 0;  // instructions of the block
};

}  // namespace

void run(const entry& kernel, const std::byte* parameters, const dim3& grid, const dim3& block) {
    machine m(kernel, parameters, grid, block);
    for (const std::uint32_t number : in_order(volume(grid))) m.run_block(place_in(grid, number));
}

std::uint64_t instructions() { return interpreted; }
void set_longest_block(std::uint64_t instructions) { longest_block = instructions; }

}  // namespace emulated_cuda::ptx
