// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The codecs: what is stored is loaded, tails end where they should, and remainder16 is as good as fp32.
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
#include <numerics/words.hpp>

namespace {

using namespace adamant;

constexpr int first = 5;                            // where a group begins in the arrays below
constexpr int array_size = first + group_size + 5;  // with guard elements on both sides
constexpr unsigned char guard = 0xA5;               // every byte of what nobody has written

template <class T>
struct guarded_array {
    std::vector<T> elements = std::vector<T>(array_size, guard_element());

    static T guard_element() {
        T element;
        std::memset(&element, guard, sizeof element);
        return element;
    }
    bool holds_guards_outside(int count) const {
        const T expected = guard_element();
        for (int i = 0; i < array_size; ++i) {
            const bool inside = i >= first && i < first + count;
            if (!inside &&
                std::memcmp(&elements[static_cast<std::size_t>(i)], &expected, sizeof expected) != 0)
                return false;
        }
        return true;
    }
};

//! What the view of a codec points to.
template <class Codec>
struct arrays {
    using weight = typename Codec::weight;
    using stored = typename Codec::stored;
    static constexpr bool has_master = !std::is_void_v<stored>;
    using master = std::conditional_t<has_master, stored, char>;

    guarded_array<weight> weights;
    guarded_array<master> masters;

    typename Codec::view view() {
        if constexpr (has_master) return {weights.elements.data(), masters.elements.data()};
        else return {weights.elements.data(), nullptr};
    }
    bool hold_guards_outside(int count) const {
        return weights.holds_guards_outside(count) && masters.holds_guards_outside(has_master ? count : 0);
    }
};

template <class T>
struct arrays<plain_codec<T>> {
    guarded_array<T> codes;

    T* view() { return codes.elements.data(); }
    bool hold_guards_outside(int count) const { return codes.holds_guards_outside(count); }
};

//! What T holds of a value, computed in doubles.
template <class T>
float nearest_of(float value) {
    if constexpr (std::is_same_v<T, bfloat16>) return static_cast<float>(bfloat16_format.nearest_even(value));
    else if constexpr (std::is_same_v<T, float16>)
        return static_cast<float>(float16_format.nearest_even(value));
    else return value;
}

//! What a codec gives back of a value, and what its weight says of it.
template <class Codec>
struct expected;
template <class T>
struct expected<plain_codec<T>> {
    static float loaded(float value) { return nearest_of<T>(value); }
};
template <class T>
struct expected<weight_only_codec<T>> : expected<plain_codec<T>> {
    static float weight(float value) { return nearest_of<T>(value); }
};
template <class T>
struct expected<fp32_master_codec<T>> {
    static float loaded(float value) { return value; }
    static float weight(float value) { return nearest_of<T>(value); }
};
template <>
struct expected<remainder16_codec> {
    static float loaded(float value) { return value; }
    static float weight(float value) { return static_cast<float>(bfloat16_format.half_away(value)); }
};

bool same_words(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

//! Finite words of any size, among them ties of bf16 and of half.
std::vector<float> random_values(std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> values;
    while (values.size() < group_size) {
        auto word = static_cast<std::uint32_t>(random());
        if (values.size() % 4 == 1) word = (word & 0xFFFF0000u) | 0x8000u;
        if (values.size() % 4 == 2) word = (word & 0xC7FFE000u) | 0x38001000u;
        if ((word & 0x7F800000u) != 0x7F800000u) values.push_back(std::bit_cast<float>(word));
    }
    return values;
}

#define EVERY_MASTER_CODEC                                                             \
    weight_only_codec<float>, weight_only_codec<bfloat16>, weight_only_codec<float16>, \
        fp32_master_codec<float>, fp32_master_codec<bfloat16>, fp32_master_codec<float16>, remainder16_codec
#define EVERY_CODEC plain_codec<float>, plain_codec<bfloat16>, plain_codec<float16>, EVERY_MASTER_CODEC

TEST_CASE_TEMPLATE("a codec loads what it stored", Codec, EVERY_CODEC) {
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const std::vector<float> values = random_values(seed);
        arrays<Codec> memory;
        Codec::store(memory.view(), first, group_size, values.data());
        float loaded[group_size];
        Codec::load(memory.view(), first, group_size, loaded);
        for (std::size_t i = 0; i < group_size; ++i) {
            if (!same_words(loaded[i], expected<Codec>::loaded(values[i])))
                FAIL_CHECK(hex(to_bits(values[i])), " became ", hex(to_bits(loaded[i])));
        }
    }
}

TEST_CASE_TEMPLATE("a codec's weights are its values, rounded", Codec, EVERY_MASTER_CODEC) {
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const std::vector<float> values = random_values(seed);
        arrays<Codec> memory;
        Codec::store(memory.view(), first, group_size, values.data());
        for (std::size_t i = 0; i < group_size; ++i) {
            const float weight = to_float(memory.weights.elements[first + i]);
            if (!same_words(weight, expected<Codec>::weight(values[i])))
                FAIL_CHECK(hex(to_bits(values[i])), " became ", hex(to_bits(weight)));
        }
    }
}

