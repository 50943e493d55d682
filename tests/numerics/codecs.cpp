// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The codecs: what is stored is loaded, tails end where they should, and remainder16 is as good as fp32.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <adamant/numerics/codecs.hpp>
#include <numerics/binary_format.hpp>
#include <numerics/group_format.hpp>
#include <numerics/rounded_words.hpp>
#include <numerics/words.hpp>

namespace {

using namespace adamant;

constexpr unsigned char guard = 0xA5;  // every byte of what nobody has written

//! Where a group begins in the arrays below: anywhere, but at a group where the codec has scales.
template <class Codec>
constexpr int first_of = Codec::has_scales ? 2 * group_size : 5;

template <class T>
struct guarded_array {
    std::vector<T> elements;

    explicit guarded_array(int size) : elements(static_cast<std::size_t>(size), guard_element()) {}
    static T guard_element() {
        T element;
        std::memset(&element, guard, sizeof element);
        return element;
    }
    bool holds_guards_outside(int first, int count) const {
        const T expected = guard_element();
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const int place = static_cast<int>(i) - first;
            if ((place < 0 || place >= count) && std::memcmp(&elements[i], &expected, sizeof expected) != 0)
                return false;
        }
        return true;
    }
};

template <class Codec>
concept weight_codec_type = requires {
    typename Codec::weight;
};

//! What the view of a codec points to, with guard elements on both sides.
template <class Codec>
struct arrays {
    using stored = typename Codec::stored;
    static constexpr bool has_codes = !std::is_void_v<stored>;
    static constexpr int first = first_of<Codec>, size = first + group_size + 5;

    guarded_array<std::conditional_t<has_codes, stored, char>> codes{size};
    guarded_array<std::uint8_t> scales{5};  // that of the group is number 2

    typename Codec::view view() {
        return {has_codes ? codes.elements.data() : nullptr,
                Codec::has_scales ? scales.elements.data() : nullptr};
    }
    bool hold_guards_outside(int count) const {
        return codes.holds_guards_outside(first, has_codes ? count : 0) &&
               scales.holds_guards_outside(first / group_size, Codec::has_scales ? 1 : 0);
    }
};

template <weight_codec_type Codec>
struct arrays<Codec> {
    using weight = typename Codec::weight;
    using stored = typename Codec::stored;
    static constexpr bool has_master = !std::is_void_v<stored>;
    static constexpr int first = first_of<Codec>, size = first + group_size + 5;

    guarded_array<weight> weights{size};
    guarded_array<std::conditional_t<has_master, stored, char>> masters{size};
    guarded_array<std::uint8_t> scales{5};

    typename Codec::view view() {
        typename Codec::view result{weights.elements.data()};
        if (has_master) result.masters.codes = masters.elements.data();
        if (Codec::has_scales) result.masters.scales = scales.elements.data();
        return result;
    }
    bool hold_guards_outside(int count) const {
        return weights.holds_guards_outside(first, count) &&
               masters.holds_guards_outside(first, has_master ? count : 0) &&
               scales.holds_guards_outside(first / group_size, Codec::has_scales ? 1 : 0);
    }
};

//! What T holds of a value, computed in doubles.
template <class T>
float nearest_of(float value) {
    if constexpr (std::is_same_v<T, bfloat16>) return static_cast<float>(bfloat16_format.nearest_even(value));
    else if constexpr (std::is_same_v<T, float16>)
        return static_cast<float>(float16_format.nearest_even(value));
    else return value;
}

//! A word for every element.
struct fixed_noise {
    std::uint32_t seed = 1;
    std::uint32_t operator()(int element) const {
        return ((static_cast<std::uint32_t>(element) + seed * 57u) * 0x9E3779B9u) >> 16;
    }
};

using group = std::vector<float>;

//! What a codec gives back of element i of a group stored with a random word, and what its weight says.
template <class Codec>
struct expected;
template <class T>
struct expected<plain_codec<T>> {
    static float loaded(const group& values, std::size_t i, std::uint32_t) {
        return nearest_of<T>(values[i]);
    }
};
template <class T>
struct expected<weight_only_codec<T>> : expected<plain_codec<T>> {
    static float weight(float value) { return nearest_of<T>(value); }
};
template <class T>
struct expected<fp32_master_codec<T>> : expected<plain_codec<float>> {
    static float weight(float value) { return nearest_of<T>(value); }
};
template <>
struct expected<remainder16_codec> : expected<plain_codec<float>> {
    static float weight(float value) { return static_cast<float>(bfloat16_format.half_away(value)); }
};
template <rounding How>
struct expected<remainder8_codec<How>> : expected<remainder16_codec> {
    static float loaded(const group& values, std::size_t i, std::uint32_t random) {
        return static_cast<float>(How == rounding::nearest ? nearest_remainder8_value(values[i])
                                                           : stochastic_remainder8_value(values[i], random));
    }
};
template <>
struct expected<stochastic_bfloat16_codec> {
    static float loaded(const group& values, std::size_t i, std::uint32_t random) {
        return static_cast<float>(stochastic_bfloat16_value(values[i], random));
    }
};
template <>
struct expected<stochastic_weight_codec> : expected<stochastic_bfloat16_codec> {
    static float weight(float value) { return value; }
};

