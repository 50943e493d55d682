// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! rendezvous: where the threads of a block meet, for functions on fibers and for interpreted PTX alike.
//! Threads run until each has returned or waits for others; then all groups that are complete go on, and if
//! none is, some thread waits for one that never comes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <device_functions.h>

namespace emulated_cuda {

enum class waits_for : std::uint8_t { nothing, block, warp, shuffle, vote, returned };

//! A thread's side of a meeting.
struct arrival {
    waits_for what = waits_for::nothing;
    std::uint8_t mode = 0;        //!< shuffle_mode or vote_mode
    std::uint32_t mask = 0;       //!< the lanes that meet; all of them name the same
    std::uint32_t lane = 0;       //!< shfl's b: a lane, a distance or a pattern
    std::uint32_t segment = 0;    //!< shfl's c: a clamp and a mask of segments
    std::uint64_t value = 0;      //!< given; a vote's predicate
    std::uint64_t result = 0;     //!< received
    bool in_range = false;        //!< shfl's predicate
    const void* place = nullptr;  //!< the instruction, where known: threads that meet are at the same one
};

//! shfl's c for a width of 2^n lanes.
std::uint32_t shuffle_segment(shuffle_mode mode, int width);

class rendezvous {
public:
    static constexpr std::uint32_t warp = 32;

    void reset(std::uint32_t threads) { threads_.assign(threads, {}); }
    arrival& operator[](std::uint32_t thread) { return threads_[thread]; }
    bool all_returned() const;

    //! Lets everyone go whose group is complete. Call it when no thread can run. Throws device_error when no
    //! group is complete.
    void release();

private:
    bool release_warp(std::uint32_t first);
    bool complete(std::uint32_t first, std::uint32_t thread) const;
    void exchange(std::uint32_t first, std::uint32_t mask);
    bool release_block();
    std::string describe() const;

    std::vector<arrival> threads_;
};

}  // namespace emulated_cuda
