// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A run that was saved and loaded goes on as if nothing had happened, bit for bit, for every policy and from
//! any number of ranks to any other.
#include "scratch.hpp"
#include "simulated_ranks.hpp"
#include "training.hpp"

#include <adamant/safetensors/safetensors.hpp>

#include <doctest/doctest.h>

#include <cstring>

namespace {

using namespace adamant;
using checkpoints::training;

constexpr int rank_counts[] = {1, 2, 3, 4, 8};

std::string index_of(const checkpoints::scratch& folder, int ranks) {
    return folder / ("of-" + std::to_string(ranks) + ".json");
}

void save_by_ranks(const std::string& index, training& from, int ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
        checkpoints::rank_access part(access_state(from.optimizer), rank, ranks);
        safetensors::save_rank(index, {rank, ranks, "run1"}, part, from.views(),
                               {.schedule_position = from.optimizer.schedule_position()});
    }
    safetensors::save_index(index, ranks, "run1");
}

//! What a rank holds of `from`, copied to `to`.
void copy_held(state_access& from, state_access& to) {
    for (const slot s : all_slots)
        for (std::size_t i = 0; i < from.tensors().size(); ++i) {
            const element_range held = from.held(i);
            const stored_slot a = from.at(s, i), b = to.at(s, i);
            if (held.size() == 0 || a.codes == nullptr) continue;
            const auto bytes =
                static_cast<std::size_t>(held.size() * checkpoints::rank_access::width(a.kind));
            std::memcpy(b.codes, a.codes, bytes);
            if (a.scales != nullptr)
                std::memcpy(b.scales, a.scales, static_cast<std::size_t>((held.size() + 31) / 32));
        }
}

//! The whole that m ranks have after each has loaded its part into an optimizer of other content.
training loaded_by_ranks(const std::string& index, const policy_spec& spec, int ranks) {
    training whole(spec, 500);
    for (int rank = 0; rank < ranks; ++rank) {
        training one(spec, 600 + static_cast<std::uint64_t>(rank));
        one.steps(40, 43);
        checkpoints::rank_access part(access_state(one.optimizer), rank, ranks),
            of_whole(access_state(whole.optimizer), rank, ranks);
        const auto result = safetensors::load(index, part, one.views());
        copy_held(part, of_whole);
        of_whole.restore(part.run());
        whole.optimizer.set_schedule_position(result.record.schedule_position);
        const auto weights = one.views(), all = whole.views();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].size > 0)
                std::memcpy(all[i].data, weights[i].data, static_cast<std::size_t>(4 * all[i].size));
    }
    return whole;
}

}  // namespace

TEST_CASE("twenty steps after a resume equal those of a run that was not interrupted") {
    const checkpoints::scratch folder;
    const std::string file = folder / "a.safetensors";
    for (const policy_spec& spec : checkpoints::policies()) {
        CAPTURE(describe(spec));
        training uninterrupted(spec);
        uninterrupted.steps(0, 20);
        const std::uint64_t saved = uninterrupted.digest();
        safetensors::save(file, uninterrupted.optimizer, uninterrupted.views());
        CHECK(uninterrupted.digest() == saved);

        // Other weights, another history, another seed: all of it is replaced.
        hyperparameters other_seed = checkpoints::usual;
        other_seed.seed = 7;
        training resumed(spec, 99, other_seed);
        resumed.steps(50, 55);
        CHECK(resumed.digest() != saved);
        const auto result = safetensors::load(file, resumed.optimizer, resumed.views());
        CHECK(resumed.digest() == saved);
        CHECK_FALSE(result.converted);
        CHECK(result.record.run.step == uninterrupted.optimizer.step_count());
        CHECK(storage_of(result.record.policy) == storage_of(spec));

        uninterrupted.steps(20, 40);
        resumed.steps(20, 40);
        CHECK(resumed.digest() == uninterrupted.digest());
        CHECK(resumed.digest() != saved);
    }
}

TEST_CASE("k ranks save, m ranks load: the same bits") {
    for (const policy_spec& spec : checkpoints::policies_of_ranks()) {
        CAPTURE(describe(spec));
        const checkpoints::scratch folder;
        training run(spec);
        run.steps(0, 12);
        for (const int k : rank_counts) save_by_ranks(index_of(folder, k), run, k);
        const std::uint64_t saved = run.digest();
        run.steps(12, 32);
        for (const int k : rank_counts)
            for (const int m : rank_counts) {
                CAPTURE(k);
                CAPTURE(m);
                training loaded = loaded_by_ranks(index_of(folder, k), spec, m);
                CHECK(loaded.digest() == saved);
                if (k + m != 4) continue;
                loaded.steps(12, 32);
                CHECK(loaded.digest() == run.digest());
            }
    }
}

TEST_CASE("ranks and one process read each other's checkpoints") {
    const checkpoints::scratch folder;
    const policy_spec& spec = checkpoints::policies().front();
    training run(spec), other(spec, 2), another(spec, 3);
    run.steps(0, 5);
    save_by_ranks(index_of(folder, 3), run, 3);
    safetensors::load(index_of(folder, 3), other.optimizer, other.views());
    CHECK(other.digest() == run.digest());
    safetensors::save(folder / "one.safetensors", run.optimizer, run.views());
    another = loaded_by_ranks(folder / "one.safetensors", spec, 4);
    CHECK(another.digest() == run.digest());
}
