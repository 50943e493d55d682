// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "half.hpp"

namespace emulated_cuda::ptx {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

using table = std::unordered_map<std::string, operation>;

template <std::size_t Bytes>
using bits_of_size =
    std::conditional_t<Bytes == 1, u8,
                       std::conditional_t<Bytes == 2, u16, std::conditional_t<Bytes == 4, u32, u64>>>;

template <class T>
T get(const thread& t, const operand& from) {
    if constexpr (std::is_same_v<T, bool>) return from.holds(t);
    else return std::bit_cast<T>(static_cast<bits_of_size<sizeof(T)>>(from.of(t)));
}

// ISA, "floating-point instructions": a NaN that f32 arithmetic makes is 0x7FFFFFFF. The payloads of f64 are
// not specified; they are the host's.
template <class T>
u64 to_register(T value) {
    if constexpr (std::is_same_v<T, bool>) return value;
    else return std::bit_cast<bits_of_size<sizeof(T)>>(value);
}

constexpr auto canonical = [](float value) {
    return std::isnan(value) ? std::bit_cast<float>(0x7FFFFFFFu) : value;
};

template <class F, class R, class... A>
void compute(const instruction& i, thread& t) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        t.registers[i.to] = to_register(static_cast<R>(F{}(get<A>(t, i.from[I])...)));
    }
    (std::index_sequence_for<A...>{});
}

// A result that is narrower than its register is extended, as its type says.
template <class F, class R, class A>
void convert(const instruction& i, thread& t) {
    const auto result = static_cast<R>(F{}(get<A>(t, i.from[0])));
    u64 bits = to_register(result);
    if constexpr (std::is_signed_v<R> && std::is_integral_v<R>) bits = static_cast<u64>(s64{result});
    t.registers[i.to] = i.to_bits < 64 ? bits & ((u64{1} << i.to_bits) - 1) : bits;
}

template <class T>
constexpr char letter_of() {
    if (std::is_same_v<T, bool>) return 'p';
    return sizeof(T) == 1 ? 'b' : sizeof(T) == 2 ? 'h' : sizeof(T) == 4 ? 'w' : 'd';
}
template <class T>
constexpr char capital_of() {
    return static_cast<char>(letter_of<T>() - 'a' + 'A');
}

// Out of line: it is called a thousand times.
__attribute__((noinline)) void put(table& all, const std::string& name, computation run,
                                   std::string_view operands) {
    all.emplace(name, operation{run, operands});
}

template <class R, class... A, class F>
void define(table& all, const std::string& name, F) {
    static constexpr char letters[] = {letter_of<R>(), letter_of<A>()...};
    put(all, name, &compute<F, R, A...>, {letters, sizeof letters});
}

template <class R, class A, class F>
void define_conversion(table& all, const std::string& name, F) {
    static constexpr char letters[] = {capital_of<R>(), capital_of<A>()};
    put(all, name, &convert<F, R, A>, {letters, sizeof letters});
}

template <class T>
using wider = std::conditional_t<
    std::is_same_v<T, u16>, u32,
    std::conditional_t<
        std::is_same_v<T, s16>, s32,
        std::conditional_t<std::is_same_v<T, u32>, u64,
                           std::conditional_t<std::is_same_v<T, s32>, s64,
                                              std::conditional_t<std::is_signed_v<T>, s128, u128>>>>>;

// A product of any two T, whose halves are what mul has.
template <class T>
constexpr auto product(T a, T b) {
    return static_cast<wider<T>>(static_cast<wider<T>>(a) * static_cast<wider<T>>(b));
}
template <class T>
constexpr T high_half(T a, T b) {
    return static_cast<T>(product(a, b) >> (8 * sizeof(T)));
}

// Sums and low halves wrap and are the same with and without sign.
template <class U>
void define_wrapping(table& all, const std::string& type) {
    define<U, U, U>(all, "add." + type, [](u64 a, u64 b) { return a + b; });
    define<U, U, U>(all, "sub." + type, [](u64 a, u64 b) { return a - b; });
    define<U, U, U>(all, "mul.lo." + type, [](u64 a, u64 b) { return a * b; });
    define<U, U, U, U>(all, "mad.lo." + type, [](u64 a, u64 b, u64 c) { return a * b + c; });
}

