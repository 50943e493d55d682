// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! mpi::communicator by itself: what arrives, in what order, and what it refuses.
#include "patient.hpp"

#include <thrown.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

using namespace adamant;

namespace {

//! What rank `from` sends rank `to` in a message of this number.
std::vector<unsigned char> content(int from, int to, int number, std::size_t bytes) {
    std::vector<unsigned char> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        result[i] = static_cast<unsigned char>(31 * from + 7 * to + 3 * number + static_cast<int>(i % 251));
    return result;
}

void check_exchange(mpi::communicator& ranks, std::size_t bytes) {
    std::vector<std::vector<unsigned char>> sent, received;
    std::vector<outgoing> out;
    std::vector<incoming> in;
    for (int rank = 0; rank < ranks.size(); ++rank)
        for (int number = 0; number < 2 && rank != ranks.rank(); ++number) {
            sent.push_back(content(ranks.rank(), rank, number, bytes));
            received.emplace_back(bytes);
            out.push_back({rank, sent.back().data(), static_cast<std::int64_t>(bytes)});
            in.push_back({rank, received.back().data(), static_cast<std::int64_t>(bytes)});
        }
    auto request = ranks.exchange(out, in);
    ranks.wait(request);
    CHECK(ranks.test(request));
    std::size_t next = 0;
    for (int rank = 0; rank < ranks.size(); ++rank)
        for (int number = 0; number < 2 && rank != ranks.rank(); ++number)
            CHECK(received[next++] == content(rank, ranks.rank(), number, bytes));
}

}  // namespace

static_assert(communicator<mpi::communicator> && communicator<single>);

TEST_CASE("rank and size are those of the parent, whose messages are its own") {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mpi::communicator ranks = all_ranks();
    CHECK(ranks.rank() == rank);
    CHECK(ranks.size() == size);
    if (size == 1) return;
    // A message of the program that is under way meets none of ours.
    int foreign = rank, answer = -1;
    MPI_Request requests[2];
    MPI_Irecv(&answer, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
    check_exchange(ranks, 100);
    MPI_Isend(&foreign, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(answer == (rank + size - 1) % size);
}

TEST_CASE("messages of any size arrive, also in parts") {
    mpi::communicator ranks = all_ranks();
    for (const std::size_t bytes : {1u, 7u, 4096u, 300000u}) check_exchange(ranks, bytes);
    mpi::communicator in_parts = all_ranks({.largest_message = 1000});
    for (const std::size_t bytes : {1u, 999u, 1000u, 1001u, 2000u, 12345u}) check_exchange(in_parts, bytes);
    ranks.barrier();
}

TEST_CASE("values are gathered in rank order") {
    mpi::communicator ranks = all_ranks();
    const auto values = gather_values(ranks, 10 * ranks.rank());
    REQUIRE(values.size() == static_cast<std::size_t>(ranks.size()));
    for (int rank = 0; rank < ranks.size(); ++rank)
        CHECK(values[static_cast<std::size_t>(rank)] == 10 * rank);
}

TEST_CASE("a communicator moves, and a part of the ranks has its own") {
    mpi::communicator first = all_ranks();
    mpi::communicator ranks = std::move(first);
    check_exchange(ranks, 10);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, ranks.rank() % 2, 0, &half);
    {
        mpi::communicator part(half, {.patience = std::chrono::seconds(120)});
        CHECK(part.size() == (ranks.size() + 1 - ranks.rank() % 2) / 2);
        MPI_Comm_free(&half);  // the duplicate is its own
        check_exchange(part, 10);
    }
}

TEST_CASE("what cannot work is refused by name") {
    CHECK(thrown<error>([] { mpi::communicator ranks(MPI_COMM_NULL); }).find("MPI_COMM_NULL") !=
          std::string::npos);
    CHECK(thrown<error>([] {
              mpi::communicator ranks(MPI_COMM_WORLD, {.largest_message = 0});
          }).find("largest_message") != std::string::npos);
    CHECK(thrown<error>([] {
              mpi::communicator ranks(MPI_COMM_WORLD, {.patience = std::chrono::milliseconds(-1)});
          }).find("patience") != std::string::npos);
    CHECK_THROWS_AS(mpi::check(MPI_ERR_COUNT, "MPI_Isend"), communication_error);
    CHECK(thrown<error>([] { mpi::check(MPI_ERR_COUNT, "MPI_Isend"); }).find("MPI_Isend") !=
          std::string::npos);
    // A call that MPI refuses: there is no such rank.
    mpi::communicator ranks = all_ranks();
    const char byte = 0;
    const std::vector<outgoing> out{{ranks.size(), &byte, 1}};
    const std::string text = thrown<error>([&] { ranks.exchange(out, {}); });
    CHECK(text.find("MPI_Isend returned") != std::string::npos);
}

TEST_SUITE("exhaustive") {
    TEST_CASE("a message above 2^31 bytes") {
        mpi::communicator ranks = all_ranks();
        if (ranks.size() != 2) return;
        constexpr std::int64_t bytes = (std::int64_t{1} << 31) + 4097;
        std::vector<unsigned char> own(static_cast<std::size_t>(bytes)), other(own.size());
        for (std::size_t i = 0; i < own.size(); i += 4096)
            own[i] = static_cast<unsigned char>(i / 4096 * 7 + static_cast<std::size_t>(ranks.rank()));
        own.back() = static_cast<unsigned char>(200 + ranks.rank());
        const int peer = 1 - ranks.rank();
        const std::vector<outgoing> out{{peer, own.data(), bytes}};
        const std::vector<incoming> in{{peer, other.data(), bytes}};
        auto request = ranks.exchange(out, in);
        ranks.wait(request);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i + 1 < other.size(); i += 4096)
            wrong += other[i] != static_cast<unsigned char>(i / 4096 * 7 + static_cast<std::size_t>(peer));
        CHECK(wrong == 0);
        CHECK(other.back() == 200 + peer);
    }
}
