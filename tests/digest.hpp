// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! FNV-1a 64 over stored bytes, and inputs that are the same everywhere (library distributions differ).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <adamant/numerics/philox.hpp>

namespace adamant_test {

class digest {
public:
    void add(const void* data, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i)
            hash_ = (hash_ ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3ull;
    }
    template <class T>
    void add(std::span<T> values) {
        add(values.data(), values.size_bytes());
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
