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
#include <chrono>
#include <csignal>
#include <new>
#include <thread>

namespace {

using namespace adamant;
using checkpoints::training;

constexpr int writers = 3;

//! What writers say; seen by all processes.
struct progress_report {
    std::atomic<std::int64_t> saved{0};   //!< the step that save returned from last
    std::atomic<std::int64_t> starts{0};  //!< writers that have loaded and go on
    std::atomic<std::int64_t> saves{0};   //!< of the writer that started last
};
class shared_report {
public:
    shared_report()
        : place_(::mmap(nullptr, sizeof(progress_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0)) {
        REQUIRE(place_ != MAP_FAILED);
        new (place_) progress_report;
    }
    shared_report(const shared_report&) = delete;
    shared_report& operator=(const shared_report&) = delete;
    ~shared_report() { ::munmap(place_, sizeof(progress_report)); }
    progress_report* operator->() const { return static_cast<progress_report*>(place_); }

private:
    void* place_;
};

//! The next step depends on the step count alone, and is never one that is skipped.
void next_step(training& run) { run.step(static_cast<std::uint64_t>(7 * run.optimizer.step_count())); }

void save_run(const checkpoints::scratch& folder, training& run, bool by_ranks) {
    if (!by_ranks) {
        safetensors::checkpoint_folder(folder.folder(), 2).save(run.optimizer, run.views());
        return;
    }
    const std::string index = folder / "run.json", id = "n" + std::to_string(run.optimizer.step_count()) +
                                                        "p" + std::to_string(::getpid());
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
[[noreturn]] void write_until_killed(const checkpoints::scratch& folder, bool by_ranks,
                                     const shared_report& says) {
    try {
        training run(checkpoints::policies().front(), 1);
        load_run(folder, run, by_ranks);
        says->saves = 0;
        ++says->starts;
        for (;;) {
            next_step(run);
            save_run(folder, run, by_ranks);
            says->saved = run.optimizer.step_count();
            ++says->saves;
        }
    } catch (const std::exception& e) { std::fprintf(stderr, "%s\n", e.what()); }
    ::_exit(1);
}

std::chrono::duration<double> time_of_a_save(bool by_ranks) {
    const checkpoints::scratch folder;
    training run(checkpoints::policies().front(), 1);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 3; ++i) save_run(folder, run, by_ranks);
    return (std::chrono::steady_clock::now() - start) / 3;
}

void kill_and_load(int kills, bool by_ranks) {
    const checkpoints::scratch folder;
    const shared_report says;
    training reference(checkpoints::policies().front(), 1);
    std::int64_t loads = 0, last = 0;
    const auto save_time = time_of_a_save(by_ranks);
    for (int i = 0; i < kills; ++i) {
        const pid_t child = ::fork();
        if (child == 0) write_until_killed(folder, by_ranks, says);
        while (says->starts == i || says->saves < i % 3) {  // then within its first save, or second, or third
            REQUIRE(::waitpid(child, nullptr, WNOHANG) == 0);
            ::usleep(100);
        }
        const auto when = static_cast<std::uint64_t>(i);
        const double part = inputs::word(by_ranks ? 1 : 2, when) / 4294967296.0;
        std::this_thread::sleep_for(part * save_time);
        ::kill(child, SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFSIGNALED(status));

        training found(checkpoints::policies().front(), 44);
        if (!load_run(folder, found, by_ranks)) {
            CHECK(says->saved == 0);
            continue;
        }
        ++loads;
        // The last that save returned from, or the next, which it was about to.
        const std::int64_t step = found.optimizer.step_count();
        CHECK(step >= says->saved);
        CHECK(step <= says->saved + 1);
        CHECK(step >= last);
        last = step;
        says->saved = step;
        while (reference.optimizer.step_count() < step) next_step(reference);
        CHECK(found.digest() == reference.digest());
    }
    CHECK(loads >= kills - 1);  // the first alone may have had nothing saved
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