template <class T>
void define_arithmetic(table& all, const std::string& type) {
    using u = std::make_unsigned_t<T>;
    define_wrapping<u>(all, type);
    define<T, T, T>(all, "mul.hi." + type, [](T a, T b) { return high_half(a, b); });
    define<u, T, T, u>(all, "mad.hi." + type,
                       [](T a, T b, u c) { return static_cast<u64>(high_half(a, b)) + c; });
    define<T, T, T>(all, "min." + type, [](T a, T b) { return std::min(a, b); });
    define<T, T, T>(all, "max." + type, [](T a, T b) { return std::max(a, b); });
    // By zero the ISA leaves them open; INT_MIN / -1 wraps.
    const auto quotient = [](T a, T b) {
        if (b == 0) return static_cast<T>(-1);
        if (std::is_signed_v<T> && static_cast<u>(b) == static_cast<u>(-1))
            return static_cast<T>(u64{0} - static_cast<u64>(a));
        return static_cast<T>(a / b);
    };
    const auto rest = [](T a, T b) {
        if (b == 0) return a;
        if (std::is_signed_v<T> && static_cast<u>(b) == static_cast<u>(-1)) return T{0};
        return static_cast<T>(a % b);
    };
    define<T, T, T>(all, "div." + type, quotient);
    define<T, T, T>(all, "rem." + type, rest);
    define<T, T, u32>(all, "shr." + type, [](T a, u32 n) {
        constexpr u32 width = 8 * sizeof(T);
        if (n >= width) return std::is_signed_v<T> && a < T{0} ? static_cast<T>(-1) : T{0};
        return static_cast<T>(a >> n);
    });
    if constexpr (std::is_signed_v<T>) {
        define<u, u>(all, "neg." + type, [](u64 a) { return u64{0} - a; });
        define<u, T>(all, "abs." + type,
                     [](T a) { return a < 0 ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a); });
    }
    if constexpr (sizeof(T) < 8) {
        using w = wider<T>;
        using uw = std::make_unsigned_t<w>;
        define<w, T, T>(all, "mul.wide." + type, [](T a, T b) { return product(a, b); });
        define<uw, T, T, uw>(all, "mad.wide." + type,
                             [](T a, T b, uw c) { return static_cast<u64>(product(a, b)) + c; });
    }
}

template <class T>
void define_bits(table& all, const std::string& width) {
    define<T, T, T>(all, "and.b" + width, [](T a, T b) { return a & b; });
    define<T, T, T>(all, "or.b" + width, [](T a, T b) { return a | b; });
    define<T, T, T>(all, "xor.b" + width, [](T a, T b) { return a ^ b; });
    define<T, T>(all, "not.b" + width, [](T a) { return ~u64{a}; });
    define<T, T, u32>(all, "shl.b" + width, [](T a, u32 n) { return n >= 8 * sizeof(T) ? 0 : u64{a} << n; });
    define<T, T, u32>(all, "shr.b" + width, [](T a, u32 n) { return n >= 8 * sizeof(T) ? 0 : u64{a} >> n; });
    if constexpr (sizeof(T) >= 4) {
        define<u32, T>(all, "popc.b" + width, [](T a) { return std::popcount(a); });
        define<u32, T>(all, "clz.b" + width, [](T a) { return std::countl_zero(a); });
        define<T, T>(all, "brev.b" + width, [](T a) {
            T reversed = 0;
            for (u32 bit = 0; bit < 8 * sizeof(T); ++bit)
                reversed |= static_cast<T>((a >> bit & 1) << (8 * sizeof(T) - 1 - bit));
            return reversed;
        });
        define<T, T, T, u32, u32>(all, "bfi.b" + width, [](T from, T into, u32 at, u32 length) {
            at &= 255, length &= 255;
            for (u32 bit = 0; bit < length && at + bit < 8 * sizeof(T) && bit < 8 * sizeof(T); ++bit) {
                const T mask = static_cast<T>(T{1} << (at + bit));
                into = (from >> bit & 1) != 0 ? into | mask : into & ~mask;
            }
            return into;
        });
    }
}

// Leading zeros; of a negative number, leading ones.
template <class T>
u32 copies_of_sign(T a) {
    using u = std::make_unsigned_t<T>;
    if constexpr (std::is_signed_v<T>) a = a < 0 ? static_cast<T>(~a) : a;
    return static_cast<u32>(std::countl_zero(static_cast<u>(a)));
}

