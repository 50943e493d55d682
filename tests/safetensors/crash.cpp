// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A training that is killed at random moments, again and again: each start finds the last checkpoint that
//! was complete, bit for bit.
#include "scratch.hpp"
#include "simulated_ranks.hpp"
#include "training.hpp"

#include <adamant/safetensors/safetensors.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>

namespace {

using namespace adamant;
using checkpoints::training;

constexpr int writers = 3;

//! Where a writer says how far it is; seen by both processes.
struct shared_count {
    std::atomic<std::int64_t>* steps = static_cast<std::atomic<std::int64_t>*>(
        ::mmap(nullptr, sizeof(*steps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ~shared_count() { ::munmap(steps, sizeof(*steps)); }
};

//! The next step depends on the step count alone, and is never one that is skipped.
void next_step(training& run) { run.step(static_cast<std::uint64_t>(7 * run.optimizer.step_count())); }

void save_run(const checkpoints::scratch& folder, training& run, bool by_ranks) {
    if (!by_ranks) {
        safetensors::checkpoint_folder(folder.folder(), 2).save(run.optimizer, run.views());
        return;
    }
    const std::string index = folder / "run.json", id = "n" + std::to_string(run.optimizer.step_count());
    for (int rank = 0; rank < writers; ++rank) {
        checkpoints::rank_access part(access_state(run.optimizer), rank, writers);
        safetensors::save_rank(index, {rank, writers, id}, part, run.views());
    }
    safetensors::save_index(index, writers, id);
}

//! Yields whether there was something to load.
bool load_run(const checkpoints::scratch& folder, training& run, bool by_ranks) {
    if (!by_ranks)
        return safetensors::checkpoint_folder(folder.folder())
            .load_newest(run.optimizer, run.views())
            .has_value();
    if (!std::filesystem::exists(folder / "run.json")) return false;
    safetensors::load(folder / "run.json", run.optimizer, run.views());
    return true;
}

//! Goes on from the last checkpoint and saves after every step, until it is killed.
[[noreturn]] void write_until_killed(const checkpoints::scratch& folder, bool by_ranks, shared_count& saved) {
    try {
        training run(checkpoints::policies().front(), 1);
        load_run(folder, run, by_ranks);
        for (;;) {
            next_step(run);
            save_run(folder, run, by_ranks);
            saved.steps->store(run.optimizer.step_count());
        }
    } catch (const std::exception& e) { std::fprintf(stderr, "%s\n", e.what()); }
    ::_exit(1);
}

void kill_and_load(int kills, bool by_ranks) {
    const checkpoints::scratch folder;
    shared_count saved;
    training reference(checkpoints::policies().front(), 1);
    std::int64_t loads = 0, last = 0;
    for (int i = 0; i < kills; ++i) {
        const pid_t child = ::fork();
        if (child == 0) write_until_killed(folder, by_ranks, saved);
        ::usleep(1000 + inputs::word(by_ranks ? 1 : 2, static_cast<std::uint64_t>(i)) % 40'000);
        ::kill(child, SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFSIGNALED(status));

        training found(checkpoints::policies().front(), 44);
        if (!load_run(folder, found, by_ranks)) {
            CHECK(saved.steps->load() == 0);
            continue;
        }
        ++loads;
        // The last that save returned from, or the next, which it was about to.
        const std::int64_t step = found.optimizer.step_count();
        CHECK(step >= saved.steps->load());
        CHECK(step <= saved.steps->load() + 1);
        CHECK(step >= last);
        last = step;
        saved.steps->store(step);
        while (reference.optimizer.step_count() < step) next_step(reference);
        CHECK(found.digest() == reference.digest());
    }
    CHECK(loads > kills / 2);
    // Nothing of the dead stays when a writer has been through, but rank files of the last one.
    training run(checkpoints::policies().front(), 1);
    load_run(folder, run, by_ranks);
    next_step(run);
    save_run(folder, run, by_ranks);
    CHECK(folder.files().size() == (by_ranks ? 1 + writers : 2));
    MESSAGE(kills << " kills, " << loads << " checkpoints loaded, the last of step " << last);
}

}  // namespace

TEST_CASE("killed while saving: the last complete checkpoint loads") {
    kill_and_load(20, false);
    kill_and_load(10, true);
}

TEST_SUITE("exhaustive") {
    TEST_CASE("killed 200 times while saving") {
        kill_and_load(140, false);
        kill_and_load(60, true);
    }
}
