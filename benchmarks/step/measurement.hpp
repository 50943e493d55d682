// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! measurement: the times of one policy on one list of tensors, in nanoseconds per parameter, and how they
//! are taken.
#pragma once

#include "bare_loop.hpp"
#include "subjects.hpp"
#include "timing.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace bench {

struct measurement {
    std::string policy, list;
    std::int64_t elements;
    int threads;
    double bytes_per_param;
    double ns, twin_ns;       //!< the fused pass and its memory twin
    double over_twin;         //!< the one over the other, in the same turn
    double norm_ns, read_ns;  //!< the reading pass and its memory twin
    double norm_over_read;
    double l2_ns, narrow_ns;  //!< one thread in the second cache, gradients wide and narrow
    double bare_ns;           //!< the bare loop, one thread
    double crowd_ns;          //!< all threads, each in its second cache
    double over_roof;         //!< the pass over the longer of its twin and this, in the same turn
    bool quiet;               //!< enough turns had no neighbour on the same core, here and in the cache

    double roof_ns() const { return ns / over_roof; }
    double gigabytes_per_second() const { return moved_bytes / ns; }
    double moved_bytes = 0;  //!< per parameter: loads and stores
};

//! What one thread does in the second cache.
struct cache_times {
    double wide_ns, narrow_ns, bare_ns;
    bool quiet;
};

//! The second cache of a core, a mebibyte where the system does not say.
inline double second_cache_bytes() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
    if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) return static_cast<double>(bytes);
#endif
    return 1024 * 1024;
}
//! A model of which all streams fit into three quarters of it.
inline std::int64_t cache_elements(const candidate& policy) {
    return static_cast<std::int64_t>(second_cache_bytes() * 0.75 / policy.bytes_per_param) / 1024 * 1024;
}

//! A model for each thread of an executor, in its second cache: what a step takes where memory costs nothing.
class crowd {
public:
    //! Its threads step until there were about this many elements in all, and 16 steps per thread at least.
    crowd(const candidate& policy, adamant::executor executor, int threads, std::int64_t elements)
        : policy_(policy),
          executor_(std::move(executor)),
          threads_(threads),
          steps_(threads * std::max<std::int64_t>(16, elements / threads / cache_elements(policy))) {}

    std::int64_t elements() const { return steps_ * cache_elements(policy_); }
    void run() {
        std::atomic<std::int64_t> left = steps_;
        on_all_threads(executor_, threads_, [&] {
            any_subject& model = model_of_this_thread();
            while (left-- > 0) model.step();
        });
    }
    void warm_up() {
        on_all_threads(executor_, threads_, [&] {
            any_subject& model = model_of_this_thread();
            for (int i = 0; i < 2; ++i) model.step();
        });
    }

private:
    any_subject& model_of_this_thread() {
        const std::lock_guard lock(mutex_);
        auto& model = models_[std::this_thread::get_id()];
        if (!model) model = policy_.make({cache_elements(policy_)}, spread::wide, adamant::serial_executor{});
        return *model;
    }

    const candidate& policy_;
    adamant::executor executor_;
    int threads_;
    std::int64_t steps_;
    std::mutex mutex_;
    std::map<std::thread::id, std::unique_ptr<any_subject>> models_;
};

inline cache_times measure_cache(const candidate& policy, double seconds, usual_rate& rate) {
    const sizes list{cache_elements(policy)};
    const auto model = [&](spread s) { return policy.make(list, s, adamant::serial_executor{}); };
    // Where the pages of a model fall in the cache is chance: two of each, and the shorter time.
    const auto wide = model(spread::wide), also_wide = model(spread::wide);
    const auto narrow = model(spread::narrow), also_narrow = model(spread::narrow);
    bare_loop bare;
    const auto found_in_cache = [](auto f) { return timed_call(f, f); };
    const auto t =
        in_turns<5>(seconds,
                    {found_in_cache([&] { wide->step(); }), found_in_cache([&] { also_wide->step(); }),
                     found_in_cache([&] { narrow->step(); }), found_in_cache([&] { also_narrow->step(); }),
                     found_in_cache([&] { bare.run(); })},
                    {rate, adamant::serial_executor{}, 1});
    const auto nanoseconds = [&](std::size_t subject) {
        return std::min(t.shortest(subject), t.shortest(subject + 1)) * 1e9 / static_cast<double>(list[0]);
    };
    // A divider sometimes falls into a quicker rhythm for a while: what counts is the usual one.
    return {nanoseconds(0), nanoseconds(2), t.usual(4) * 1e9 / static_cast<double>(bare_loop::elements),
            t.quiet()};
}

inline measurement measure(const candidate& policy, const std::string& name, const sizes& list, int threads,
                           const cache_times& cache, double seconds, usual_rate& rate) {
    const std::int64_t elements = total(list);
    const adamant::executor executor = threads == 1 ? adamant::executor(adamant::serial_executor{})
                                                    : adamant::executor(adamant::thread_pool(threads));
    const auto wide = policy.make(list, spread::wide, executor);
    std::vector<memory_twin::stream> read = policy.streams;
    std::erase_if(read, [](const memory_twin::stream& s) { return s.stored; });
    static twin_memory kept, kept_to_read;
    memory_twin twin(elements, policy.streams, kept), read_twin(elements, read, kept_to_read);
    crowd cached(policy, executor, threads, elements);
    const auto t = in_turns<5>(seconds,
                               {[&] { wide->step(); }, [&] { twin.run(executor); },
                                timed_call([&] { cached.run(); }, [&] { cached.warm_up(); }),
                                [&] { wide->read_gradients(); }, [&] { read_twin.run(executor); }},
                               {rate, executor, threads});
    const double scale = 1e9 / static_cast<double>(elements);
    const double crowd_scale = 1e9 / static_cast<double>(cached.elements());
    const auto over_roof = [&](const auto& turn) {
        const auto& s = turn.seconds;
        return s[0] * scale / std::max(s[1] * scale, s[2] * crowd_scale);
    };
    measurement m{policy.name,
                  name,
                  elements,
                  threads,
                  policy.bytes_per_param,
                  t.shortest(0) * scale,
                  t.shortest(1) * scale,
                  t.ratio(0, 1),
                  t.shortest(3) * scale,
                  t.shortest(4) * scale,
                  t.ratio(3, 4),
                  cache.wide_ns,
                  cache.narrow_ns,
                  cache.bare_ns,
                  t.shortest(2) * crowd_scale,
                  t.median(over_roof),
                  cache.quiet && t.quiet()};
    for (const memory_twin::stream& s : policy.streams) m.moved_bytes += s.bytes * (s.stored ? 2 : 1) / 128.0;
    return m;
}

}  // namespace bench
