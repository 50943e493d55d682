// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! measurement: the times of one policy on one list of tensors, in nanoseconds per parameter, and how they
//! are taken.
#pragma once

#include "bare_loop.hpp"
#include "subjects.hpp"
#include "timing.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
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
    bool quiet;               //!< enough turns had no neighbour on the same core, here and in the cache

    //! The two roofs of a step: memory at all threads, arithmetic shared by them.
    double roof_ns() const { return std::max(twin_ns, l2_ns / threads); }
    double share_of_roof() const { return std::max(1 / over_twin, l2_ns / threads / ns); }
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

inline cache_times measure_cache(const candidate& policy, double seconds, usual_rate& rate) {
    const sizes list{cache_elements(policy)};
    const auto model = [&](spread s) { return policy.make(list, s, adamant::serial_executor{}); };
    // Where the pages of a model fall in the cache is chance: two of each, and the shorter time.
    const auto wide = model(spread::wide), also_wide = model(spread::wide);
    const auto narrow = model(spread::narrow), also_narrow = model(spread::narrow);
    bare_loop bare;
    const auto t = in_turns<5>(seconds,
                               {[&] { wide->step(); }, [&] { also_wide->step(); }, [&] { narrow->step(); },
                                [&] { also_narrow->step(); }, [&] { bare.run(); }},
                               {rate, adamant::serial_executor{}, 1}, cached);
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
    const auto t = in_turns<4>(seconds,
                               {[&] { wide->step(); }, [&] { twin.run(executor); },
                                [&] { wide->read_gradients(); }, [&] { read_twin.run(executor); }},
                               {rate, executor, threads});
    const double scale = 1e9 / static_cast<double>(elements);
    measurement m{policy.name,
                  name,
                  elements,
                  threads,
                  policy.bytes_per_param,
                  t.shortest(0) * scale,
                  t.shortest(1) * scale,
                  t.ratio(0, 1),
                  t.shortest(2) * scale,
                  t.shortest(3) * scale,
                  t.ratio(2, 3),
                  cache.wide_ns,
                  cache.narrow_ns,
                  cache.bare_ns,
                  cache.quiet && t.quiet()};
    for (const memory_twin::stream& s : policy.streams) m.moved_bytes += s.bytes * (s.stored ? 2 : 1) / 128.0;
    return m;
}

}  // namespace bench