template <class Format>
inline constexpr group_format defined{};
template <rounding How>
inline constexpr group_format defined<e4m3<How>> = e4m3_format;
template <rounding How>
inline constexpr group_format defined<e3m4<How>> = e3m4_format;
template <rounding How>
inline constexpr group_format defined<scaled_half<How>> = half_format;
template <rounding How>
inline constexpr group_format defined<scaled_half_sq<How>> = half_sq_format;
template <rounding How>
inline constexpr group_format defined<ue5m3<How>> = ue5m3_format;
template <rounding How>
inline constexpr group_format defined<ue4m4<How>> = ue4m4_format;

template <class Format>
struct expected<group_codec<Format>> {
    static float loaded(const group& values, std::size_t i, std::uint32_t random) {
        constexpr const group_format& format = defined<Format>;
        double largest = 0;
        for (const float x : values) largest = std::max(largest, group_format::magnitude(x));
        const int scale = format.scale(largest);
        const group_format::place place = format.find(group_format::magnitude(values[i]), scale);
        return static_cast<float>(format.value(Format::how == rounding::nearest
                                                   ? format.nearest(place, values[i])
                                                   : format.stochastic(place, values[i], random),
                                               scale));
    }
};
template <class T, rounding How>
struct expected<half_master_codec<T, How>> : expected<group_codec<scaled_half<How>>> {
    static float weight(float value) { return nearest_of<T>(value); }
};

bool same_words(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

//! Finite words, of any size or (odd seeds) within 2^24 of each other; among them ties of bf16 and of half.
group random_values(std::uint32_t seed) {
    std::mt19937 random(seed);
    group values;
    while (values.size() < group_size) {
        auto word = static_cast<std::uint32_t>(random());
        if (values.size() % 4 == 1) word = (word & 0xFFFF0000u) | 0x8000u;
        if (values.size() % 4 == 2) word = (word & 0xC7FFE000u) | 0x38001000u;
        if (seed % 2 == 1) word = (word & 0x807FFFFFu) | (110 + (word >> 23) % 24) << 23;
        if ((word & 0x7F800000u) != 0x7F800000u) values.push_back(std::bit_cast<float>(word));
    }
    return values;
}

group first_of_group(const group& values, int count) { return {values.begin(), values.begin() + count}; }

template <class Codec>
float expected_of(const group& values, std::size_t i, const fixed_noise& noise) {
    return expected<Codec>::loaded(values, i, noise(static_cast<int>(i)));
}

#define EVERY_MASTER_CODEC                                                                              \
    weight_only_codec<float>, weight_only_codec<bfloat16>, weight_only_codec<float16>,                  \
        fp32_master_codec<float>, fp32_master_codec<bfloat16>, fp32_master_codec<float16>,              \
        remainder16_codec, remainder8_codec<rounding::nearest>, remainder8_codec<rounding::stochastic>, \
        stochastic_weight_codec, half_master_codec<bfloat16, rounding::nearest>,                        \
        half_master_codec<bfloat16, rounding::stochastic>, half_master_codec<float16, rounding::stochastic>
#define EVERY_CODEC                                                                                        \
    plain_codec<float>, plain_codec<bfloat16>, plain_codec<float16>, stochastic_bfloat16_codec,            \
        group_codec<scaled_half<rounding::nearest>>, group_codec<scaled_half<rounding::stochastic>>,       \
        group_codec<scaled_half_sq<rounding::nearest>>, group_codec<scaled_half_sq<rounding::stochastic>>, \
        group_codec<e4m3<rounding::nearest>>, group_codec<e4m3<rounding::stochastic>>,                     \
        group_codec<e3m4<rounding::nearest>>, group_codec<e3m4<rounding::stochastic>>,                     \
        group_codec<ue5m3<rounding::nearest>>, group_codec<ue5m3<rounding::stochastic>>,                   \
        group_codec<ue4m4<rounding::nearest>>, group_codec<ue4m4<rounding::stochastic>>, EVERY_MASTER_CODEC

TEST_CASE_TEMPLATE("a codec loads what it stored", Codec, EVERY_CODEC) {
    constexpr int first = first_of<Codec>;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const group values = random_values(seed);
        const fixed_noise noise{seed};
        arrays<Codec> memory;
        Codec::store(memory.view(), first, group_size, values.data(), noise);
        float loaded[group_size];
        Codec::load(memory.view(), first, group_size, loaded);
        for (std::size_t i = 0; i < group_size; ++i) {
            if (!same_words(loaded[i], expected_of<Codec>(values, i, noise)))
                FAIL_CHECK(hex(to_bits(values[i])), " became ", hex(to_bits(loaded[i])));
        }
    }
}