template <class T>
void define_field(table& all, const std::string& type) {
    constexpr u32 width = 8 * sizeof(T);
    define<T, T, u32, u32>(all, "bfe." + type, [](T a, u32 at, u32 length) {
        at &= 255, length &= 255;
        const u32 last = std::min(at + length - 1, width - 1);
        const bool sign = std::is_signed_v<T> && length != 0 && (a >> last & 1) != 0;
        u64 field = 0;
        for (u32 bit = 0; bit < width; ++bit) {
            const bool inside = bit < length && at + bit < width;
            if (inside ? (a >> (at + bit) & 1) != 0 : sign) field |= u64{1} << bit;
        }
        return field;
    });
    define<u32, T>(all, "bfind." + type, [](T a) {
        const u32 n = copies_of_sign(a);
        return n == width ? 0xFFFFFFFFu : width - 1 - n;
    });
    define<u32, T>(all, "bfind.shiftamt." + type, [](T a) {
        const u32 n = copies_of_sign(a);
        return n == width ? 0xFFFFFFFFu : n;
    });
}

// The carry is a flag of the thread.
template <class T, bool Subtract, bool Takes, bool Gives>
void with_carry(const instruction& i, thread& t) {
    const u128 a = get<T>(t, i.from[0]), b = get<T>(t, i.from[1]), in = Takes ? t.carry : 0;
    const u128 result = Subtract ? a - b - in : a + b + in;
    t.registers[i.to] = static_cast<T>(result);
    if (Gives) t.carry = static_cast<u64>(result >> (8 * sizeof(T))) & 1;
}
template <class T, bool High, bool Takes, bool Gives>
void multiply_with_carry(const instruction& i, thread& t) {
    const u128 both = u128{get<T>(t, i.from[0])} * get<T>(t, i.from[1]);
    const u128 half = High ? both >> (8 * sizeof(T)) : both & static_cast<T>(-1);
    const u128 result = half + get<T>(t, i.from[2]) + (Takes ? t.carry : 0);
    t.registers[i.to] = static_cast<T>(result);
    if (Gives) t.carry = static_cast<u64>(result >> (8 * sizeof(T))) & 1;
}

template <class T>
void define_carries(table& all, const std::string& type) {
    static constexpr char letters[] = {letter_of<T>(), letter_of<T>(), letter_of<T>(), letter_of<T>()};
    constexpr std::string_view sum{letters, 3}, product_and_sum{letters, 4};
    put(all, "add.cc." + type, &with_carry<T, false, false, true>, sum);
    put(all, "addc." + type, &with_carry<T, false, true, false>, sum);
    put(all, "addc.cc." + type, &with_carry<T, false, true, true>, sum);
    put(all, "sub.cc." + type, &with_carry<T, true, false, true>, sum);
    put(all, "subc." + type, &with_carry<T, true, true, false>, sum);
    put(all, "subc.cc." + type, &with_carry<T, true, true, true>, sum);
    if (type[0] == 's') return;
    put(all, "mad.lo.cc." + type, &multiply_with_carry<T, false, false, true>, product_and_sum);
    put(all, "mad.hi.cc." + type, &multiply_with_carry<T, true, false, true>, product_and_sum);
    put(all, "madc.lo." + type, &multiply_with_carry<T, false, true, false>, product_and_sum);
    put(all, "madc.hi." + type, &multiply_with_carry<T, true, true, false>, product_and_sum);
    put(all, "madc.lo.cc." + type, &multiply_with_carry<T, false, true, true>, product_and_sum);
    put(all, "madc.hi.cc." + type, &multiply_with_carry<T, true, true, true>, product_and_sum);
}

