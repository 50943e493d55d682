// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Kernels give what the host computes by itself, in every order of blocks and threads: as functions, and as
//! PTX where ADAMANT_PTX names it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include "../emulation/sanitizer.hpp"
#include "device.hpp"
#include "kernels.hpp"

namespace {

using bits::array;
using bits::as_bits;
using bits::check;
using bits::launch;
using emulated_cuda::device_error;

template <class F>
void in_all_orders(F f) {
    for (const auto order : emulated_cuda::all_orders) {
        emulated_cuda::set_order(order);
        f();
    }
    emulated_cuda::set_order(emulated_cuda::order::forward);
}

float one_element(float a, float b) {
    const float root = std::sqrt(std::fma(a, a, 1.0f));
    const float product = b * 3.0f, sum = root + 0.25f, quotient = product / sum;
    return std::fmin(std::fmax(quotient - a, -8.0f), 8.0f);  // a NaN gives the bound
}

TEST_CASE("a table by value, vectors and tails, tensors of odd sizes") {
    in_all_orders([] {
        const std::uint32_t sizes[] = {1, 3, 4, 5, 127, 128, 516, 1003};
        std::vector<std::unique_ptr<array<float>>> from, to;
        std::vector<std::vector<std::uint32_t>> expected;
        const auto table = std::make_unique<bits::table>();
        for (const std::uint32_t size : sizes) {
            const auto a = bits::some_floats(size, size);
            auto b = bits::some_floats(size, size + 1);
            table->from[table->used] = from.emplace_back(std::make_unique<array<float>>(a))->data();
            table->to[table->used] = to.emplace_back(std::make_unique<array<float>>(b))->data();
            table->size[table->used++] = size;
            for (std::uint32_t i = 0; i < size; ++i) b[i] = one_element(a[i], b[i]);
            expected.push_back(as_bits(b));
        }
        check(launch(bits::elements, table->used, 128, nullptr, *table));
        *table = {};  // parameters are copied by the call
        check(cudaDeviceSynchronize());
        for (std::size_t t = 0; t < to.size(); ++t) CHECK(as_bits(to[t]->values()) == expected[t]);
    });
}

// The same tree, thread after thread.
template <class T>
std::vector<T> expected_sums(const std::vector<T>& from, std::uint32_t blocks, std::uint32_t threads) {
    std::vector<T> sums;
    for (std::uint32_t block = 0; block < blocks; ++block) {
        std::vector<T> of_thread(threads);
        for (std::uint32_t t = 0; t < threads; ++t)
            for (std::size_t i = block * threads + t; i < from.size(); i += std::size_t{blocks} * threads)
                of_thread[t] += from[i];
        T sum = 0;
        for (std::uint32_t w = 0; w < threads / 32; ++w) {
            std::vector<T> lanes(of_thread.begin() + 32 * w, of_thread.begin() + 32 * w + 32);
            for (std::uint32_t distance = 16; distance > 0; distance /= 2) {
                const std::vector<T> before = lanes;
                for (std::uint32_t l = 0; l < 32; ++l)
                    lanes[l] = before[l] + before[l + distance < 32 ? l + distance : l];
            }
            sum = w == 0 ? lanes[0] : sum + lanes[0];
        }
        sums.push_back(sum);
    }
    return sums;
}

TEST_CASE_TEMPLATE("sums by shuffles and shared memory", T, float, double) {
    in_all_orders([] {
        std::vector<T> from;
        for (const float v : bits::some_floats(5000, 5))
            if (std::isfinite(v) && std::fabs(v) <= 1) from.push_back(T{v} / 3);
        const array<T> on_device(from), sums(7);
        check(launch(&bits::block_sums<T>, 7, 256, nullptr, on_device.data(),
                     static_cast<std::uint32_t>(from.size()), sums.data()));
        CHECK(as_bits(sums.values()) == as_bits(expected_sums(from, 7, 256)));
    });
}

TEST_CASE("shuffles within segments, and votes") {
    in_all_orders([] {
        auto from = bits::some_floats(128, 7);
        for (float& v : from) v = std::isfinite(v) && std::fabs(v) <= 1 ? v : 0.5f;
        for (std::size_t i = 64; i < 96; ++i) from[i] = 0.25f;
        const array<float> on_device(from), largest(128), first(128);
        const array<std::uint32_t> votes(128);
        check(launch(bits::exchanges, 2, 64, nullptr, on_device.data(), largest.data(), first.data(),
                     votes.data()));
        std::vector<float> expected_largest(128), expected_first(128);
        std::vector<std::uint32_t> expected_votes(128);
        for (std::size_t i = 0; i < 128; ++i) {
            const std::size_t four = i / 4 * 4, warp = i / 32 * 32, down = i % 16 + 3 < 16 ? i + 3 : i;
            for (std::size_t k = 0; k < 4; ++k)
                expected_largest[i] = std::max(expected_largest[i], std::fabs(from[four + k]));
            expected_first[i] = from[i / 8 * 8] + from[down];
            std::uint32_t ballot = 0;
            bool any = false, all = true;
            for (std::size_t lane = 0; lane < 32; ++lane) {
                ballot |= static_cast<std::uint32_t>(from[warp + lane] > 0) << lane;
                any = any || from[warp + lane] > 0.875f;
                all = all && from[warp + lane] > -0.875f;
            }
            expected_votes[i] = ballot + (any ? 3u : 0u) + (all ? 7u : 0u);
        }
        CHECK(as_bits(largest.values()) == as_bits(expected_largest));
        CHECK(as_bits(first.values()) == as_bits(expected_first));
        CHECK(votes.values() == expected_votes);
    });
}

TEST_CASE("atomics") {
    in_all_orders([] {
        std::mt19937 random(3);
        std::vector<std::uint32_t> from(1000);
        for (auto& v : from) v = static_cast<std::uint32_t>(random());
        const array<std::uint32_t> on_device(from), largest(std::vector<std::uint32_t>{0}),
            flags(std::vector<std::uint32_t>{0});
        const array<std::uint32_t> tickets(std::vector<std::uint32_t>(1001));
        const array<bits::word> bins(std::vector<bits::word>(8));
        check(launch(bits::atomics, 8, 128, nullptr, on_device.data(), 1000u, bins.data(), largest.data(),
                     flags.data(), tickets.data()));
        std::vector<bits::word> expected(8);
        std::uint32_t expected_flags = 0;
        for (const std::uint32_t v : from) {
            expected[v & 7u] += std::uint64_t{v} << 20;
            expected_flags |= 1u << (v & 31u);
        }
        CHECK(bins.values() == expected);
        CHECK(largest.values().front() == *std::max_element(from.begin(), from.end()));
        CHECK(flags.values().front() == expected_flags);
        auto drawn = tickets.values();
        CHECK(drawn.back() == 1000);
        drawn.pop_back();
        std::sort(drawn.begin(), drawn.end());
        std::sort(from.begin(), from.end());
        CHECK(drawn == from);
    });
}

std::uint32_t reversed(std::uint32_t a) {
    std::uint32_t result = 0;
    for (int bit = 0; bit < 32; ++bit) result = result << 1 | (a >> bit & 1u);
    return result;
}

std::uint64_t integers(std::uint64_t a) {
    const auto low = static_cast<std::uint32_t>(a), high = static_cast<std::uint32_t>(a >> 32);
    const auto place = static_cast<std::uint16_t>(low >> (high & 15u) ^ high);
    std::uint64_t sum = (std::uint64_t{low} * high >> 32) + (low % (high | 1u)) * std::uint64_t{5} + place;
    sum += static_cast<std::uint64_t>(std::countl_zero(low) + std::countl_zero(a) + std::popcount(high)) << 7;
    sum ^= reversed(low) + static_cast<std::uint64_t>(high == 0 ? 0 : std::countr_zero(high) + 1) * 11;
    sum +=
        a / ((high & 0xFFFFu) + 1) + static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (low & 63u));
    sum += static_cast<std::uint64_t>(static_cast<std::int8_t>(low) * static_cast<std::int16_t>(high));
    switch (low % 6) {
        case 0: return sum * 3;
        case 1: return std::rotl(sum, 5);
        case 2: return sum - a;
        case 3: return sum ^ a >> 3;
        case 4: return sum + (std::uint64_t{high} * 77 >> 32);
        default: return ~sum;
    }
}

