// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Train, be killed, resume: the weights at the end are those of a run that was left alone, to the bit.
//!
//! Shows checkpoint_folder (one file per saved step, the newest two kept), load_newest, and what a checkpoint
//! says. The policy rounds stochastically and keeps moments in 8 bits: nothing of it is lost or drawn anew.
//!
//!     cmake --build build --target example_06_checkpoint
//!     build/examples/example_06_checkpoint
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <adamant/adamant.hpp>
#include <adamant/safetensors/safetensors.hpp>

using namespace adamant;
using tiny = policy<mode<bf16>, precision_aware, main_params<remainder8>, main_grads<bf16>, exp_avg<fp8>,
                    exp_avg_sq<fp8>>;

namespace {

constexpr std::int64_t last_step = 60;

//! Weights that are drawn towards a target, and their optimizer.
struct run {
    std::vector<bfloat16> weight = std::vector<bfloat16>(4000, to_bfloat16(1.0f)), grad = weight;
    std::array<tensor_info, 1> tensors{{{.name = "layer.weight", .shape = {40, 100}}}};
    adam<tiny> optimizer{tensors, params(), {.lr = 0.01, .weight_decay = 0}, {.executor = serial_executor{}}};

    std::array<std::span<bfloat16>, 1> params() { return {weight}; }

    void step() {
        for (std::size_t i = 0; i < weight.size(); ++i)
            grad[i] = to_bfloat16(to_float(weight[i]) - static_cast<float>(i) / 1000.0f);
        optimizer.step(params(), std::array{std::span<const bfloat16>(grad)});
    }
};

//! Goes on from the newest checkpoint of the folder, if there is one, and saves after every step. `dies_at`:
//! the step at which the process is killed, in the middle of writing a checkpoint.
void train(run& r, const std::string& name, std::int64_t dies_at) {
    const safetensors::checkpoint_folder folder(name, 2);
    if (const auto loaded = folder.load_newest(r.optimizer, r.params()))
        std::printf("goes on from step %lld of %s\n", static_cast<long long>(loaded->record.run.step),
                    describe(loaded->record.policy).c_str());
    std::fflush(stdout);  // a killed process prints nothing more
    while (r.optimizer.step_count() < last_step) {
        r.step();
        safetensors::save_options options;
        if (r.optimizer.step_count() == dies_at)
            options.on_progress = [](const safetensors::progress&) { std::raise(SIGKILL); };
        folder.save(r.optimizer, r.params(), options);
    }
}

}  // namespace

int main() {
    const std::string folder = "example_06_checkpoints";
    std::filesystem::remove_all(folder);

    // A training in a process of its own, killed twice, and started again each time.
    for (const std::int64_t dies_at : {20, 45}) {
        std::fflush(stdout);  // else the child would print it too
        const pid_t trainer = ::fork();
        if (trainer == 0) {
            run r;
            train(r, folder, dies_at);
            ::_exit(0);  // not reached: it dies before
        }
        int status = 0;
        if (::waitpid(trainer, &status, 0) != trainer || !WIFSIGNALED(status)) return 1;
        std::printf("killed while it saved step %lld\n", static_cast<long long>(dies_at));
    }

    run resumed, uninterrupted;
    train(resumed, folder, -1);
    while (uninterrupted.optimizer.step_count() < last_step) uninterrupted.step();

    const bool same_weights = resumed.weight == uninterrupted.weight;
    const auto master = [](run& r) {
        return r.optimizer.export_fp32(slot::main_params, 0, std::span(r.weight));
    };
    const bool same_masters = master(resumed) == master(uninterrupted);
    std::printf("after step %lld: %s weights and %s masters as without the kills\n",
                static_cast<long long>(last_step), same_weights ? "the same" : "other",
                same_masters ? "the same" : "other");
    const std::size_t kept = safetensors::checkpoint_folder(folder).list().size();
    std::printf("%zu checkpoints are kept; Python reads them with safetensors.safe_open\n", kept);
    std::filesystem::remove_all(folder);
    return same_weights && same_masters && kept == 2 && to_float(resumed.weight[0]) < 0.7f ? 0 : 1;
}