TEST_CASE_TEMPLATE("a tail is handled as in a whole group and touches nothing beyond its count", Codec,
                   EVERY_CODEC) {
    const std::vector<float> values = random_values(7);
    constexpr float untouched = 0x1.234p56f;
    for (int count = 0; count <= group_size; ++count) {
        CAPTURE(count);
        arrays<Codec> memory;
        Codec::store(memory.view(), first, count, values.data());
        CHECK(memory.hold_guards_outside(count));

        std::vector<float> loaded(group_size + 5, untouched);
        Codec::load(memory.view(), first, count, loaded.data());
        CHECK(memory.hold_guards_outside(count));
        int failures = 0;
        for (std::size_t i = 0; i < loaded.size(); ++i) {
            const bool inside = i < static_cast<std::size_t>(count);
            if (!same_words(loaded[i], inside ? expected<Codec>::loaded(values[i]) : untouched)) ++failures;
        }
        CHECK(failures == 0);
    }
}

TEST_CASE_TEMPLATE("a start takes its masters from the weights and leaves the weights", Codec,
                   EVERY_MASTER_CODEC) {
    for (const int count : {0, 1, 31, group_size}) {
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
        Codec::start(memory.view(), first, count);
        CHECK(memory.hold_guards_outside(count));
        CHECK(memory.weights.elements == before);
        std::vector<float> loaded(static_cast<std::size_t>(count));
        Codec::load(memory.view(), first, count, loaded.data());
        CHECK(loaded == weights);
    }
}

TEST_CASE("remainder16 keeps the same masters as fp32, bit for bit, infinities included") {
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        std::vector<float> values = random_values(seed);
        values[3] = HUGE_VALF;
        values[4] = -HUGE_VALF;
        values[5] = -0.0f;
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
    static_assert(std::is_same_v<exp_avg_sq_codec<fp32, exact>::type, plain_codec<float>>);
    static_assert(std::is_same_v<exp_avg_codec<bf16, nearest>::type, plain_codec<bfloat16>>);
    static_assert(std::is_same_v<exp_avg_sq_codec<bf16, nearest>::type, plain_codec<bfloat16>>);
    static_assert(std::is_same_v<weight_codec<fp32, none, exact>::type, weight_only_codec<float>>);
    static_assert(std::is_same_v<weight_codec<bf16, fp32, exact>::type, fp32_master_codec<bfloat16>>);
    static_assert(std::is_same_v<weight_codec<fp16, fp32, exact>::type, fp32_master_codec<float16>>);
    static_assert(std::is_same_v<weight_codec<bf16, remainder16, exact>::type, remainder16_codec>);
}

}  // namespace
