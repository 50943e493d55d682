// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! shared_buckets: the gradients of all tensors in buckets, each reduced over the ranks as soon as it is
//! complete.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <adamant/step/executor.hpp>
#include <adamant/train/bucket_plan.hpp>
#include <adamant/train/communicator.hpp>
#include <adamant/train/grad_bucket.hpp>
#include <adamant/train/rank_sum.hpp>

namespace adamant::inline v0 {

//! Every rank sends each other rank its part of a bucket and sums what it owns itself. Buckets start in order
//! on every rank, whatever the order in which they become ready.
template <class Grad, communicator Ranks, memory Memory = host_memory>
class shared_buckets {
public:
    shared_buckets(bucket_plan plan, int rank, reduction how, executor runner, Memory memory = {})
        : plan_(std::move(plan)),
          rank_(rank),
          how_(how),
          executor_(std::move(runner)),
          memory_(std::make_unique<transfer_memory>(plan_, std::move(memory))),
          sources_(static_cast<std::size_t>(plan_.ranks())) {
        reopen();
    }
    shared_buckets(shared_buckets&&) noexcept = default;
    shared_buckets& operator=(shared_buckets&&) = delete;  // what is in flight would be freed
    ~shared_buckets() {
        // A transfer that nobody waits for any more may still touch its memory: that is never freed.
        if (memory_ && is_exchanging()) static_cast<void>(memory_.release());
    }

    const bucket_plan& plan() const { return plan_; }
    std::span<Grad> operator[](std::size_t tensor) {
        return {at(plan_.place(tensor)), static_cast<std::size_t>(plan_.tensor_size(tensor))};
    }
    Grad* at(std::int64_t place) { return memory_->gradients.data() + place; }
    std::size_t gradient_bytes() const { return memory_->gradients.bytes(); }
    std::size_t transfer_bytes() const {
        std::size_t bytes = 0;
        for (const auto& received : memory_->received) bytes += received.bytes();
        return bytes;
    }

    //! Adds a micro-batch's gradient, as basic_grad_bucket does. Throws state_error for a tensor that is
    //! ready.
    template <class T>
    void accumulate(std::size_t tensor, std::span<T> gradient) {
        require_open(tensor);
        if (is_spent_)
            throw state_error(
                "[adamant] a step has taken the gradients: call zero_grads before more are added.");
        add_gradient((*this)[tensor], gradient, tensor);
    }

    void zero() {
        if (is_exchanging())
            throw state_error("[adamant] gradients on their way to other ranks stay: call step first.");
        std::ranges::fill(std::span(at(0), static_cast<std::size_t>(plan_.size())), Grad{});
        reopen();
        is_spent_ = false;
    }

    //! The gradient of a tensor is complete.
    void mark_ready(Ranks& ranks, std::size_t tensor) {
        require_open(tensor);
        close(tensor);
        advance(ranks);
    }

    //! Drives what is under way: sums buckets that have arrived, starts those that are ready.
    void advance(Ranks& ranks) {
        for (slot& s : slots_)
            if (s.request && ranks.test(*s.request)) arrive(s);
        start_ready(ranks);
    }

    //! Takes every gradient as complete and returns when every bucket is reduced.
    void finish(Ranks& ranks) {
        for (std::size_t tensor = 0; tensor < plan_.tensor_count(); ++tensor)
            if (!is_ready_[tensor]) close(tensor);
        start_ready(ranks);
        while (is_exchanging()) {
            slot& s = *std::ranges::min_element(slots_, {}, &slot::order);
            ranks.wait(*s.request);
            arrive(s);
            start_ready(ranks);
        }
    }

    //! After a step: the buckets hold sums that must not be added to, and can be written anew.
    void spend() {
        reopen();
        is_spent_ = true;
    }

private:
    static constexpr std::size_t transfers_at_once = 2;  // one is summed while the next arrives

    //! Memory that moves with its address.
    struct transfer_memory {
        transfer_memory(const bucket_plan& plan, Memory memory)
            : gradients(static_cast<std::size_t>(plan.size()), memory),
              received{arrivals(plan, memory, 1), arrivals(plan, memory, 2)} {}