TEST_CASE_TEMPLATE("a codec's weights are its values, rounded", Codec, EVERY_MASTER_CODEC) {
    constexpr int first = first_of<Codec>;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const group values = random_values(seed);
        const fixed_noise noise{seed};
        arrays<Codec> memory;
        Codec::store(memory.view(), first, group_size, values.data(), noise);
        for (std::size_t i = 0; i < group_size; ++i) {
            const float weight = to_float(memory.weights.elements[first + i]);
            if (!same_words(weight, expected<Codec>::weight(expected_of<Codec>(values, i, noise))))
                FAIL_CHECK(hex(to_bits(values[i])), " became ", hex(to_bits(weight)));
        }
    }
}

TEST_CASE_TEMPLATE("what was loaded is stored again without change, whatever the noise", Codec, EVERY_CODEC) {
    constexpr int first = first_of<Codec>;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        arrays<Codec> memory;
        Codec::store(memory.view(), first, group_size, random_values(seed).data(), fixed_noise{seed});
        float loaded[group_size], again[group_size];
        Codec::load(memory.view(), first, group_size, loaded);
        if (std::any_of(loaded, loaded + group_size, [](float x) { return std::isinf(x); })) continue;
        Codec::store(memory.view(), first, group_size, loaded, fixed_noise{seed + 1});
        Codec::load(memory.view(), first, group_size, again);
        if (std::memcmp(loaded, again, sizeof loaded) != 0) FAIL_CHECK("seed ", seed);
    }
}

TEST_CASE_TEMPLATE("a tail is handled as in a whole group and touches nothing beyond its count", Codec,
                   EVERY_CODEC) {
    constexpr int first = first_of<Codec>;
    const fixed_noise noise;
    constexpr float untouched = 0x1.234p56f;
    for (int count = Codec::has_scales ? 1 : 0; count <= group_size; ++count)
        for (const std::uint32_t seed : {7u, 8u}) {
            CAPTURE(count);
            const group values = random_values(seed);
            const group stored = first_of_group(values, count);  // what comes later counts for nothing
            arrays<Codec> memory;
            Codec::store(memory.view(), first, count, values.data(), noise);
            CHECK(memory.hold_guards_outside(count));

            std::vector<float> loaded(group_size + 5, untouched);
            Codec::load(memory.view(), first, count, loaded.data());
            CHECK(memory.hold_guards_outside(count));
            int failures = 0;
            for (std::size_t i = 0; i < loaded.size(); ++i) {
                const bool inside = i < static_cast<std::size_t>(count);
                if (!same_words(loaded[i], inside ? expected_of<Codec>(stored, i, noise) : untouched))
                    ++failures;
            }
            CHECK(failures == 0);
        }
}

TEST_CASE_TEMPLATE("a start takes its masters from the weights and leaves the weights", Codec,
                   EVERY_MASTER_CODEC) {
    constexpr int first = first_of<Codec>;
    for (const int count : {0, 1, 31, group_size}) {
        if (Codec::has_scales && count == 0) continue;
        CAPTURE(count);
        arrays<Codec> memory;
        std::vector<float> weights;
        for (int i = 0; i < count; ++i) {
            const auto place = static_cast<std::size_t>(first + i);
            memory.weights.elements[place] =
                round_to<typename Codec::weight>(0.3f * static_cast<float>(i - 9));
            weights.push_back(to_float(memory.weights.elements[place]));
        }
        const auto before = memory.weights.elements;
        Codec::start(memory.view(), first, count, fixed_noise{});
        CHECK(memory.hold_guards_outside(count));
        CHECK(memory.weights.elements == before);
        std::vector<float> loaded(static_cast<std::size_t>(count));
        Codec::load(memory.view(), first, count, loaded.data());
        CHECK(loaded == weights);
    }
}

