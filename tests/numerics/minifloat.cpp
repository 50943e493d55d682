// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The group codecs against the vectors of their reference and against their definition in doubles: every
//! code and scale decoded, the words of a float encoded, what was decoded encoded again, and the means.
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <adamant/numerics/minifloat.hpp>
#include <numerics/group_format.hpp>
#include <numerics/rounded_words.hpp>
#include <numerics/words.hpp>

namespace {

using namespace adamant;

//! A format with both roundings, and what it is by definition.
struct e4m3_case {
    template <rounding How>
    using format = e4m3<How>;
    static constexpr group_format defined = e4m3_format;
};
struct e3m4_case {
    template <rounding How>
    using format = e3m4<How>;
    static constexpr group_format defined = e3m4_format;
};
struct half_case {
    template <rounding How>
    using format = scaled_half<How>;
    static constexpr group_format defined = half_format;
};
struct half_sq_case {
    template <rounding How>
    using format = scaled_half_sq<How>;
    static constexpr group_format defined = half_sq_format;
};
struct ue5m3_case {
    template <rounding How>
    using format = ue5m3<How>;
    static constexpr group_format defined = ue5m3_format;
};
struct ue4m4_case {
    template <rounding How>
    using format = ue4m4<How>;
    static constexpr group_format defined = ue4m4_format;
};
#define EVERY_FORMAT e4m3_case, e3m4_case, half_case, half_sq_case, ue5m3_case, ue4m4_case

template <class Case>
using to_nearest = typename Case::template format<rounding::nearest>;
template <class Case>
using randomly = typename Case::template format<rounding::stochastic>;
template <class Case>
using code_of = typename randomly<Case>::code;

template <class Case>
std::uint8_t scale_of(double largest) {
    return randomly<Case>::scale(to_bits(static_cast<float>(largest)));
}
template <class Case>
int first_scale() {
    return Case::defined.smallest_scale;
}

// Vectors of the reference.

struct vector_line {
    std::string format, rounding;
    std::uint32_t random = 0;
    int scale = 0;
    std::vector<int> codes;
    std::vector<std::uint32_t> words;
};

//! "ue5m3 RNE u=0000 scale 128 codes 240 ... -> 3f800000 ..."
vector_line parse(const std::string& text) {
    std::istringstream in(text);
    vector_line line;
    std::string random, word;
    in >> line.format >> line.rounding >> random >> word >> line.scale >> word;
    line.random = static_cast<std::uint32_t>(std::stoul(random.substr(2), nullptr, 16));
    while (in >> word && word != "->") line.codes.push_back(std::stoi(word));
    while (in >> word) line.words.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
    return line;
}

template <class Format>
void check_vector(const vector_line& line, std::vector<float> inputs) {
    REQUIRE(line.codes.size() == inputs.size());
    REQUIRE(line.words.size() == inputs.size());
    inputs.resize(group_size);
    typename Format::code codes[group_size];
    std::uint8_t scale = 0;
    const coded<typename Format::code> view{codes, &scale};
    group_codec<Format>::store(view, 0, group_size, inputs.data(), [&](int) { return line.random; });
    float loaded[group_size];
    group_codec<Format>::load(view, 0, group_size, loaded);
    CHECK(scale == line.scale);
    for (std::size_t i = 0; i < group_size; ++i) {
        CHECK(codes[i] == (i < line.codes.size() ? line.codes[i] : 0));
        CHECK(hex(to_bits(loaded[i])) == hex(i < line.words.size() ? line.words[i] : 0));
    }
}

template <class Case>
void check_vector_of(const vector_line& line, const std::vector<float>& inputs) {
    if (line.rounding == "RNE") check_vector<to_nearest<Case>>(line, inputs);
    else check_vector<randomly<Case>>(line, inputs);
}

TEST_CASE("groups are stored as the reference stores them: every line of its vectors") {
    std::vector<float> of_m, of_v;
    for (const std::uint32_t word :
         {0x3F800000u, 0xBE99999Au, 0x3A83126Fu, 0xB58637BDu, 0x3649539Cu, 0u, 0x3F400000u})
        of_m.push_back(from_bits(word));
    for (const std::uint32_t word :
         {0x3F800000u, 0x3FF33333u, 0x3A83126Fu, 0x3089705Fu, 0x2B8CBCCCu, 0u, 0x200u})
        of_v.push_back(from_bits(word));
    const std::vector<std::vector<float>> of_last_lines{
        {0x1p-149f, 0}, {3.4e38f, 1}, {3.4e38f, 1}, {448, 449, -448}, {448, 0x1p-9f, 0x1p-10f}};

    std::ifstream file(ADAMANT_GROUP_CODEC_VECTORS);
    REQUIRE(file);
    std::size_t checked = 0, seven = 0;
    for (std::string text; std::getline(file, text);) {
        const std::string name = text.substr(0, text.find(' '));
        CAPTURE(text);
        const bool of_squares = name.starts_with("ue") || name == "half_v";
        if (!of_squares && name != "e4m3" && name != "e3m4" && name != "half_m") continue;
        const vector_line line = parse(text);
        const bool is_seven = line.codes.size() == 7;
        const auto& inputs = !is_seven ? of_last_lines.at(checked - seven) : of_squares ? of_v : of_m;
        if (name == "ue5m3") check_vector_of<ue5m3_case>(line, inputs);
        else if (name == "ue4m4") check_vector_of<ue4m4_case>(line, inputs);
        else if (name == "e4m3") check_vector_of<e4m3_case>(line, inputs);
        else if (name == "e3m4") check_vector_of<e3m4_case>(line, inputs);
        else if (name == "half_m") check_vector_of<half_case>(line, inputs);
        else check_vector_of<half_sq_case>(line, inputs);
        ++checked;
        seven += is_seven;
    }
    CHECK(checked == 29);
    CHECK(seven == 24);
}

TEST_CASE("formats encode and decode in constant expressions") {
    constexpr auto nearest_e4m3 = [](float x, float largest) {
        const std::uint8_t scale = e4m3<rounding::nearest>::scale(magnitude_word(largest));
        return e4m3<rounding::nearest>::decode(e4m3<rounding::nearest>::encode(x, scale, 0), scale);
    };
    static_assert(nearest_e4m3(-0.3f, 1.0f) == -0.3125f);
    static_assert(nearest_e4m3(449.0f, 449.0f) == 448.0f);
    static_assert(ue5m3<rounding::stochastic>::scale(0x3FF33333) == 128);
    static_assert(ue5m3<rounding::stochastic>::encode(0x1p-149f, 128, 0xFFFF) == 1);
    static_assert(ue4m4<rounding::stochastic>::decode(240, 127) == 1.0f);
}

// Decoding.

//! Calls f(code) for the codes that an encoder writes: no -0, nothing past the largest.
template <class Case, class F>
void for_each_code(F f, int step = 1) {
    const group_format& defined = Case::defined;
    const int last = defined.largest_code();
    for (int code = 0; code <= last; code += step) {
        f(code);
        if (defined.is_signed && code != 0) f(code | defined.sign_bit());
    }
    f(last);
}

TEST_CASE_TEMPLATE("every code at every scale byte decodes as defined", Case, EVERY_FORMAT) {
    const group_format& defined = Case::defined;
    int failures = 0;
    for (int scale = 0; scale <= defined.largest_scale(); ++scale) {
        if (scale > 0 && scale < defined.smallest_scale) continue;  // no encoder writes it
        for_each_code<Case>([&](int code) {
            const auto got =
                randomly<Case>::decode(static_cast<code_of<Case>>(code), static_cast<std::uint8_t>(scale));
            const double expected = defined.value(code, scale);
            if (!same(got, expected) || !std::isfinite(got)) ++failures;
            if (to_nearest<Case>::decode(static_cast<code_of<Case>>(code),
                                         static_cast<std::uint8_t>(scale)) != got)
                ++failures;
        });
    }
    CHECK(failures == 0);
}

TEST_CASE("the largest codes and scale bytes are those of the definition") {
    CHECK(e4m3_format.largest_code() == 126);
    CHECK(e3m4_format.largest_code() == 127);
    CHECK(half_format.largest_code() == 0x7BFF);
    CHECK(ue5m3_format.largest_code() == 255);
    CHECK(ue4m4_format.largest_code() == 255);
    CHECK(e4m3_format.largest_scale() == 245);
    CHECK(half_format.largest_scale() == 238);
    CHECK(ue5m3_format.largest_scale() == 253);
    // The range of the root within a group.
    CHECK(std::sqrt(ue5m3_format.largest / ue5m3_format.value(1, 127)) > 46341);
    CHECK(std::sqrt(ue4m4_format.largest / ue4m4_format.value(1, 127)) > 240);
}

TEST_CASE_TEMPLATE("whatever a code and a scale byte are, decoding them is defined", Case, EVERY_FORMAT) {
    std::uint32_t sum = 0;
    for (int scale = 0; scale < 256; ++scale)
        for (std::uint32_t code = 0; code <= std::numeric_limits<code_of<Case>>::max(); ++code)
            sum += to_bits(
                randomly<Case>::decode(static_cast<code_of<Case>>(code), static_cast<std::uint8_t>(scale)));
    CHECK(sum != 1);  // the sanitizers judge
}

// Encoding.

//! Whether x in a group with this largest word is encoded as defined, by every rounding.
template <class Case>
bool encodes_as_defined(float x, std::uint32_t largest) {
    constexpr group_format defined = Case::defined;
    const std::uint8_t scale = randomly<Case>::scale(largest);
    if (scale != defined.scale(double{from_bits(largest)})) return false;
    if (to_nearest<Case>::scale(largest) != scale) return false;
    const group_format::place place = defined.find(group_format::magnitude(x), scale);
    bool right = to_nearest<Case>::encode(x, scale, 0xFFFF) == defined.nearest(place, x);
    for (const std::uint32_t random : some_random)
        right &= randomly<Case>::encode(x, scale, random) == defined.stochastic(place, x, random);
    return right;
}

//! The word of a second value that is at least x and up to 2^40 times it, different for every x.
std::uint32_t neighbour_of(std::uint32_t magnitude) {
    const std::uint32_t mixed = (magnitude ^ magnitude >> 15) * 0x2C1B3C6Du;
    const std::uint32_t exponent = std::min((magnitude >> 23) + 1 + (mixed >> 24) % 40, 252u);
    return std::max(magnitude_word(from_bits(magnitude)), exponent << 23 | (mixed & 0x7FFFFFu));
}

//! Both signs of every step-th magnitude, as the group's largest and beside a larger one.
template <class Case>
void check_encoding(std::uint32_t step) {
    std::uint64_t failures = 0;
    std::uint32_t first_bad = 0;
    for (std::uint64_t word = 0; word < 0x80000000u; word += step) {
        const auto magnitude = static_cast<std::uint32_t>(word);
        const float x = from_bits(magnitude);
        const std::uint32_t alone = magnitude_word(x), beside = neighbour_of(magnitude);
        bool right = encodes_as_defined<Case>(x, alone) && encodes_as_defined<Case>(x, beside);
        right = right && encodes_as_defined<Case>(-x, word % 2 == 0 ? alone : beside);
        if (!right && failures++ == 0) first_bad = magnitude;
    }
    INFO("first bad magnitude: ", hex(first_bad));
    CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("a stride of the words is encoded as defined, to nearest and with random words", Case,
                   EVERY_FORMAT) {
    check_encoding<Case>(fast_build ? 1009 : 20011);
}

TEST_CASE_TEMPLATE("words around every code's value and every middle are encoded as defined", Case,
                   EVERY_FORMAT) {
    const group_format& defined = Case::defined;
    int failures = 0;
    for (const int scale : {first_scale<Case>(), 127, 128, 200, defined.largest_scale()}) {
        const double top = std::min(defined.largest * two_to(scale - 127), two_to(126));
        for (int code = 0; code <= defined.largest_code(); ++code) {
            const double low = defined.value(code, scale), high = defined.value(code + 1, scale);
            for (const double y : {low, low + (high - low) / 2, low + (high - low) / 65536,
                                   high - (high - low) / 65536, high - (high - low) / 131072}) {
                const auto near = static_cast<float>(std::min(y, top));
                for (const float x : {near, std::nextafter(near, 0.0f), std::nextafter(near, HUGE_VALF)})
                    if (double{x} <= top && !encodes_as_defined<Case>(x, to_bits(static_cast<float>(top))))
                        ++failures;
            }
        }
    }
    CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("what overflowed is held at 2^126, and its group with it", Case, EVERY_FORMAT) {
    for (const std::uint32_t word : {0x7E800000u, 0x7E800001u, 0x7F7FFFFFu, 0x7F800000u, 0x7FC00000u}) {
        CAPTURE(hex(word));
        const float value = from_bits(word);
        CHECK(magnitude_word(value) == 0x7E800000);
        const std::uint8_t scale = randomly<Case>::scale(magnitude_word(value));
        CHECK(scale == Case::defined.largest_scale());
        for (const std::uint32_t random : some_random)
            CHECK(randomly<Case>::decode(randomly<Case>::encode(value, scale, random), scale) ==
                  0x1p126f);
    }
}

TEST_CASE("the smallest value of an unsigned kind sits on code 1, and zero on code 0") {
    for (const float tiny : {0x1p-149f, 0x1p-126f, 1e-30f})
        for (const std::uint32_t random : some_random) {
            CHECK(ue5m3<rounding::stochastic>::encode(tiny, 128, random) == 1);
            CHECK(ue4m4<rounding::stochastic>::encode(tiny, 128, random) == 1);
            CHECK(scaled_half_sq<rounding::stochastic>::encode(tiny, 128, random) == 1);
            CHECK(scaled_half_sq<rounding::nearest>::encode(tiny, 128, random) == 1);
        }
    CHECK(scaled_half<rounding::stochastic>::encode(1e-30f, 128, 0xFFFF) == 0);
    for (const float zero : {0.0f, -0.0f}) {
        CHECK(ue5m3<rounding::stochastic>::encode(zero, 128, 0xFFFF) == 0);
        CHECK(scaled_half_sq<rounding::stochastic>::encode(zero, 128, 0xFFFF) == 0);
        CHECK(e4m3<rounding::stochastic>::encode(zero, 128, 0xFFFF) == 0);
    }
}

TEST_CASE_TEMPLATE("a group of zeros has scale byte 0 and codes 0, and loads as +0", Case, EVERY_FORMAT) {
    using codec = group_codec<randomly<Case>>;
    const float zeros[3] = {0.0f, -0.0f, 0.0f};
    code_of<Case> codes[3] = {1, 2, 3};
    std::uint8_t scale = 77;
    codec::store({codes, &scale}, 0, 3, zeros, [](int) { return 0xFFFFu; });
    CHECK(scale == 0);
    float loaded[3];
    codec::load({codes, &scale}, 0, 3, loaded);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(codes[i] == 0);
        CHECK(to_bits(loaded[i]) == 0);
    }
}

// Decoding, then encoding.

TEST_CASE_TEMPLATE("a decoded value is encoded to the code it came from, for any random word", Case,
                   EVERY_FORMAT) {
    const group_format& defined = Case::defined;
    int failures = 0;
    for (int s = defined.smallest_scale; s <= defined.largest_scale(); ++s) {
        const auto scale = static_cast<std::uint8_t>(s);
        for_each_code<Case>(
            [&](int code) {
                const float value = randomly<Case>::decode(static_cast<code_of<Case>>(code), scale);
                if (std::abs(value) > 0x1p126f) return;  // no encoder writes it at this scale
                if (to_nearest<Case>::encode(value, scale, 0xFFFF) != code) ++failures;
                for (const std::uint32_t random : some_random)
                    if (randomly<Case>::encode(value, scale, random) != code) ++failures;
            },
            sizeof(code_of<Case>) == 1 || fast_build ? 1 : 17);
    }
    CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("a decoded group keeps its scale where its largest element is in the upper half", Case,
                   EVERY_FORMAT) {
    const group_format& defined = Case::defined;
    int failures = 0;
    for (int s = defined.smallest_scale; s <= defined.largest_scale(); ++s)
        for (int code = 1; code <= defined.largest_code(); ++code) {
            const double value = defined.value(code, s);
            if (value > two_to(126)) continue;
            const bool upper = value > defined.largest / 2 * two_to(s - 127) || s == defined.smallest_scale;
            const int again = scale_of<Case>(value);
            if (upper ? again != s : again > s) ++failures;
        }
    CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("a group of decoded values keeps every one of them when its scale falls", Case,
                   EVERY_FORMAT) {
    const group_format& defined = Case::defined;
    const int step = sizeof(code_of<Case>) == 1 ? 1 : 97;
    int failures = 0;
    for (const int s : {defined.smallest_scale, defined.smallest_scale + 1, defined.smallest_scale + 40, 127,
                        defined.largest_scale() - 1})
        for (int top = 1; top <= defined.largest_code(); top += step) {
            const std::uint8_t fallen = scale_of<Case>(defined.value(top, s));
            for (int code = 0; code <= top; code += step) {
                const float value =
                    randomly<Case>::decode(static_cast<code_of<Case>>(code), static_cast<std::uint8_t>(s));
                for (const std::uint32_t random : {0u, 0xFFFFu}) {
                    const auto again = randomly<Case>::encode(value, fallen, random);
                    if (randomly<Case>::decode(again, fallen) != value) ++failures;
                }
            }
        }
    CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("a stored group is stored again without change, whatever the random words", Case,
                   EVERY_FORMAT) {
    using codec = group_codec<randomly<Case>>;
    int failures = 0;
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
        float values[group_size], loaded[group_size], again[group_size];
        for (std::uint32_t i = 0; i < group_size; ++i) {
            const std::uint32_t mixed = (seed * 64 + i) * 0x9E3779B9u ^ (seed * 64 + i) * 0x85EBCA6Bu >> 7;
            values[i] = std::ldexp(static_cast<float>(static_cast<std::int32_t>(mixed)),
                                   -static_cast<int>(seed % 30 * (mixed % 3)) - 20);
        }
        code_of<Case> codes[group_size];
        std::uint8_t scale;
        codec::store({codes, &scale}, 0, group_size, values,
                     [&](int i) { return (static_cast<std::uint32_t>(i) * 40503u * seed) & 0xFFFFu; });
        codec::load({codes, &scale}, 0, group_size, loaded);
        for (const std::uint32_t random : some_random) {
            codec::store({codes, &scale}, 0, group_size, loaded, [&](int) { return random; });
            codec::load({codes, &scale}, 0, group_size, again);
            for (int i = 0; i < group_size; ++i) failures += to_bits(again[i]) != to_bits(loaded[i]);
        }
    }
    CHECK(failures == 0);
}

// Means.

//! The mean of 4,096 stored values of x, with equispaced random words.
template <class Case>
double mean_of(float x, std::uint8_t scale) {
    double sum = 0;
    for (std::uint32_t random = 8; random < 0x10000; random += 16)
        sum += double{randomly<Case>::decode(randomly<Case>::encode(x, scale, random), scale)};
    return sum / 4096;
}

TEST_CASE_TEMPLATE("the mean of what is stored is the value: exp_avg to 3e-5 of the group's largest", Case,
                   e4m3_case, e3m4_case, half_case) {
    double worst = 0;
    for (const float largest : {1.0f, 0.7f, 448.0f, 449.0f, 1e-20f, 31.0f, 65504.0f}) {
        const std::uint8_t scale = scale_of<Case>(double{largest});
        for (int i = 0; i < 400; ++i) {
            const float x = largest * static_cast<float>((i % 2 == 0 ? 1 : -1) * std::pow(0.93, i) * 0.9973);
            worst = std::max(worst, std::abs(mean_of<Case>(x, scale) - double{x}) / double{largest});
        }
    }
    CHECK(worst <= 3e-5);
    CHECK(worst > 0);
}

TEST_CASE_TEMPLATE("the mean of what is stored is the value: exp_avg_sq to 5e-5 of itself", Case,
                   half_sq_case, ue5m3_case, ue4m4_case) {
    const group_format& defined = Case::defined;
    double worst = 0;
    for (const float largest : {1.0f, 0.7f, 1.9f, 448.0f, 1e-20f}) {
        const std::uint8_t scale = scale_of<Case>(double{largest});
        // Halves: normal ones. Below code 1, and below a normal half, no relative bound can hold.
        const double smallest =
            defined.is_signed ? defined.smallest_normal() * two_to(scale - 127) : defined.value(1, scale);
        for (int i = 0; i < 400; ++i) {
            const float x = largest * static_cast<float>(std::pow(0.93, i) * 0.9973);
            if (double{x} < smallest) continue;
            worst = std::max(worst, std::abs(mean_of<Case>(x, scale) / double{x} - 1));
        }
    }
    CHECK(worst <= 5e-5);
    CHECK(worst > 0);
}

TEST_SUITE("exhaustive") {
    TEST_CASE_TEMPLATE("all words are encoded as defined, to nearest and with random words", Case,
                       EVERY_FORMAT) {
        check_encoding<Case>(1);
    }
}

}  // namespace
