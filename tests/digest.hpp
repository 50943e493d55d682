// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! FNV-1a 64 over stored bytes, and inputs that are the same everywhere (library distributions differ).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include <adamant/numerics/philox.hpp>

namespace adamant_test {

class digest {
public:
    template <class T>
    void add(std::span<T> values) {
        for (const T& value : values) {
            unsigned char bytes[sizeof(T)];
            std::memcpy(bytes, &value, sizeof(T));
            for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001B3ull;
        }
    }
    void add(double value) { add(std::span<const double>(&value, 1)); }
    std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0xCBF29CE484222325ull;
};

//! A float of random sign and mantissa whose magnitude spans 2^-spread to 1.
inline float random_float(std::uint64_t seed, std::uint64_t index, std::uint64_t step, int spread) {
    const auto words = adamant::philox(seed, index, step);
    const float mantissa = static_cast<float>(words[0] >> 8) * 0x1p-24f;
    const int exponent = -static_cast<int>(words[1] % static_cast<std::uint32_t>(spread + 1));
    return std::ldexp(words[2] & 1 ? -mantissa : mantissa, exponent);
}

}  // namespace adamant_test
