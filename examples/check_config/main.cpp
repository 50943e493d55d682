// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! check_config: what a trainer's YAML file resolves to, before it waits in a queue.
//!
//!   check_config FILE [--path a.b.c] [--mode fp32|bf16|fp16] [--dialect verl|megatron|adamant] [--steps N]
//!   [--json] check_config --rows FILE.jsonl
//!
//! Exit code: 0 accepted, 1 refused (the reason is on stderr), 2 usage.

#include "judge.hpp"

#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace check_config;

constexpr const char* usage =
    "usage: check_config FILE [--path a.b.c] [--mode fp32|bf16|fp16] [--dialect verl|megatron|adamant] "
    "[--steps N] "
    "[--json]\n"
    "       check_config --rows FILE.jsonl\n"
    "  --path     the optimizer's section, 'actor.optim'; a trailing #1 picks the second document\n"
    "  --mode     the dtype of the model's weights, where the file does not say it\n"
    "  --steps    total_training_steps, which trainers fill in at run time\n"
    "  --json     print JSON instead of text\n"
    "  --rows     read one JSON object a line (optim, fp16, bf16, use_distributed_optimizer, "
    "override_ddp_config)\n"
    "             and print one verdict a line\n"
    "exit code: 0 accepted, 1 refused (the reason is on standard error), 2 usage\n";

struct arguments {
    std::string file;
    std::string path;
    yaml::load_options options;
    bool as_json = false;
    bool rows = false;
};

std::optional<dtype> mode_named(std::string_view name) {
    for (const dtype mode : {dtype::fp32, dtype::bf16, dtype::fp16})
        if (to_string(mode) == name) return mode;
    return std::nullopt;
}

std::optional<arguments> parse(int count, char** values) {
    arguments a;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = values[i];
        const auto next = [&]() -> std::optional<std::string> {
            if (i + 1 >= count) return std::nullopt;
            return values[++i];
        };
        if (word == "--json") {
            a.as_json = true;
        } else if (word == "--path" || word == "--mode" || word == "--dialect" || word == "--steps" ||
                   word == "--rows") {
            const auto value = next();
            if (!value) return std::nullopt;
            if (word == "--path") a.path = *value;
            if (word == "--rows") {
                if (!a.file.empty()) return std::nullopt;
                a.rows = true;
                a.file = *value;
            }
            if (word == "--mode" && !(a.options.mode = mode_named(*value))) return std::nullopt;
            if (word == "--dialect") {
                if (*value == "verl") a.options.dialect = yaml::dialect::verl;
                else if (*value == "megatron") a.options.dialect = yaml::dialect::megatron;
                else if (*value == "adamant") a.options.dialect = yaml::dialect::adamant;
                else return std::nullopt;
            }
            if (word == "--steps") {
                const auto steps = yaml::parse_integer(*value);
                if (!steps || *steps <= 0) return std::nullopt;
                a.options.total_training_steps = *steps;
            }
        } else if (word.starts_with("-") || !a.file.empty()) {
            return std::nullopt;
        } else {
            a.file = word;
        }
    }
    return a.file.empty() ? std::nullopt : std::optional(a);
}

int check_rows(const std::string& file) {
    std::ifstream rows(file);
    std::string line;
    if (!rows || !rows.good()) {
        std::cerr << file << ": [adamant] rows are a readable file: this one cannot be opened.\n";
        return 1;
    }
    int number = 0;
    while (std::getline(rows, line)) {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const std::string name = file + ":" + std::to_string(number);
        try {
            std::cout << dump(judge_row(json::parse(line), name)) << "\n";
        } catch (const json::exception& e) {
            std::cerr
                << name
                << ": [adamant] a row is a JSON object with optim, fp16, bf16, use_distributed_optimizer and "
                   "override_ddp_config: "
                << e.what() << "\n";
            return 1;
        }
    }
    if (rows.bad() || number == 0) {
        std::cerr << file << ": [adamant] rows are a file with one JSON object a line: this one has none.\n";
        return 1;
    }
    return 0;
}

void print(const yaml::resolution& r, const std::string& schedule_note) {
    std::cout << "policy            " << describe(canonical(r.policy)) << "\n"
              << "bytes/parameter   " << bytes_per_param(r.policy) << "\n"
              << "weights           " << to_string(r.policy.mode) << "\n"
              << "master            " << to_string(r.policy.main_params.kind) << "\n"
              << "main_grads        " << to_string(r.policy.main_grads) << ", bucket "
              << to_string(r.policy.grad_bucket) << "\n"
              << "exp_avg           " << to_string(r.policy.exp_avg.kind) << "\n"
              << "exp_avg_sq        " << to_string(r.policy.exp_avg_sq.kind) << "\n"
              << "lr                " << r.hyper.lr << ", betas " << r.hyper.beta1 << " and " << r.hyper.beta2
              << ", eps " << r.hyper.eps << ", weight decay " << r.hyper.weight_decay
              << (r.hyper.decoupled ? " (AdamW)" : " (L2)") << "\n";
    if (r.loss_scaler) {
        std::cout << "loss scale        ";
        if (r.loss_scaler->loss_scale) std::cout << "constant " << *r.loss_scaler->loss_scale << "\n";
        else std::cout << "dynamic, from " << r.loss_scaler->initial_loss_scale << "\n";
    }
    std::cout << "schedule          " << schedule_note << "\n";
    for (const std::string& warning : r.warnings) std::cout << "warning           " << warning << "\n";
}

//! The schedule in words. Without the number of steps there is none yet; any other error is the file's.
std::string schedule_of(const yaml::resolution& r) {
    try {
        if (!r.schedule()) return "none in this dialect";
        return r.settings.lr_decay_style + ", " + std::to_string(r.settings.lr_warmup_steps) +
               " steps of warm-up, " + std::to_string(r.settings.lr_decay_steps) + " in all";
    } catch (const yaml::located_error& e) {
        if (r.settings.total_training_steps > 0 || !e.at().key.ends_with("lr_decay_steps")) throw;
        return r.settings.lr_decay_style + ", once total_training_steps is known (--steps)";
    }
}

int check_file(const arguments& a) {
    try {
        const yaml::resolution r = yaml::resolve(yaml::load(a.file, a.path, a.options));
        const std::string note = schedule_of(r);
        if (a.as_json) std::cout << dump(accepted(r), 2) << "\n";
        else print(r, note);
        return 0;
    } catch (const yaml::located_error& e) {
        if (a.as_json) std::cout << dump(refused(e.sentence(), yaml::to_string(e.at().where)), 2) << "\n";
        std::cerr << e.what() << "\n";
        return 1;
    }
}

}  // namespace

int main(int count, char** values) {
    const std::string_view first = count == 2 ? values[1] : "";
    if (first == "--help" || first == "-h") {
        std::cout << usage;
        return 0;
    }
    const auto a = parse(count, values);
    if (!a) {
        std::cerr << usage;
        return 2;
    }
    try {
        return a->rows ? check_rows(a->file) : check_file(*a);
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
}
