// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Times the step of every policy against its memory twin, on the lists of models that people train.
#include "peers.hpp"
#include "report.hpp"

#include <cstring>
#include <iterator>
#include <optional>

namespace {

using namespace bench;

constexpr const char* usage =
    "usage: step [--quick] [--only WORD] [--json FILE] [--chart FILE]\n"
    "  --quick        one size and two lists per policy, within 50 seconds\n"
    "  --only WORD    the policies whose name holds it\n"
    "  --json FILE    the measurements as a list of objects\n"
    "  --chart FILE   the single tensor's rows for chart.gp\n";

struct command_line {
    bool quick = false;
    std::string only, json, chart;
};

std::optional<command_line> parsed(int count, char** words) {
    command_line result;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        std::string* const value = word == "--only"    ? &result.only
                                   : word == "--json"  ? &result.json
                                   : word == "--chart" ? &result.chart
                                                       : nullptr;
        if (word == "--quick") {
            result.quick = true;
        } else if (value != nullptr && i + 1 < count) {
            *value = words[++i];
        } else {
            std::fprintf(stderr, "step: %s: %s\n%s", word.c_str(),
                         value ? "a value is missing" : "no such option", usage);
            return std::nullopt;
        }
    }
    return result;
}

struct case_to_time {
    std::string list;
    sizes tensors;
    int threads;
    double seconds;
};

std::vector<case_to_time> cases(bool quick, int threads) {
    constexpr std::int64_t dram = 20 << 20, l3 = 1 << 20;
    if (quick)
        return {{"single", {dram}, threads, 0.2},
                {"resnet50", resnet50(), threads, 0.2},
                {"tiny", tiny(), threads, 0.06}};
    return {{"single", {l3}, 1, 1},       {"single", {l3}, threads, 1},
            {"single", {dram}, 1, 2},     {"single", {dram}, threads, 3},
            {"gpt2", gpt2(), threads, 3}, {"resnet50", resnet50(), threads, 2},
            {"tiny", tiny(), threads, 1}};
}

std::vector<candidate> candidates(const std::string& only) {
    std::vector<candidate> result;
    for (auto make : {verl_candidates, bf16_candidates, narrow_candidates})
        for (candidate& c : make())
            if (c.name.find(only) != std::string::npos) result.push_back(std::move(c));
    return result;
}

//! Peers and adamant's fp32 step in turns, on many small tensors and on a large one. The shortest times are
//! compared: threads of OpenMP spin on after their region, and with it in adamant's.
void compare_with_peers(const candidate& fp32, int threads, double seconds) {
    const adamant::executor pool = adamant::thread_pool(threads);
    for (const auto& [name, list] : {std::pair{"tiny", tiny()}, {"single", sizes{8 << 20}}}) {
        const auto ours = fp32.make(list, spread::wide, pool);
        for (const peer& p : {naive_loop(), openmp_loop(), torch_adamw()}) {
            if (!p.make) continue;
            const auto theirs = p.make(list);
            const auto t = in_turns<2>(seconds, {[&] { ours->step_with_norm(); }, theirs}, {});
            std::printf("%-9s %-26s %9.1f us, adamant with its norm %9.1f us: %.1f times\n", name,
                        p.name.c_str(), t.shortest(1) * 1e6, t.shortest(0) * 1e6,
                        t.shortest(1) / t.shortest(0));
        }
    }
}

int run(const command_line& options) {
    const int threads = adamant::usable_cpus::of_process().threads();
    const std::vector<candidate> policies = candidates(options.only);
    if (policies.empty()) {
        std::fprintf(stderr, "step: --only %s: no policy has that in its name\n", options.only.c_str());
        return 2;
    }
    std::printf(
        "%s, %d threads. xbare: L2 over a root and a division; %%roof: max(twin, L2 all) over the step. "
        "~: a neighbour on the core nearly all the time.\n",
        std::string(to_string(adamant::active_instruction_set())).c_str(), threads);
    print_header();
    usual_rate rate(options.quick ? 4 : 300);
    std::vector<measurement> all, single;
    for (const candidate& policy : policies) {
        const cache_times cache = measure_cache(policy, options.quick ? 0.1 : 1, rate);
        for (const case_to_time& c : cases(options.quick, threads)) {
            all.push_back(measure(policy, c.list, c.tensors, c.threads, cache, c.seconds, rate));
            print(all.back());
        }
        // The chart shows the largest single tensor at all threads.
        const auto is_single = [&](const measurement& m) {
            return m.list == "single" && m.threads == threads;
        };
        const auto last = std::find_if(all.rbegin(), all.rend(), is_single);
        if (last != all.rend()) single.push_back(*last);
    }
    std::printf("\n%-6s %-6s %-6s  norm pass ns/param, over its twin; gradients wide over narrow in L2\n",
                "norm", "xread", "wide");
    for (const measurement& m : single)
        std::printf("%6.3f %6.2f %6.2f  %s\n", m.norm_ns, m.norm_over_read, m.l2_ns / m.narrow_ns,
                    m.policy.c_str());
    std::printf("\n");
    compare_with_peers(policies.front(), threads, options.quick ? 0.2 : 2);
    if (!options.json.empty()) write_json(options.json, all);
    if (!options.chart.empty()) write_chart_data(options.chart, single);
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count == 2 && (std::strcmp(words[1], "--help") == 0 || std::strcmp(words[1], "-h") == 0)) {
        std::printf("%s", usage);
        return 0;
    }
    const auto options = parsed(count, words);
    if (!options) return 2;
    try {
        return run(*options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "step: %s\n", error.what());
        return 1;
    }
}
