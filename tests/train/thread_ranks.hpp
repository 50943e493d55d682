// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Ranks that are threads: a communicator for tests. A message stays where it is until its receiver takes it,
//! so that memory that is written too early is seen.
#pragma once

#include <adamant/base/error.hpp>
#include <adamant/train/communicator.hpp>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

namespace thread_ranks {

using namespace adamant;

class world {
public:
    explicit world(int ranks) : size(ranks) {}

    struct message {
        outgoing content;
        bool taken = false;
    };
    using key = std::tuple<int, int, std::int64_t>;  // from, to, number

    const int size;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<key, std::shared_ptr<message>> messages;
    bool has_failed = false;
};

class communicator {
public:
    struct request {
        std::vector<std::shared_ptr<world::message>> sent;
        std::vector<std::pair<world::key, incoming>> expected;
    };

    communicator(std::shared_ptr<world> where, int rank)
        : world_(std::move(where)),
          rank_(rank),
          sent_(static_cast<std::size_t>(world_->size)),
          expected_(static_cast<std::size_t>(world_->size)) {}

    int rank() const { return rank_; }
    int size() const { return world_->size; }

    request exchange(std::span<const outgoing> out, std::span<const incoming> in) {
        request result;
        const std::lock_guard lock(world_->mutex);
        for (const outgoing& o : out) {
            if (o.rank == rank_ || o.bytes == 0) throw communication_error("no such message");
            const auto m = std::make_shared<world::message>(world::message{o});
            world_->messages[{rank_, o.rank, sent_[static_cast<std::size_t>(o.rank)]++}] = m;
            result.sent.push_back(m);
        }
        for (const incoming& i : in)
            result.expected.push_back({{i.rank, rank_, expected_[static_cast<std::size_t>(i.rank)]++}, i});
        world_->changed.notify_all();
        return result;
    }
    bool test(request& r) {
        const std::lock_guard lock(world_->mutex);
        return is_done(r);
    }
    void wait(request& r) {
        std::unique_lock lock(world_->mutex);
        const bool in_time = world_->changed.wait_for(lock, std::chrono::seconds(120),
                                                      [&] { return is_done(r) || world_->has_failed; });
        if (!in_time || !is_done(r)) throw communication_error("another rank has gone");
    }

private:
    bool is_done(request& r) {
        std::erase_if(r.expected, [&](const auto& e) {
            const auto found = world_->messages.find(e.first);
            if (found == world_->messages.end()) return false;
            const outgoing& content = found->second->content;
            if (content.bytes != e.second.bytes) throw communication_error("sizes differ");
            std::memcpy(e.second.data, content.data, static_cast<std::size_t>(content.bytes));
            found->second->taken = true;
            world_->messages.erase(found);
            world_->changed.notify_all();
            return true;
        });
        std::erase_if(r.sent, [](const auto& m) { return m->taken; });
        return r.expected.empty() && r.sent.empty();
    }

    std::shared_ptr<world> world_;
    int rank_;
    std::vector<std::int64_t> sent_, expected_;
};

//! f(communicator) on `count` threads; the first exception is thrown again, when all have ended.
template <class F>
void run(int count, F f) {
    const auto all = std::make_shared<world>(count);
    std::exception_ptr failure;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank)
        threads.emplace_back([&, rank] {
            try {
                f(communicator(all, rank));
            } catch (...) {
                const std::lock_guard lock(all->mutex);
                if (!failure) failure = std::current_exception();
                all->has_failed = true;
                all->changed.notify_all();
            }
        });
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace thread_ranks
