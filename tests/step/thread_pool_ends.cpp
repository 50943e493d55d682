// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! How a program with pools and optimizers in static objects can end, and what a child of it can do.
//! Usage: thread_pool_ends WAY. It returns 0, and it returns.
#include <adamant/optimizer/adam.hpp>
#include <adamant/policy/presets.hpp>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

using namespace adamant;

namespace {

//! A model in static memory, large enough for the pool.
struct static_model {
    std::vector<float> weights = std::vector<float>(50000, 1.0f), grads = std::vector<float>(50000, 0.5f);
    adam<presets::full_fp32> optimizer;

    explicit static_model(const optimizer_options& options)
        : optimizer(std::vector{std::span(weights)}, {}, options) {}
    ~static_model() { step(); }  // after the process's pool has ended its threads

    void step() {
        optimizer.step(std::vector{std::span(weights)}, std::vector{std::span<const float>(grads)});
    }
};

//! Whether a step on this model gives the bits of the same step on one thread.
bool steps_right(static_model& model) {
    static_model serial({.executor = serial_executor{}});
    for (std::int64_t i = model.optimizer.step_count(); serial.optimizer.step_count() <= i;) serial.step();
    model.step();
    return model.weights == serial.weights;
}

static_model on_process_pool({});
static_model on_own_pool({.executor = thread_pool(3)});
thread_pool pool(3);

bool all_step_right() { return steps_right(on_process_pool) && steps_right(on_own_pool); }

//! Calls f in a task on a thread of the pool that is not the calling one; it may not come back.
template <class F>
void in_worker(F f) {
    const auto here = std::this_thread::get_id();
    std::atomic<bool> called = false;
    const auto function = [&](std::int64_t) {
        if (std::this_thread::get_id() == here)  // leaves time for the others to take their share
            std::this_thread::sleep_for(std::chrono::milliseconds(called ? 0 : 5));
        else if (!called.exchange(true)) f();
    };
    while (!called) pool.run(3, task(function));
}

//! The exit status of a child that does this; 99 where it crashed or hung.
template <class F>
int status_of_child(F f) {
    const pid_t pid = fork();
    if (pid == 0) f();
    for (int i = 0; i < 3000; ++i) {
        int status = 0;
        if (waitpid(pid, &status, WNOHANG) == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(pid, SIGKILL);
    return 99;
}

[[noreturn]] void exit_only() { std::exit(0); }
[[noreturn]] void step_and_exit() { std::exit(all_step_right() && all_step_right() ? 0 : 1); }
[[noreturn]] void have_a_child_and_exit() { std::exit(status_of_child(step_and_exit)); }

int run(std::string_view way) {
    if (!all_step_right()) return 1;
    if (way == "return") return 0;
    if (way == "exit_in_thread") {
        std::thread(exit_only).detach();
        const auto nothing = [](std::int64_t) {};
        for (;;) process_pool{}.run(9, task(nothing));
    }
    if (way == "exit_in_task") in_worker(exit_only);
    if (way == "exit_in_callers_task") {
        const auto function = [](std::int64_t number) {
            if (number == 0) exit_only();
        };
        pool.run(3, task(function));
    }
    if (way == "child_exits") return status_of_child(exit_only);
    if (way == "child_steps") return status_of_child(step_and_exit) + status_of_child(step_and_exit);
    if (way == "grandchild_steps") return status_of_child(have_a_child_and_exit);
    if (way == "child_of_task") {
        int status = -1;
        in_worker([&] { status = status_of_child(step_and_exit); });
        return status;
    }
    if (way == "child_during_regions") {  // locks of the pool are held while it is made
        std::atomic<bool> done = false;
        std::thread other([&] {
            const auto nothing = [](std::int64_t) {};
            while (!done) process_pool{}.run(9, task(nothing));
        });
        int worst = 0;
        for (int i = 0; i < 20; ++i) worst = std::max(worst, status_of_child(step_and_exit));
        done = true;
        other.join();
        return worst;
    }
    if (way == "library_unloads") {
        void* const library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
        const auto run_100_tasks =
            library != nullptr ? reinterpret_cast<int (*)()>(dlsym(library, "run_100_tasks")) : nullptr;
        if (run_100_tasks == nullptr || run_100_tasks() != 100 || dlclose(library) != 0) return 1;
        if (dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD) != nullptr) return 3;  // it stayed: nothing was tried
        std::this_thread::sleep_for(std::chrono::milliseconds(5));        // a thread left there would crash
        return status_of_child(step_and_exit);
    }
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    const int status = argc == 2 ? run(argv[1]) : 2;
    if (status != 0) std::fprintf(stderr, "thread_pool_ends: %d\n", status);
    return status;
}
