// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! mpi::communicator: the ranks of an MPI communicator. The C API of MPI 3, which Open MPI and MPICH have.
#pragma once

// C++ bindings, which MPI has dropped.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <adamant/base/error.hpp>
#include <adamant/train/communicator.hpp>

namespace adamant::inline v0::mpi {

struct communicator_options {
    //! How long a call waits for other ranks before it throws. It has to be longer than ranks are apart, with
    //! the files that one of them writes between two steps. 0: for ever.
    std::chrono::milliseconds patience{7000};
    //! Bytes; what is larger goes in several messages, as MPI counts in int.
    std::int64_t largest_message = std::int64_t{1} << 30;
};

//! Throws communication_error, with MPI's text, for a code that is not MPI_SUCCESS.
inline void check(int code, const char* call) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
    throw communication_error("[adamant] MPI calls succeed: " + std::string(call) + " returned " +
                              std::to_string(code) + ", " +
                              std::string(text, static_cast<std::size_t>(length)) + ".");
}

//! Ranks of a duplicate of a communicator, so that no message meets one of the program's. MPI is called by
//! the caller's thread only. Constructed and destroyed by all ranks together, before MPI_Finalize. Move-only.
class communicator {
public:
    class request {
        friend communicator;
        std::vector<MPI_Request> pending_;
        std::vector<int> senders_, receivers_;  // of each, or no_rank
    };

    //! Throws communication_error where MPI is not running, was not started for a program with threads, or a
    //! rank does not come.
    explicit communicator(MPI_Comm parent, communicator_options options = {}) : options_(options) {
        require_running();
        require_threads();
        if (parent == MPI_COMM_NULL)
            throw communication_error("[adamant] ranks need a communicator: got MPI_COMM_NULL.");
        if (options.largest_message < 1 || options.largest_message > std::numeric_limits<int>::max())
            throw config_error("[adamant] largest_message is from 1 to 2^31 - 1 bytes: got " +
                               std::to_string(options.largest_message) + ".");
        if (options.patience.count() < 0)
            throw config_error("[adamant] patience is not negative: write 0 to wait for ever.");
        request duplicate;
        check(MPI_Comm_idup(parent, &comm_, add(duplicate, no_rank, no_rank)), "MPI_Comm_idup");
        try {
            wait(duplicate);
            check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
            check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
            check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
        } catch (...) {
            comm_ = MPI_COMM_NULL;
            throw;
        }
    }
    communicator(communicator&& other) noexcept
        : options_(other.options_),
          comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
          rank_(other.rank_),
          size_(other.size_),
          has_failed_(other.has_failed_) {}
    communicator& operator=(communicator&&) = delete;
    ~communicator() {
        // MPI_Comm_free is for all ranks together: where one has failed or throws, the others might wait.
        int finalized = 0;
        if (comm_ != MPI_COMM_NULL && !has_failed_ && std::uncaught_exceptions() == 0 &&
            MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized)
            MPI_Comm_free(&comm_);
    }

    int rank() const { return rank_; }
    int size() const { return size_; }

    request exchange(std::span<const outgoing> out, std::span<const incoming> in) {
        request result;
        for (const incoming& i : in)
            for_each_message(i.bytes, [&](std::int64_t begin, int count) {
                check_ours(MPI_Irecv(static_cast<char*>(i.data) + begin, count, MPI_BYTE, i.rank, tag, comm_,
                                     add(result, i.rank, no_rank)),
                           "MPI_Irecv");
            });
        for (const outgoing& o : out)
            for_each_message(o.bytes, [&](std::int64_t begin, int count) {
                check_ours(MPI_Isend(static_cast<const char*>(o.data) + begin, count, MPI_BYTE, o.rank, tag,
                                     comm_, add(result, no_rank, o.rank)),
                           "MPI_Isend");
            });
        return result;
    }

    bool test(request& r) {
        int done = 0;
        check_ours(
            MPI_Testall(static_cast<int>(r.pending_.size()), r.pending_.data(), &done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
        return done != 0;
    }

    //! Throws communication_error, naming the ranks that did not answer, after the options' patience.
    void wait(request& r) {
        const auto start = std::chrono::steady_clock::now();
        while (!test(r)) {
            const auto waited = std::chrono::steady_clock::now() - start;
            if (options_.patience.count() > 0 && waited > options_.patience) give_up(r);
            // Calls drive transfers; who has waited for long waits for a rank that computes, maybe here.
            if (waited < std::chrono::seconds(1)) std::this_thread::yield();
            else std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
    }

    //! Returns when all ranks have come.
    void barrier() {
        request r;
        check_ours(MPI_Ibarrier(comm_, add(r, no_rank, no_rank)), "MPI_Ibarrier");
        wait(r);
    }

private:
    static constexpr int tag = 0;  // messages match in order
    static constexpr int no_rank = -1;

    static void require_running() {
        int initialized = 0, finalized = 0;
        check(MPI_Initialized(&initialized), "MPI_Initialized");
        check(MPI_Finalized(&finalized), "MPI_Finalized");
        if (!initialized || finalized)
            throw communication_error(
                "[adamant] MPI runs while a communicator is made: call MPI_Init_thread before, and "
                "MPI_Finalize after.");
    }
    //! Steps run on threads, though none of them calls MPI.
    static void require_threads() {
        int provided = 0, is_main = 0;
        check(MPI_Query_thread(&provided), "MPI_Query_thread");
        check(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
        if (provided >= MPI_THREAD_SERIALIZED || (provided == MPI_THREAD_FUNNELED && is_main)) return;
        throw communication_error(
            std::string("[adamant] MPI was started for a program with threads: call ") +
            "MPI_Init_thread with " + (is_main ? "MPI_THREAD_FUNNELED" : "MPI_THREAD_SERIALIZED") +
            " or more, got " +
            (provided == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE." : "MPI_THREAD_FUNNELED."));
    }

    template <class F>
    void for_each_message(std::int64_t bytes, F&& f) const {
        for (std::int64_t begin = 0; begin < bytes; begin += options_.largest_message)
            f(begin, static_cast<int>(std::min(options_.largest_message, bytes - begin)));
    }
    static MPI_Request* add(request& r, int sender, int receiver) {
        r.pending_.push_back(MPI_REQUEST_NULL);
        r.senders_.push_back(sender);
        r.receivers_.push_back(receiver);
        return &r.pending_.back();
    }

    //! Nobody waits any more: what has not come is called off, so that it does not come into memory that is
    //! something else by then.
    [[noreturn]] void give_up(request& r) {
        has_failed_ = true;
        std::set<int> missing;
        for (std::size_t i = 0; i < r.pending_.size(); ++i) {
            int done = 0;
            if (MPI_Test(&r.pending_[i], &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) continue;
            missing.insert({r.senders_[i], r.receivers_[i]});
            if (r.senders_[i] != no_rank) MPI_Cancel(&r.pending_[i]);
        }
        missing.erase(no_rank);
        std::string who;
        for (const int rank : missing) who += (who.empty() ? "rank " : ", ") + std::to_string(rank);
        throw communication_error(
            "[adamant] all ranks take part: rank " + std::to_string(rank_) + " waited " +
            std::to_string(options_.patience.count()) + " ms for " + (who.empty() ? "the others" : who) +
            ". Look there for what ended, or set patience to more than ranks are apart.");
    }
    //! After an error of MPI the ranks are no longer in step.
    void check_ours(int code, const char* call) {
        if (code != MPI_SUCCESS) has_failed_ = true;
        check(code, call);
    }

    communicator_options options_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    bool has_failed_ = false;
};

}  // namespace adamant::inline v0::mpi