TEST_CASE_TEMPLATE("a codec that is not stochastic asks for no noise", Codec, EVERY_CODEC) {
    if constexpr (Codec::how != rounding::stochastic) {
        constexpr int first = first_of<Codec>;
        const group values = random_values(3);
        arrays<Codec> with, without;
        Codec::store(with.view(), first, group_size, values.data(), fixed_noise{});
        Codec::store(without.view(), first, group_size, values.data(), no_noise{});
        float of_with[group_size], of_without[group_size];
        Codec::load(with.view(), first, group_size, of_with);
        Codec::load(without.view(), first, group_size, of_without);
        CHECK(std::memcmp(of_with, of_without, sizeof of_with) == 0);
    }
}

TEST_CASE("remainder16 keeps the same masters as fp32, bit for bit, infinities included") {
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        group values = random_values(seed);
        values[3] = HUGE_VALF;
        values[4] = -HUGE_VALF;
        values[5] = -0.0f;
        constexpr int first = first_of<remainder16_codec>;
        arrays<fp32_master_codec<bfloat16>> full;
        arrays<remainder16_codec> split;
        fp32_master_codec<bfloat16>::store(full.view(), first, group_size, values.data());
        remainder16_codec::store(split.view(), first, group_size, values.data());
        float of_full[group_size], of_split[group_size];
        fp32_master_codec<bfloat16>::load(full.view(), first, group_size, of_full);
        remainder16_codec::load(split.view(), first, group_size, of_split);
        if (std::memcmp(of_full, of_split, sizeof of_full) != 0) FAIL_CHECK("seed ", seed);
    }
}

TEST_CASE("the tables name the codec of a kind") {
    static_assert(std::is_same_v<exp_avg_codec<fp32, exact>::type, plain_codec<float>>);
    static_assert(std::is_same_v<exp_avg_codec<bf16, nearest>::type, plain_codec<bfloat16>>);
    static_assert(std::is_same_v<exp_avg_codec<bf16, stochastic>::type, stochastic_bfloat16_codec>);
    static_assert(std::is_same_v<exp_avg_codec<fp16, stochastic>::type,
                                 group_codec<scaled_half<rounding::stochastic>>>);
    static_assert(
        std::is_same_v<exp_avg_codec<fp8, stochastic>::type, group_codec<e4m3<rounding::stochastic>>>);
    static_assert(std::is_same_v<exp_avg_codec<fp8, nearest>::type, group_codec<e4m3<rounding::nearest>>>);
    static_assert(
        std::is_same_v<exp_avg_codec<fp8_fine, stochastic>::type, group_codec<e3m4<rounding::stochastic>>>);

    static_assert(std::is_same_v<exp_avg_sq_codec<fp32, exact>::type, plain_codec<float>>);
    static_assert(std::is_same_v<exp_avg_sq_codec<bf16, nearest>::type, plain_codec<bfloat16>>);
    static_assert(std::is_same_v<exp_avg_sq_codec<bf16, stochastic>::type, stochastic_bfloat16_codec>);
    static_assert(std::is_same_v<exp_avg_sq_codec<fp16, nearest>::type,
                                 group_codec<scaled_half_sq<rounding::nearest>>>);
    static_assert(
        std::is_same_v<exp_avg_sq_codec<fp8, stochastic>::type, group_codec<ue5m3<rounding::stochastic>>>);
    static_assert(std::is_same_v<exp_avg_sq_codec<fp8_fine, stochastic>::type,
                                 group_codec<ue4m4<rounding::stochastic>>>);

    static_assert(std::is_same_v<weight_codec<fp32, none, exact>::type, weight_only_codec<float>>);
    static_assert(std::is_same_v<weight_codec<bf16, none, stochastic>::type, stochastic_weight_codec>);
    static_assert(std::is_same_v<weight_codec<bf16, fp32, exact>::type, fp32_master_codec<bfloat16>>);
    static_assert(std::is_same_v<weight_codec<fp16, fp32, exact>::type, fp32_master_codec<float16>>);
    static_assert(std::is_same_v<weight_codec<bf16, remainder16, exact>::type, remainder16_codec>);
    static_assert(std::is_same_v<weight_codec<bf16, remainder8, stochastic>::type,
                                 remainder8_codec<rounding::stochastic>>);
    static_assert(
        std::is_same_v<weight_codec<bf16, remainder8, nearest>::type, remainder8_codec<rounding::nearest>>);
    static_assert(std::is_same_v<weight_codec<bf16, fp16, stochastic>::type,
                                 half_master_codec<bfloat16, rounding::stochastic>>);
    static_assert(std::is_same_v<weight_codec<fp16, fp16, nearest>::type,
                                 half_master_codec<float16, rounding::nearest>>);
}

}  // namespace
