// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Where checkpoints go: folders of them, disks without room, folders without permission, the schedule,
//! progress.
#include "complaint.hpp"
#include "scratch.hpp"
#include "training.hpp"

#include <adamant/safetensors/safetensors.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

namespace {

using namespace adamant;
using checkpoints::complaint, checkpoints::has, checkpoints::training;

//! Runs f in a child process, that may do to itself what it likes; yields whether it returned true.
template <class F>
bool in_child(F&& f) {
    const pid_t child = ::fork();
    if (child == 0) {
        bool holds = false;
        try {
            holds = f();
        } catch (const std::exception& e) { std::fprintf(stderr, "%s\n", e.what()); }
        ::_exit(holds ? 0 : 1);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("a folder keeps the newest checkpoints and loads the newest") {
    const checkpoints::scratch scratch;
    const policy_spec& spec = checkpoints::policies().front();
    training run(spec), other(spec, 5);
    const safetensors::checkpoint_folder folder(scratch / "deep/run", 2), all(scratch / "deep/run");
    CHECK_FALSE(folder.newest());
    CHECK_FALSE(folder.load_newest(other.optimizer, other.views()));
    for (std::uint64_t i = 0; i < 12; ++i) {
        run.step(i);
        folder.save(run.optimizer, run.views());
    }
    // Steps 3 and 10 were skipped: they are not counted.
    REQUIRE(folder.list().size() == 2);
    CHECK(folder.list()[0].step == 9);
    CHECK(folder.newest()->step == 10);
    CHECK(folder.newest()->path == folder.path_of(10));
    const auto result = folder.load_newest(other.optimizer, other.views());
    REQUIRE(result);
    CHECK(result->record.run.step == 10);
    CHECK(other.digest() == run.digest());

    // What is no checkpoint is neither counted nor removed; what a killed writer left is removed.
    for (const char* name : {"step-1.safetensors.123.tmp", "step-.safetensors", "step-07.safetensors",
                             "step-99.safetensors.bak", "notes.txt", "step-8.safetensors.x.tmp"})
        checkpoints::write_bytes(scratch / ("deep/run/" + std::string(name)), "x");
    run.steps(12, 13);
    all.save(run.optimizer, run.views());
    CHECK(all.list().size() == 3);
    CHECK_FALSE(std::filesystem::exists(scratch / "deep/run/step-1.safetensors.123.tmp"));
    for (const char* name :
         {"step-.safetensors", "step-07.safetensors", "notes.txt", "step-8.safetensors.x.tmp"})
        CHECK(std::filesystem::exists(scratch / ("deep/run/" + std::string(name))));

    // Who went back removes later checkpoints himself: none of another history goes by itself.
    safetensors::load(folder.path_of(9), other.optimizer, other.views());
    folder.save(other.optimizer, other.views());
    CHECK(folder.newest()->step == 11);
    checkpoints::write_bytes(scratch / "file", "");
    CHECK(has(complaint([&] { safetensors::checkpoint_folder(scratch / "file"); }), "file"));
}

TEST_CASE("a disk that is full: a clear error, the old file, and no leftovers") {
    const checkpoints::scratch scratch;
    const policy_spec& spec = checkpoints::policies().front();
    training run(spec), other(spec, 5);
    run.steps(0, 2);
    const std::string file = scratch / "a.safetensors";
    safetensors::save(file, run.optimizer, run.views());
    const std::string before = checkpoints::bytes_of(file);
    run.steps(2, 4);
    for (const rlim_t limit : std::initializer_list<rlim_t>{0, 100, 5000, 20000}) {
        CAPTURE(limit);
        // A limit on the size of files fails as a full disk does, for every user.
        CHECK(in_child([&] {
            ::signal(SIGXFSZ, SIG_IGN);
            const rlimit small{limit, limit};
            if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return false;
            const std::string text = complaint([&] { safetensors::save(file, run.optimizer, run.views()); });
            return has(text, file) && has(text, "File too large") && has(text, "what was there before stays");
        }));
        CHECK(checkpoints::bytes_of(file) == before);
        CHECK(scratch.files() == std::vector<std::string>{"a.safetensors"});
    }
    CHECK(has(complaint([&] { safetensors::save("/dev/full/a", run.optimizer, run.views()); }),
              "Not a directory"));
    safetensors::save(file, run.optimizer, run.views());
    safetensors::load(file, other.optimizer, other.views());
    CHECK(other.digest() == run.digest());
}

TEST_CASE("a folder that cannot be written: a clear error and the old file") {
    const checkpoints::scratch scratch;
    const policy_spec& spec = checkpoints::policies().front();
    training run(spec), other(spec, 5);
    std::filesystem::create_directory(scratch / "read-only");
    const std::string file = scratch / "read-only/a.safetensors";
    safetensors::save(file, run.optimizer, run.views());
    const std::string before = checkpoints::bytes_of(file);
    std::filesystem::permissions(scratch / "read-only", std::filesystem::perms(0555));
    run.steps(0, 1);
    CHECK(in_child([&] {
        // Root may write everywhere: another user.
        if (::geteuid() == 0) {
            std::filesystem::permissions(scratch.folder(), std::filesystem::perms(0755));
            if (::setgid(65534) != 0 || ::setuid(65534) != 0) return false;
        }
        const std::string text = complaint([&] { safetensors::save(file, run.optimizer, run.views()); });
        return has(text, file) && has(text, "Permission denied") && has(text, "what was there before stays");
    }));
    CHECK(checkpoints::bytes_of(file) == before);
    std::filesystem::permissions(scratch / "read-only", std::filesystem::perms(0755));
    CHECK(has(complaint([&] { safetensors::save(scratch / "no/a.safetensors", run.optimizer, run.views()); }),
              "No such file"));
}

TEST_CASE("the schedule's position comes back in every case, its shape where it is asked for") {
    const checkpoints::scratch scratch;
    const policy_spec& spec = checkpoints::policies().front();
    const std::string file = scratch / "a.safetensors";
    training run(spec);
    run.steps(0, 9);
    safetensors::save(file, run.optimizer, run.views());
    schedule_settings other = checkpoints::usual_schedule;
    other.lr = 1e-3;
    other.style = lr_decay_style::wsd;
    other.lr_wsd_decay_steps = 7;
    for (const bool saved : {false, true}) {
        training next(spec, 8, checkpoints::usual, other);
        const auto result = safetensors::load(file, next.optimizer, next.views(),
                                              {.use_checkpoint_opt_param_scheduler = saved});
        safetensors::load(file, next.optimizer, next.views(), {.use_checkpoint_opt_param_scheduler = saved});
        CHECK(result.record.schedule_position == 8);
        CHECK(next.optimizer.schedule_position() == 8);  // twice loaded, not twice advanced
        CHECK(next.step(9).lr == schedule(saved ? checkpoints::usual_schedule : other).lr(8));
    }
    // All of its shape is kept.
    training wsd(spec, 8, checkpoints::usual, other);
    safetensors::save(file, wsd.optimizer, wsd.views());
    safetensors::load(file, run.optimizer, run.views(), {.use_checkpoint_opt_param_scheduler = true});
    for (std::int64_t n = 0; n < 70; ++n) CHECK(run.optimizer.schedule()->lr(n) == schedule(other).lr(n));

    // Without a schedule, asked for.
    run.optimizer.set_schedule(std::nullopt);
    safetensors::save(file, run.optimizer, run.views());
    CHECK(has(complaint([&] {
                  safetensors::load(file, run.optimizer, run.views(),
                                    {.use_checkpoint_opt_param_scheduler = true});
              }),
              "it has none"));
    CHECK_THROWS_AS(safetensors::save(file, run.optimizer, run.views(), {.schedule_position = -1}),
                    state_error);
}

TEST_CASE("64-bit numbers, the caller's texts and progress") {
    const checkpoints::scratch scratch;
    const std::string file = scratch / "a.safetensors";
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
    std::vector<float> weight(5'000'000, 1.0f);
    const std::vector<std::span<float>> params{weight};
    using plain = policy<mode<fp32>>;
    adam<plain> run(params, {.seed = std::numeric_limits<std::uint64_t>::max()}), other(params, {});
    run.set_step_count(last - 1);
    std::vector<safetensors::progress> seen;
    const auto see = [&](const safetensors::progress& p) { seen.push_back(p); };
    const auto check_progress = [&] {
        REQUIRE(seen.size() > 3);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            CHECK(seen[i].total == 60'000'000);
            CHECK(seen[i].done > (i == 0 ? 0 : seen[i - 1].done));
        }
        CHECK(seen.back().done == seen.back().total);
        seen.clear();
    };
    safetensors::save(file, run, params,
                      {.schedule_position = last, .metadata = {{"note", "a\"b"}}, .on_progress = see});
    check_progress();
    const auto result = safetensors::load(file, other, params, {.on_progress = see});
    check_progress();
    CHECK(other.step_count() == last - 1);
    CHECK(other.hyper().seed == std::numeric_limits<std::uint64_t>::max());
    CHECK(result.record.schedule_position == last);
    CHECK(result.user_metadata == safetensors::text_map{{"note", "a\"b"}});
    // A callback may end a save: the old file stays.
    CHECK_THROWS_AS(safetensors::save(file, run, params, {.on_progress = [](const auto&) { throw 1; }}), int);
    CHECK(scratch.files() == std::vector<std::string>{"a.safetensors"});
}