        //! Room for any bucket's, if there are at least `least` buckets.
        static buffer<Grad, Memory> arrivals(const bucket_plan& plan, Memory memory, std::size_t least) {
            std::int64_t largest = 0;
            if (plan.buckets().size() >= least)
                for (std::size_t b = 0; b < plan.buckets().size(); ++b)
                    largest = std::max(largest, plan.shard_size(b) * (plan.ranks() - 1));
            return buffer<Grad, Memory>(static_cast<std::size_t>(largest), std::move(memory));
        }

        buffer<Grad, Memory> gradients;
        std::array<buffer<Grad, Memory>, transfers_at_once> received;
    };
    struct slot {
        std::optional<typename Ranks::request> request{};
        std::size_t bucket = 0;
        std::size_t order() const { return request ? bucket : std::numeric_limits<std::size_t>::max(); }
    };

    void reopen() {
        is_ready_.assign(plan_.tensor_count(), false);
        missing_.clear();
        for (const bucket_plan::bucket& b : plan_.buckets()) missing_.push_back(b.tensors);
        next_ = 0;
    }
    bool is_exchanging() const {
        return std::ranges::any_of(slots_, [](const slot& s) { return s.request.has_value(); });
    }
    void require_open(std::size_t tensor) const {
        if (tensor >= plan_.tensor_count())
            throw shape_error("[adamant] this optimizer has " + std::to_string(plan_.tensor_count()) +
                              " tensors: there is no tensor " + std::to_string(tensor) + ".");
        if (is_ready_[tensor])
            throw state_error("[adamant] a gradient that is ready is not written: tensor " +
                              std::to_string(tensor) + " was marked ready since the last step.");
    }
    void close(std::size_t tensor) {
        is_ready_[tensor] = true;
        if (plan_.tensor_size(tensor) > 0) --missing_[plan_.bucket_of(tensor)];
    }

    void start_ready(Ranks& ranks) {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (next_ == plan_.buckets().size() || missing_[next_] > 0) return;
            if (slots_[i].request) continue;
            if (plan_.ranks() > 1) start(ranks, i);
            else --i;  // alone: its sum is what it has
            ++next_;
        }
    }
    void start(Ranks& ranks, std::size_t number) {
        const std::int64_t count = plan_.shard_size(next_);
        const auto bytes = count * static_cast<std::int64_t>(sizeof(Grad));
        out_.clear();
        in_.clear();
        for (int rank = 0; rank < plan_.ranks(); ++rank) {
            if (rank == rank_) continue;
            out_.push_back({rank, at(plan_.shard_start(next_, rank)), bytes});
            in_.push_back({rank, received(number, count, rank), bytes});
        }
        slots_[number].bucket = next_;
        slots_[number].request.emplace(ranks.exchange(out_, in_));
    }
    Grad* received(std::size_t number, std::int64_t count, int rank) {
        return memory_->received[number].data() + count * (rank < rank_ ? rank : rank - 1);
    }

    void arrive(slot& s) {
        s.request.reset();
        const std::int64_t count = plan_.shard_size(s.bucket);
        Grad* const own = at(plan_.shard_start(s.bucket, rank_));
        const auto number = static_cast<std::size_t>(&s - slots_.data());
        for (int rank = 0; rank < plan_.ranks(); ++rank)
            sources_[static_cast<std::size_t>(rank)] = rank == rank_ ? own : received(number, count, rank);
        constexpr std::int64_t elements_of_task = std::int64_t{32} * 1024;
        const auto sum = [&](std::int64_t task) {
            const default_float_environment environment;
            const std::int64_t begin = task * elements_of_task;
            sum_ranks<Grad>(sources_, begin, std::min(count, begin + elements_of_task), how_, own);
        };
        executor_.run((count + elements_of_task - 1) / elements_of_task, sum);
    }

    bucket_plan plan_;
    int rank_;
    reduction how_;
    executor executor_;
    std::unique_ptr<transfer_memory> memory_;
    std::array<slot, transfers_at_once> slots_{};
    std::vector<bool> is_ready_;         // by tensor
    std::vector<std::int64_t> missing_;  // tensors that are not ready, by bucket
    std::size_t next_ = 0;               // the bucket to start
    bool is_spent_ = false;
    std::vector<const Grad*> sources_;  // by rank; these three only save allocations
    std::vector<outgoing> out_;
    std::vector<incoming> in_;
};

}  // namespace adamant::inline v0
