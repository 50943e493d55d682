// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What ranks do to gradients on a device has the bits that it has on the host.
#include "device_adam.hpp"

#include <digest.hpp>
#include <each_dtype.hpp>

#include <adamant/cuda/bucket_work.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace adamant;
using adamant_test::for_each_dtype;
using device_tests::device_bytes;

struct device_stream {
    cudaStream_t handle = nullptr;
    device_stream() { device_tests::check(cudaStreamCreate(&handle)); }
    device_stream(const device_stream&) = delete;
    ~device_stream() { static_cast<void>(cudaStreamDestroy(handle)); }
};

template <class T>
std::vector<T> values(std::uint64_t seed, std::size_t count) {
    std::vector<T> result;
    for (std::size_t i = 0; i < count; ++i)
        result.push_back(round_to<T>(adamant_test::random_float(seed, i, 1, 25)));
    return result;
}

//! A vector on the device, `first` elements after an address that is aligned.
template <class T>
class device_values {
public:
    device_values(const std::vector<T>& from, std::size_t first)
        : bytes_(from.size() * sizeof(T), first * sizeof(T)), count_(from.size()) {
        bytes_.take(from.data());
    }
    std::span<T> span() const { return {static_cast<T*>(bytes_.data()), count_}; }
    std::vector<T> back(const device_stream& stream) const {
        device_tests::check(cudaStreamSynchronize(stream.handle));
        std::vector<T> result(count_);
        bytes_.give(result.data());
        return result;
    }

private:
    device_bytes bytes_;
    std::size_t count_;
};

template <class T>
bool is_same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

//! More than two chunks, whole ones and the rest of one.
constexpr std::size_t count = 2 * 2048 + 304;

TEST_CASE("a gradient is added in fp32 and rounded once") {
    const device_stream stream;
    bucket_work<cuda::memory> work(executor{}, stream.handle);
    for_each_dtype([&]<class Grad>(std::type_identity<Grad>) {
        for_each_dtype([&]<class T>(std::type_identity<T>) {
            for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
                std::vector<Grad> sum = values<Grad>(1, count);
                const std::vector<T> gradient = values<T>(2, count);
                const device_values<Grad> there(sum, 0);
                const device_values<T> gradient_there(gradient, first);
                work.add(there.span(), gradient_there.span(), 0);
                add_gradient(std::span(sum), std::span(gradient), 0);
                CHECK(is_same(there.back(stream), sum));
            }
        });
        const device_values<Grad> there(values<Grad>(3, count), 0);
        work.zero(there.span());
        CHECK(is_same(there.back(stream), std::vector<Grad>(count)));
        CHECK_THROWS_AS(work.add(there.span(), there.span().first(7), 0), shape_error);
        work.add(there.span().first(0), there.span().first(0), 0);
        work.zero(there.span().first(0));
    });
}

TEST_CASE("ranks are summed in double, in rank order, and rounded once") {
    const device_stream stream;
    bucket_work<cuda::memory> work(executor{}, stream.handle);
    bucket_work<host_memory> host{executor(serial_executor{})};
    for_each_dtype([&]<class Grad>(std::type_identity<Grad>) {
        for (const auto& place : {std::pair{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {3, 5}})
            for (const std::size_t size : {count, count + 3}) {  // an odd one: not all ranks' are aligned
                const reduction how = size == count ? reduction::mean : reduction::sum;
                const int rank = place.first, ranks = place.second;
                CAPTURE(rank);
                CAPTURE(ranks);
                const auto others = static_cast<std::size_t>(ranks - 1);
                std::vector<Grad> own = values<Grad>(1, size), received = values<Grad>(2, others * size);
                const device_values<Grad> own_there(own, 0), received_there(received, 0);
                const auto part = static_cast<std::int64_t>(size);
                work.sum(rank_gradients<Grad>{own_there.span().data(), received_there.span().data(), part,
                                              rank, ranks},
                         how);
                host.sum(rank_gradients<Grad>{own.data(), received.data(), part, rank, ranks}, how);
                CHECK(is_same(own_there.back(stream), own));
            }
    });
}

TEST_CASE("pieces are copied, more than one launch takes") {
    const device_stream stream;
    bucket_work<cuda::memory> work(executor{}, stream.handle);
    const auto from = values<bfloat16>(1, 40000);
    std::vector<bfloat16> expected(40000);
    const device_values<bfloat16> from_there(from, 1), to_there(expected, 0);
    std::vector<byte_copy> copies;
    for (std::size_t i = 0; i < 1003; ++i) {
        const std::size_t size = i % 37 + (i == 1001 ? 1000 : 0), first = 38 * i;
        copies.push_back({to_there.span().data() + first, from_there.span().data() + first,
                          static_cast<std::int64_t>(2 * size)});
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first), size,
                    expected.begin() + static_cast<std::ptrdiff_t>(first));
    }
    work.copy(copies);
    CHECK(is_same(to_there.back(stream), expected));
}

}  // namespace