// min and max: a NaN gives the other operand, and -0 is less than +0.
template <class T>
T lesser(T a, T b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class T>
T greater(T a, T b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
}

template <class T>
auto clean(T value) {
    if constexpr (std::is_same_v<T, float>) return canonical(value);
    else return value;
}

template <class T>
void define_floating(table& all, const std::string& type) {
    using bits = bits_of_size<sizeof(T)>;
    constexpr bits sign = bits{1} << (8 * sizeof(T) - 1);
    // Without a rounding it is to nearest too, and ptxas may fuse: the reader watches for that.
    for (const char* rounding : {".", ".rn."}) {
        define<T, T, T>(all, "add" + (rounding + type), [](T a, T b) { return clean(a + b); });
        define<T, T, T>(all, "sub" + (rounding + type), [](T a, T b) { return clean(a - b); });
        define<T, T, T>(all, "mul" + (rounding + type), [](T a, T b) { return clean(a * b); });
    }
    define<T, T, T, T>(all, "fma.rn." + type, [](T a, T b, T c) { return clean(std::fma(a, b, c)); });
    define<T, T, T>(all, "div.rn." + type, [](T a, T b) { return clean(a / b); });
    define<T, T>(all, "rcp.rn." + type, [](T a) { return clean(1 / a); });
    define<T, T>(all, "sqrt.rn." + type, [](T a) { return clean(std::sqrt(a)); });
    define<T, T, T>(all, "min." + type, [](T a, T b) { return clean(lesser(a, b)); });
    define<T, T, T>(all, "max." + type, [](T a, T b) { return clean(greater(a, b)); });
    define<bits, bits>(all, "neg." + type, [](bits a) { return a ^ sign; });
    define<bits, bits>(all, "abs." + type, [](bits a) { return a & ~sign; });
    define<bits, bits, bits>(all, "copysign." + type,
                             [](bits a, bits b) { return (a & sign) | (b & ~sign); });
    define<bool, T>(all, "testp.finite." + type, [](T a) { return std::isfinite(a); });
    define<bool, T>(all, "testp.infinite." + type, [](T a) { return std::isinf(a); });
    define<bool, T>(all, "testp.notanumber." + type, [](T a) { return std::isnan(a); });
    define<bool, T>(all, "testp.number." + type, [](T a) { return !std::isnan(a); });
}

// Alone, or combined with a predicate.
template <class F, class T>
void compare(const instruction& i, thread& t) {
    const bool holds = F{}(get<T>(t, i.from[0]), get<T>(t, i.from[1]));
    switch (static_cast<combination>(i.mode)) {
        case combination::none: t.registers[i.to] = holds; break;
        case combination::with_and: t.registers[i.to] = holds && i.from[2].holds(t); break;
        case combination::with_or: t.registers[i.to] = holds || i.from[2].holds(t); break;
        case combination::with_xor: t.registers[i.to] = holds != i.from[2].holds(t); break;
    }
}

template <class T, class F>
void define_comparison(table& all, const std::string& comparison, const std::string& type, F) {
    static constexpr char letters[] = {'p', letter_of<T>(), letter_of<T>()};
    put(all, "setp." + comparison + "." + type, &compare<F, T>, {letters, sizeof letters});
}

template <class T>
void define_comparisons(table& all, const std::string& type) {
    define_comparison<T>(all, "eq", type, [](T a, T b) { return a == b; });
    define_comparison<T>(all, "ne", type, [](T a, T b) { return a < b || a > b; });
    if (type[0] == 'b') return;
    define_comparison<T>(all, "lt", type, [](T a, T b) { return a < b; });
    define_comparison<T>(all, "le", type, [](T a, T b) { return a <= b; });
    define_comparison<T>(all, "gt", type, [](T a, T b) { return a > b; });
    define_comparison<T>(all, "ge", type, [](T a, T b) { return a >= b; });
    if (type[0] == 'u') {
        define_comparison<T>(all, "lo", type, [](T a, T b) { return a < b; });
        define_comparison<T>(all, "ls", type, [](T a, T b) { return a <= b; });
        define_comparison<T>(all, "hi", type, [](T a, T b) { return a > b; });
        define_comparison<T>(all, "hs", type, [](T a, T b) { return a >= b; });
    }
    if constexpr (std::is_floating_point_v<T>) {
        define_comparison<T>(all, "equ", type, [](T a, T b) { return !(a < b || a > b); });
        define_comparison<T>(all, "neu", type, [](T a, T b) { return a != b; });
        define_comparison<T>(all, "ltu", type, [](T a, T b) { return !(a >= b); });
        define_comparison<T>(all, "leu", type, [](T a, T b) { return !(a > b); });
        define_comparison<T>(all, "gtu", type, [](T a, T b) { return !(a <= b); });
        define_comparison<T>(all, "geu", type, [](T a, T b) { return !(a < b); });
        define_comparison<T>(all, "num", type, [](T a, T b) { return !std::isnan(a) && !std::isnan(b); });
        define_comparison<T>(all, "nan", type, [](T a, T b) { return std::isnan(a) || std::isnan(b); });
    }
}

template <class T>
void define_choice(table& all, const std::string& type) {
    define<T, T, T, bool>(all, "selp." + type, [](T a, T b, bool c) { return c ? a : b; });
    define<T, T, T, s32>(all, "slct." + type + ".s32", [](T a, T b, s32 c) { return c >= 0 ? a : b; });
    define<T, T>(all, "mov." + type, [](T a) { return a; });
}

// Rounded in the source's type, then held to the range of the result; ISA, cvt, on NaN.
template <class R, class A>
R to_integer(A rounded) {
    constexpr bool zero_for_nan = sizeof(A) < 8 && sizeof(R) < 8;
    if (std::isnan(rounded))
        return zero_for_nan ? R{0} : static_cast<R>(std::make_unsigned_t<R>{1} << (8 * sizeof(R) - 1));
    const double beyond = std::ldexp(1.0, static_cast<int>(8 * sizeof(R)) - (std::is_signed_v<R> ? 1 : 0));
    if (double{rounded} >= beyond) return std::numeric_limits<R>::max();
    if (double{rounded} < (std::is_signed_v<R> ? -beyond : 0.0)) return std::numeric_limits<R>::min();
    return static_cast<R>(rounded);
}

template <class A, class I>
void define_float_and_integer(table& all, const std::string& floating, const std::string& integer) {
    define_conversion<A, I>(all, "cvt.rn." + floating + "." + integer, [](I a) { return static_cast<A>(a); });
    const std::string to = integer + "." + floating;
    define_conversion<I, A>(all, "cvt.rni." + to, [](A a) { return to_integer<I>(std::nearbyint(a)); });
    define_conversion<I, A>(all, "cvt.rzi." + to, [](A a) { return to_integer<I>(std::trunc(a)); });
    define_conversion<I, A>(all, "cvt.rmi." + to, [](A a) { return to_integer<I>(std::floor(a)); });
    define_conversion<I, A>(all, "cvt.rpi." + to, [](A a) { return to_integer<I>(std::ceil(a)); });
}

template <class A>
void define_integral_roundings(table& all, const std::string& type) {
    const std::string both = type + "." + type;
    define<A, A>(all, "cvt.rni." + both, [](A a) { return clean(std::nearbyint(a)); });
    define<A, A>(all, "cvt.rzi." + both, [](A a) { return clean(std::trunc(a)); });
    define<A, A>(all, "cvt.rmi." + both, [](A a) { return clean(std::floor(a)); });
    define<A, A>(all, "cvt.rpi." + both, [](A a) { return clean(std::ceil(a)); });
}

template <class F>
void for_integers(F f) {
    f.template operator()<u8>("u8"), f.template operator()<u16>("u16"), f.template operator()<u32>("u32");
    f.template operator()<u64>("u64"), f.template operator()<s8>("s8"), f.template operator()<s16>("s16");
    f.template operator()<s32>("s32"), f.template operator()<s64>("s64");
}

void define_conversions(table& all) {
    for_integers([&]<class To>(const std::string& to) {
        for_integers([&]<class From>(const std::string& from) {
            define_conversion<To, From>(all, "cvt." + to + "." + from,
                                        [](From a) { return static_cast<To>(a); });
        });
        define_float_and_integer<float, To>(all, "f32", to);
        define_float_and_integer<double, To>(all, "f64", to);
    });
    define_integral_roundings<float>(all, "f32");
    define_integral_roundings<double>(all, "f64");
    define<double, float>(all, "cvt.f64.f32", [](float a) { return double{a}; });
    define<float, double>(all, "cvt.rn.f32.f64", [](double a) { return canonical(static_cast<float>(a)); });
    define<float, u16>(all, "cvt.f32.f16", [](u16 a) { return float_from_f16(a); });
    define<float, u16>(all, "cvt.f32.bf16", [](u16 a) { return float_from_bf16(a); });
    define<u16, float>(all, "cvt.rn.f16.f32", [](float a) { return f16_from(a); });
    define<u16, float>(all, "cvt.rn.bf16.f32", [](float a) { return bf16_from(a); });
    define<u32, float, float>(all, "cvt.rn.f16x2.f32", [](float high, float low) {
        return u32{f16_from(high)} << 16 | f16_from(low);
    });
    define<u32, float, float>(all, "cvt.rn.bf16x2.f32", [](float high, float low) {
        return u32{bf16_from(high)} << 16 | bf16_from(low);
    });
}

u32 permute(u32 a, u32 b, u32 selector) {
    const u64 both = u64{b} << 32 | a;
    u32 result = 0;
    for (u32 byte = 0; byte < 4; ++byte) {
        const u32 nibble = selector >> (4 * byte);
        const auto picked = static_cast<u32>(both >> (8 * (nibble & 7)) & 0xFF);
        const u32 replicated = (picked & 0x80) != 0 ? 0xFF : 0;
        result |= ((nibble & 8) != 0 ? replicated : picked) << (8 * byte);
    }
    return result;
}

u32 look_up(u32 a, u32 b, u32 c, u32 truth) {
    u32 result = 0;
    for (u32 row = 0; row < 8; ++row)
        if ((truth >> row & 1) != 0)
            result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
    return result;
}

u64 joined(u32 low, u32 high) { return u64{high} << 32 | low; }

void define_words(table& all) {
    define<u32, u32, u32, u32>(all, "prmt.b32",
                               [](u32 a, u32 b, u32 selector) { return permute(a, b, selector); });
    define<u32, u32, u32, u32, u32>(all, "lop3.b32",
                                    [](u32 a, u32 b, u32 c, u32 truth) { return look_up(a, b, c, truth); });
    // The two words as one, b the higher, shifted by at most 32, or by the last five bits.
    define<u32, u32, u32, u32>(all, "shf.l.wrap.b32",
                               [](u32 a, u32 b, u32 n) { return joined(a, b) << (n & 31) >> 32; });
    define<u32, u32, u32, u32>(all, "shf.r.wrap.b32",
                               [](u32 a, u32 b, u32 n) { return joined(a, b) >> (n & 31); });
    define<u32, u32, u32, u32>(all, "shf.l.clamp.b32",
                               [](u32 a, u32 b, u32 n) { return n >= 32 ? a : joined(a, b) << n >> 32; });
    define<u32, u32, u32, u32>(all, "shf.r.clamp.b32",
                               [](u32 a, u32 b, u32 n) { return n >= 32 ? b : joined(a, b) >> n; });
}

void define_predicates(table& all) {
    define<bool, bool, bool>(all, "and.pred", [](bool a, bool b) { return a && b; });
    define<bool, bool, bool>(all, "or.pred", [](bool a, bool b) { return a || b; });
    define<bool, bool, bool>(all, "xor.pred", [](bool a, bool b) { return a != b; });
    define<bool, bool>(all, "not.pred", [](bool a) { return !a; });
    define<bool, bool>(all, "mov.pred", [](bool a) { return a; });
}

table make_table() {
    table all;
    define_arithmetic<u16>(all, "u16"), define_arithmetic<u32>(all, "u32"),
        define_arithmetic<u64>(all, "u64");
    define_arithmetic<s16>(all, "s16"), define_arithmetic<s32>(all, "s32"),
        define_arithmetic<s64>(all, "s64");
    define_bits<u16>(all, "16"), define_bits<u32>(all, "32"), define_bits<u64>(all, "64");
    define_field<u32>(all, "u32"), define_field<u64>(all, "u64"), define_field<s32>(all, "s32"),
        define_field<s64>(all, "s64");
    define_carries<u32>(all, "u32"), define_carries<u32>(all, "s32");
    define_carries<u64>(all, "u64"), define_carries<u64>(all, "s64");
    define_floating<float>(all, "f32"), define_floating<double>(all, "f64");
    for_integers([&]<class T>(const std::string& type) {
        if constexpr (sizeof(T) > 1) {
            define_comparisons<T>(all, type);
            define_choice<std::make_unsigned_t<T>>(all, type);
        }
    });
    define_comparisons<u16>(all, "b16"), define_comparisons<u32>(all, "b32"),
        define_comparisons<u64>(all, "b64");
    define_choice<u16>(all, "b16"), define_choice<u32>(all, "b32"), define_choice<u64>(all, "b64");
    define_comparisons<float>(all, "f32"), define_comparisons<double>(all, "f64");
    define_choice<u32>(all, "f32"), define_choice<u64>(all, "f64");  // bits, which a NaN keeps
    define_conversions(all);
    define_words(all);
    define_predicates(all);
    return all;
}

}  // namespace

const std::unordered_map<std::string, operation>& operations() {
    static const table the_operations = make_table();
    return the_operations;
}

}  // namespace emulated_cuda::ptx