TEST_CASE("integers") {
    in_all_orders([] {
        std::mt19937_64 random(11);
        std::vector<bits::word> from(256), expected;
        for (auto& v : from) v = random();
        from[0] = 0, from[1] = ~0ull, from[2] = 1, from[3] = 1ull << 63;
        for (const auto v : from) expected.push_back(integers(v));
        const array<bits::word> on_device(from), to(256);
        check(launch(bits::integers, 4, 64, nullptr, on_device.data(), to.data()));
        CHECK(to.values() == expected);
    });
}

TEST_CASE("doubles and conversions") {
    in_all_orders([] {
        auto from = bits::some_floats(256, 19);
        for (float& v : from)
            v = std::isfinite(v) && std::fabs(v) <= 1 ? v : 0.5f;  // the others overflow on the host
        std::vector<double> expected;
        std::vector<bits::word> expected_bits;
        for (std::size_t i = 0; i < from.size(); ++i) {
            const double a = from[i], b = from[i ^ 1], square = a * a, root = std::sqrt(square + 2.0);
            expected.push_back(std::fma(b / root, a, -0.5));
            const auto narrowed = std::bit_cast<std::uint32_t>(static_cast<float>(expected.back()));
            expected_bits.push_back(
                static_cast<bits::word>(static_cast<std::int64_t>(a * 1000.0)) ^
                static_cast<bits::word>(static_cast<std::int32_t>(from[i] * 77.0f)) << 32 ^ narrowed ^
                static_cast<bits::word>(static_cast<std::uint32_t>(std::fabs(from[i]) * 1e9f)) << 13);
        }
        const array<float> on_device(from);
        const array<double> to(256);
        const array<bits::word> to_bits(256);
        check(launch(bits::doubles, 8, 32, nullptr, on_device.data(), to.data(), to_bits.data()));
        CHECK(as_bits(to.values()) == as_bits(expected));
        CHECK(to_bits.values() == expected_bits);
    });
}

