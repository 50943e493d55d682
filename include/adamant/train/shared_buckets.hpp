// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! shared_buckets: the gradients of all tensors in buckets, each reduced over the ranks as soon as it is
//! complete.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <adamant/train/bucket_plan.hpp>
#include <adamant/train/bucket_work.hpp>
#include <adamant/train/communicator.hpp>

namespace adamant::inline v0 {

//! A communicator that reduces by its library's own means, in whatever order and roundings that has:
//! reduce_scatter(bucket, own, count, how) starts adding up the `count` elements of every rank that lie in
//! rank order from `bucket` on, to `own`, which lies among them.
template <class C, class T>
concept reducing_communicator = communicator<C> &&
    requires(C& c, const T* bucket, T* own, std::int64_t count, reduction how) {
    { c.reduce_scatter(bucket, own, count, how) } -> std::same_as<typename C::request>;
};

//! Every rank sends each other rank its part of a bucket and sums what it owns itself. Buckets start in order
//! on every rank, whatever the order in which they become ready.
template <class Grad, communicator Ranks, memory Memory = host_memory>
class shared_buckets {
public:
    shared_buckets(bucket_plan plan, int rank, reduction how, bucket_work<Memory> work)
        : plan_(std::move(plan)),
          rank_(rank),
          how_(how),
          work_(std::move(work)),
          memory_(std::make_unique<transfer_memory>(plan_, work_.memory())) {
        reopen();
    }
    shared_buckets(shared_buckets&&) noexcept = default;
    shared_buckets& operator=(shared_buckets&&) = delete;  // what is in flight would be freed
    ~shared_buckets() {
        // A transfer that nobody waits for any more may still touch its memory: that is never freed.
        if (memory_ && (is_sending_ || is_exchanging())) static_cast<void>(memory_.release());
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
        work_.add((*this)[tensor], gradient, tensor);
    }

    void zero() {
        if (is_exchanging())
            throw state_error("[adamant] gradients on their way to other ranks stay: call step first.");
        work_.zero(std::span(at(0), static_cast<std::size_t>(plan_.size())));
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
    static constexpr bool sums_here = !reducing_communicator<Ranks, Grad>;

    //! Memory that moves with its address.
    struct transfer_memory {
        transfer_memory(const bucket_plan& plan, Memory memory)
            : gradients(static_cast<std::size_t>(plan.size()), memory),
              received{arrivals(plan, memory, 1), arrivals(plan, memory, 2)} {}

        //! Room for any bucket's, if there are at least `least` buckets.
        static buffer<Grad, Memory> arrivals(const bucket_plan& plan, Memory memory, std::size_t least) {
            std::int64_t largest = 0;
            if (sums_here && plan.buckets().size() >= least)
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
        work_.before_exchange(ranks);
        slots_[number].bucket = next_;
        is_sending_ = true;
        slots_[number].request.emplace(send(ranks, number));
        is_sending_ = false;
    }
    typename Ranks::request send(Ranks& ranks, std::size_t number) {
        const std::int64_t count = plan_.shard_size(next_);
        if constexpr (!sums_here) {
            return ranks.reduce_scatter(at(plan_.buckets()[next_].start), at(plan_.shard_start(next_, rank_)),
                                        count, how_);
        } else {
            const auto bytes = count * static_cast<std::int64_t>(sizeof(Grad));
            out_.clear();
            in_.clear();
            for (int rank = 0; rank < plan_.ranks(); ++rank) {
                if (rank == rank_) continue;
                out_.push_back({rank, at(plan_.shard_start(next_, rank)), bytes});
                in_.push_back({rank, memory_->received[number].data() + count * std::ssize(in_), bytes});
            }
            return ranks.exchange(out_, in_);
        }
    }

    void arrive(slot& s) {
        if constexpr (sums_here)
            work_.sum(
                rank_gradients<Grad>{at(plan_.shard_start(s.bucket, rank_)),
                                     memory_->received[static_cast<std::size_t>(&s - slots_.data())].data(),
                                     plan_.shard_size(s.bucket), rank_, plan_.ranks()},
                how_);
        s.request.reset();  // not before: a sum that fails is summed again
    }

    bucket_plan plan_;
    int rank_;
    reduction how_;
    bucket_work<Memory> work_;
    std::unique_ptr<transfer_memory> memory_;
    std::array<slot, transfers_at_once> slots_{};
    std::vector<bool> is_ready_;         // by tensor
    std::vector<std::int64_t> missing_;  // tensors that are not ready, by bucket
    std::size_t next_ = 0;               // the bucket to start
    bool is_spent_ = false;
    bool is_sending_ = false;    // or an exchange has thrown, which may have begun
    std::vector<outgoing> out_;  // these two only save allocations
    std::vector<incoming> in_;
};

}  // namespace adamant::inline v0
