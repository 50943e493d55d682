// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! communicator: what the ranks of a data-parallel run need of each other, and the rank that is alone.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace adamant::inline v0 {

//! Bytes that go to a rank, or come from it.
struct outgoing {
    int rank;
    const void* data;
    std::int64_t bytes;
};
struct incoming {
    int rank;
    void* data;
    std::int64_t bytes;
};

//! One primitive: exchange(out, in) starts sending and receiving and returns a request; test(request) drives
//! it and says whether it is done; wait(request) returns when it is. Messages between two ranks match in the
//! order in which both start them, no rank writes to itself, no message is empty, and memory is not touched
//! until the request is done. Errors: communication_error.
//!
//! All-to-all and all-gather are exchanges; a reduction is one and a sum in rank order (train/rank_sum.hpp),
//! so that its bits are ours and not those of a library's tree.
template <class C>
concept communicator = std::move_constructible<C> && std::movable<typename C::request> &&
    requires(C& c, const C& constant, std::span<const outgoing> out, std::span<const incoming> in,
             typename C::request& request) {
    { constant.rank() } -> std::convertible_to<int>;
    { constant.size() } -> std::convertible_to<int>;
    { c.exchange(out, in) } -> std::same_as<typename C::request>;
    { c.test(request) } -> std::convertible_to<bool>;
    c.wait(request);
};

//! A rank without others.
struct single {
    struct request {};
    static constexpr int rank() { return 0; }
    static constexpr int size() { return 1; }
    static request exchange(std::span<const outgoing>, std::span<const incoming>) { return {}; }
    static bool test(request&) { return true; }
    static void wait(request&) {}
};

//! The value of every rank, in rank order, on every rank.
template <communicator C, class T>
std::vector<T> gather_values(C& ranks, const T& own) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "[adamant] ranks exchange bytes: gather a value that is trivially copyable.");
    std::vector<T> values(static_cast<std::size_t>(ranks.size()), own);
    std::vector<outgoing> out;
    std::vector<incoming> in;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        if (rank == ranks.rank()) continue;
        out.push_back({rank, &own, sizeof(T)});
        in.push_back({rank, &values[static_cast<std::size_t>(rank)], sizeof(T)});
    }
    auto request = ranks.exchange(out, in);
    ranks.wait(request);
    return values;
}

}  // namespace adamant::inline v0