TEST_CASE("a template of an anonymous namespace has its PTX too") {
    const array<float> to(4);
    check(launch(&bits::hidden<float>, 1, 4, nullptr, to.data()));
    CHECK(to.values() == std::vector<float>{0, 2, 4, 6});
}

TEST_CASE("shared memory holds nothing from the block before, fresh memory is NaN") {
    const array<std::uint32_t> to(96);
    CHECK(to.values() == std::vector<std::uint32_t>(96, 0xFFFFFFFFu));
    check(launch(bits::unwritten_shared, 3, 32, nullptr, to.data()));
    CHECK(to.values() == std::vector<std::uint32_t>(96, 0xFFFFFFFFu));
}

TEST_CASE("a thread that does not come to a barrier or a shuffle is noticed") {
    in_all_orders([] {
        const array<float> to(64);
        for (const auto kernel : {&bits::divergent_barrier, &bits::divergent_shuffle}) {
            check(launch(kernel, 1, 64, nullptr, 64u, to.data()));  // all come
            check(cudaDeviceSynchronize());
            check(launch(kernel, 1, 64, nullptr, 5u, to.data()));
            CHECK_THROWS_WITH_AS(cudaDeviceSynchronize(), doctest::Contains("wait"), device_error);
        }
    });
}

#if !defined(ADAMANT_ASAN)  // which ends the program at this
TEST_CASE("a store behind the end is noticed") {
    in_all_orders([] {
        for (const std::uint32_t size : {1u, 64u, 67u}) {
            const array<float> to(size);
            check(launch(bits::increment, 2, 64, nullptr, to.data(), size));
            check(cudaDeviceSynchronize());
            check(launch(bits::increment, 2, 64, nullptr, to.data(), size + 1));
            CHECK_THROWS_WITH_AS(cudaDeviceSynchronize(), doctest::Contains("outside of"), device_error);
        }
    });
}
#endif

TEST_CASE("PTX is what runs, where it is named") {
    if (!emulated_cuda::uses_ptx()) return;
    const std::uint64_t before = emulated_cuda::instructions_interpreted();
    const array<float> to(64);
    check(launch(bits::increment, 1, 64, nullptr, to.data(), 64u));
    check(cudaDeviceSynchronize());
    CHECK(emulated_cuda::instructions_interpreted() > before + 64);
}

}  // namespace
