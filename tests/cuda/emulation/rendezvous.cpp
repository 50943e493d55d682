// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "rendezvous.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include <emulation.hpp>

namespace emulated_cuda {
namespace {

constexpr std::uint32_t last_lane = rendezvous::warp - 1;

bool meets_in_warp(waits_for what) {
    return what == waits_for::warp || what == waits_for::shuffle || what == waits_for::vote;
}

struct source {
    std::uint32_t lane;
    bool in_range;
};

// PTX ISA, shfl.sync: c holds a clamp in bits 0 to 4 and the mask of a segment in bits 8 to 12.
source source_of(const arrival& a, std::uint32_t lane) {
    const std::uint32_t segments = a.segment >> 8 & last_lane, clamp = a.segment & last_lane,
                        b = a.lane & last_lane;
    const auto last = static_cast<int>((lane & segments) | (clamp & ~segments));
    const auto from = static_cast<int>(lane), by = static_cast<int>(b);
    int chosen = 0;
    bool in_range = false;
    switch (static_cast<shuffle_mode>(a.mode)) {
        case shuffle_mode::up: chosen = from - by, in_range = chosen >= last; break;
        case shuffle_mode::down: chosen = from + by, in_range = chosen <= last; break;
        case shuffle_mode::butterfly: chosen = from ^ by, in_range = chosen <= last; break;
        case shuffle_mode::index:
            chosen = static_cast<int>((lane & segments) | (b & ~segments)), in_range = chosen <= last;
            break;
    }
    return {in_range ? static_cast<std::uint32_t>(chosen) : lane, in_range};
}

std::uint64_t count_votes(vote_mode mode, std::uint32_t ballot, std::uint32_t mask) {
    switch (mode) {
        case vote_mode::ballot: return ballot;
        case vote_mode::any: return ballot != 0;
        case vote_mode::all: return ballot == mask;
        case vote_mode::uniform: return ballot == mask || ballot == 0;
    }
    return 0;
}

const char* name_of(waits_for what) {
    switch (what) {
        case waits_for::nothing: return "run";
        case waits_for::block: return "wait at a barrier of the block";
        case waits_for::warp: return "wait at a barrier of the warp";
        case waits_for::shuffle: return "wait at a shuffle";
        case waits_for::vote: return "wait at a vote";
        case waits_for::returned: return "have returned";
    }
    return "";
}

}  // namespace

std::uint32_t shuffle_segment(shuffle_mode mode, int width) {
    if (width < 1 || width > 32 || !std::has_single_bit(static_cast<unsigned>(width)))
        throw device_error("a shuffle's width is 1, 2, 4, 8, 16 or 32, not " + std::to_string(width));
    return (rendezvous::warp - static_cast<std::uint32_t>(width)) << 8 |
           (mode == shuffle_mode::up ? 0 : last_lane);
}

bool rendezvous::all_returned() const {
    return std::all_of(threads_.begin(), threads_.end(),
                       [](const arrival& a) { return a.what == waits_for::returned; });
}

void rendezvous::release() {
    bool released = false;
    const auto count = static_cast<std::uint32_t>(threads_.size());
    for (std::uint32_t first = 0; first < count; first += warp) released |= release_warp(first);
    if (!released && !release_block())
        throw device_error("threads wait for others that do not come: " + describe());
}

bool rendezvous::release_warp(std::uint32_t first) {
    const auto end = std::min(first + warp, static_cast<std::uint32_t>(threads_.size()));
    bool released = false;
    for (std::uint32_t thread = first; thread < end; ++thread) {
        if (!meets_in_warp(threads_[thread].what) || !complete(first, thread)) continue;
        exchange(first, threads_[thread].mask);
        released = true;
    }
    return released;
}

bool rendezvous::complete(std::uint32_t first, std::uint32_t thread) const {
    const arrival& mine = threads_[thread];
    if ((mine.mask >> (thread - first) & 1u) == 0)
        throw device_error("thread " + std::to_string(thread) + " is not in the mask that it names");
    for (std::uint32_t lane = 0; lane < warp; ++lane) {
        if ((mine.mask >> lane & 1u) == 0) continue;
        if (first + lane >= threads_.size()) return false;
        const arrival& other = threads_[first + lane];
        if (other.what != mine.what || other.mode != mine.mode || other.mask != mine.mask ||
            other.place != mine.place)
            return false;
    }
    return true;
}

void rendezvous::exchange(std::uint32_t first, std::uint32_t mask) {
    std::uint32_t ballot = 0;
    for (std::uint32_t lane = 0; lane < warp; ++lane)
        if (mask >> lane & 1u && threads_[first + lane].value != 0) ballot |= 1u << lane;
    for (std::uint32_t lane = 0; lane < warp; ++lane) {
        if ((mask >> lane & 1u) == 0) continue;
        arrival& a = threads_[first + lane];
        if (a.what == waits_for::vote) a.result = count_votes(static_cast<vote_mode>(a.mode), ballot, mask);
        if (a.what == waits_for::shuffle) {
            const auto [from, in_range] = source_of(a, lane);
            if ((mask >> from & 1u) == 0)
                throw device_error("lane " + std::to_string(lane) + " reads lane " + std::to_string(from) +
                                   ", which does not take part in the shuffle");
            a.result = threads_[first + from].value;
            a.in_range = in_range;
        }
        a.what = waits_for::nothing;
    }
}

bool rendezvous::release_block() {
    const arrival& first = threads_.front();
    for (const arrival& a : threads_)
        if (a.what != waits_for::block || a.place != first.place) return false;
    for (arrival& a : threads_) a.what = waits_for::nothing;
    return true;
}

std::string rendezvous::describe() const {
    std::map<waits_for, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < threads_.size(); ++i) groups[threads_[i].what].push_back(i);
    std::string text;
    for (const auto& [what, members] : groups)
        text += (text.empty() ? "" : ", ") + std::to_string(members.size()) + " (the first is " +
                std::to_string(members.front()) + ") " + name_of(what);
    if (groups.size() == 1) text += ", not all at the same one or with the same mask";
    return text;
}

}  // namespace emulated_cuda
