// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Golden trajectories of 50 steps, computed in numpy: the product stays within the tolerances that came with
//! them, remainder16 equals the fp32 master bit for bit, lower moments are no further from double than
//! others' are, and the loss scaler's log is exact.
#include "directories.hpp"

#include <unjudged.hpp>

#include <adamant/adamant.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <span>

namespace {

using cases::json;
using namespace adamant;

std::vector<std::uint32_t> words(const std::string& hex, std::size_t digits) {
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < hex.size(); i += digits)
        result.push_back(static_cast<std::uint32_t>(std::stoul(hex.substr(i, digits), nullptr, 16)));
    return result;
}

std::vector<float> floats(const std::string& hex) {
    std::vector<float> result;
    for (const std::uint32_t word : words(hex, 8)) result.push_back(from_bits(word));
    return result;
}

template <class A, class B>
double largest_difference(const std::vector<A>& a, const std::vector<B>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
    return largest;
}

//! An optimizer over one tensor that runs a golden file's steps.
template <class Policy>
class runner {
public:
    using optimizer_type = adam<Policy>;
    using param_t = typename optimizer_type::param_t;
    using grad_t = typename optimizer_type::grad_t;

    explicit runner(const json& golden, optimizer_options options = {}, std::uint64_t seed = 0)
        : golden_(golden),
          start_(floats(golden["p0"])),
          params_(start_.size()),
          optimizer_(lists(), hyper(golden, seed), unjudged(std::move(options))) {
        const std::vector<std::span<const float>> values{start_};
        optimizer_.init_masters(lists(), values);
        if (golden.contains("m0")) {
            optimizer_.import_fp32(slot::exp_avg, 0, floats(golden["m0"]));
            optimizer_.import_fp32(slot::exp_avg_sq, 0, floats(golden["v0"]));
        }
        optimizer_.set_step_count(golden.value("step_offset", 0));
    }

    step_result step(std::size_t i) {
        std::vector<grad_t> grads;
        if (golden_.contains("grads_f32_hex")) {
            for (const float g : floats(golden_["grads_f32_hex"][i])) grads.push_back(round_to<grad_t>(g));
        } else if constexpr (std::is_same_v<grad_t, float16>) {
            for (const std::uint32_t g : words(golden_["scaled_grads_fp16_hex"][i], 4))
                grads.push_back({static_cast<std::uint16_t>(g)});
        }
        const std::vector<std::span<const grad_t>> gradients{grads};
        step_options options;
        if (golden_.contains("lr_per_step")) {
            options.lr = golden_["lr_per_step"][i];
            options.weight_decay = golden_["wd_per_step"][i];
        }
        return optimizer_.step(lists(), gradients, options);
    }

    std::vector<float> master() {
        return optimizer_.export_fp32(slot::main_params, 0, std::span<param_t>(params_));
    }
    const std::vector<param_t>& params() const { return params_; }
    optimizer_type& optimizer() { return optimizer_; }

private:
    std::vector<std::span<param_t>> lists() { return {params_}; }

    static hyperparameters hyper(const json& golden, std::uint64_t seed) {
        const json& h = golden["hyper"];
        hyperparameters result{.beta1 = h["b1"], .beta2 = h["b2"], .eps = h["eps"]};
        result.bias_correction = golden.value("bias_correction", true);
        result.decoupled = golden["mode"].get<std::string>().starts_with("decoupled");
        result.clip_grad = golden.contains("clip") && !golden["clip"].is_null()
                               ? golden["clip"]["max_norm"].get<double>()
                               : 0.0;
        result.seed = seed;
        if (h.contains("lr")) result.lr = h["lr"], result.weight_decay = h["wd"];
        return result;
    }

    const json& golden_;
    std::vector<float> start_;
    std::vector<param_t> params_;
    optimizer_type optimizer_;
};

//! Calls judge(steps so far, snapshot) after each step that the variant has a snapshot of.
template <class Policy, class F>
void run(const json& golden, const std::string& variant, F&& judge) {
    runner<Policy> r(golden);
    int snapshots = 0;
    for (std::size_t i = 0; i < golden["lr_per_step"].size(); ++i) {
        const step_result result = r.step(i);
        REQUIRE(result.status == step_status::applied);
        if (!golden["clip"].is_null()) {
            const double norm = golden["clip"]["norm"][i], coefficient = golden["clip"]["coef"][i];
            CHECK(std::abs(result.grad_norm - norm) <= 1e-12 * norm);
            CHECK(static_cast<float>(result.clip_coefficient) == static_cast<float>(coefficient));
        }
        const std::string step = std::to_string(i + 1);
        if (!golden["variants"][variant].contains(step)) continue;
        ++snapshots;
        CAPTURE(step);
        judge(r, golden["variants"][variant][step]);
    }
    CHECK(snapshots == static_cast<int>(golden["snapshots"].size()));
}

using remainder_master = policy<mode<bf16>, precision_aware>;
using bf16_moments = policy<mode<fp32>, precision_aware, exp_avg<bf16>, exp_avg_sq<bf16>>;

}  // namespace

TEST_CASE("golden trajectories") {
    int sets = 0;
    for (const auto& file : cases::files("golden", "", ".json")) {
        const std::string name = file.filename();
        if (name.starts_with("golden_tolerances") || name.find('_') == std::string::npos) continue;
        const json golden = cases::read_json(file);
        CAPTURE(file.string());
        if (!golden.contains("grads_f32_hex")) continue;
        ++sets;
        const json tolerances =
            cases::read_json(file.parent_path() / ("golden_tolerances." + name.substr(0, name.find('_')) +
                                                   ".json"))[golden["id"].get<std::string>()];
        const double f32_abs = tolerances["f32_abs"], bf16_mv_abs = tolerances["bf16_mv_abs"];

        run<presets::full_fp32>(golden, "f32", [&](auto& r, const json& snapshot) {
            CHECK(largest_difference(r.params(), floats(snapshot["p"])) <= f32_abs);
        });
        // As far from double as the fp32 variant is, but for our order of operations: a quarter of its limit.
        run<presets::full_fp32>(golden, "f64", [&](auto& r, const json& snapshot) {
            const auto exact = snapshot["p"].template get<std::vector<double>>();
            const std::string step =
                std::to_string(r.optimizer().step_count() - golden.value("step_offset", 0));
            const auto in_fp32 = floats(golden["variants"]["f32"][step]["p"]);
            CHECK(largest_difference(r.params(), exact) <= largest_difference(in_fp32, exact) + f32_abs / 4);
        });
        run<remainder_master>(golden, "rem16", [&](auto& r, const json& snapshot) {
            const auto weights = words(snapshot["p16"], 4), remainders = words(snapshot["rem16"], 4);
            std::vector<float> master;
            for (std::size_t i = 0; i < weights.size(); ++i)
                master.push_back(join_remainder16({static_cast<std::uint16_t>(weights[i])},
                                                  static_cast<std::int16_t>(remainders[i])));
            CHECK(largest_difference(r.master(), master) <= f32_abs);
        });
        run<bf16_moments>(golden, "bf16_mv", [&](auto& r, const json& snapshot) {
            CHECK(largest_difference(r.params(), floats(snapshot["p"])) <= bf16_mv_abs);
        });
        run<presets::megatron_bf16>(golden, "bf16p_f32master", [&](auto& r, const json& snapshot) {
            const std::vector<float> master = r.master();
            CHECK(largest_difference(master, floats(snapshot["master"])) <= f32_abs);
            for (std::size_t i = 0; i < master.size(); ++i) CHECK(r.params()[i] == to_bfloat16(master[i]));
        });

        // The remainder against our own fp32 master, and both against the fp32 run.
        runner<presets::full_fp32> plain(golden);
        runner<presets::megatron_bf16> with_master(golden);
        runner<remainder_master> with_remainder(golden);
        for (std::size_t i = 0; i < golden["lr_per_step"].size(); ++i) {
            plain.step(i);
            with_master.step(i);
            with_remainder.step(i);
            CHECK(with_master.master() == plain.params());
            CHECK(with_remainder.master() == plain.params());
        }
    }
    CHECK(sets >= 6);
}

namespace {

//! The weights after the last step, the mean of runs with as many seeds.
template <class Policy>
std::vector<double> mean_of_runs(const json& golden, int seeds) {
    std::vector<double> mean;
    for (int seed = 0; seed < seeds; ++seed) {
        runner<Policy> r(golden, {}, static_cast<std::uint64_t>(seed));
        for (std::size_t i = 0; i < golden["lr_per_step"].size(); ++i)
            REQUIRE(r.step(i).status == step_status::applied);
        mean.resize(r.params().size());
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += double{to_float(r.params()[i])} / seeds;
    }
    return mean;
}

template <class ExpAvg, class ExpAvgSq>
using in_fp32 = policy<mode<fp32>, precision_aware, ExpAvg, ExpAvgSq>;

}  // namespace

// Their scale is per tensor and no power of two, ours per group of 32 and a power of two, so the runs differ;
// what is held is how far the last step is from double. To nearest, one run against one. The e4m3 of fp8 does
// not hold that (8.2e-4 against 6.0e-4 in the worst of 37 elements; the roots of the mean squares are 3.1e-4
// and 3.0e-4): it is held as it is meant to be used, stochastic, in the mean of many seeds, where a bias
// would stay.
TEST_CASE("golden moments of 16 and 8 bits: not further from double than those with a scale per tensor") {
    int sets = 0;
    for (const auto& file : cases::files("golden", "", ".json")) {
        const json golden = cases::read_json(file);
        if (!golden.contains("variants") || !golden["variants"].contains("fp16_mv")) continue;
        ++sets;
        CAPTURE(file.string());
        const std::string last = std::to_string(golden["lr_per_step"].size());
        const auto exact = golden["variants"]["f64"][last]["p"].get<std::vector<double>>();
        const auto theirs = [&](const char* variant) {
            return largest_difference(floats(golden["variants"][variant][last]["p"]), exact);
        };
        const auto ours = [&]<class Policy>(std::type_identity<Policy>, int seeds) {
            return largest_difference(mean_of_runs<Policy>(golden, seeds), exact);
        };
        using halves_to_nearest = in_fp32<exp_avg<fp16, nearest>, exp_avg_sq<fp16, nearest>>;
        using fine_to_nearest = in_fp32<exp_avg<fp8_fine, nearest>, exp_avg_sq<fp32>>;
        CHECK(ours(std::type_identity<halves_to_nearest>{}, 1) <= theirs("fp16_mv"));
        CHECK(ours(std::type_identity<fine_to_nearest>{}, 1) <= theirs("fp8_m"));

        using halves = in_fp32<exp_avg<fp16>, exp_avg_sq<fp16>>;
        using wide = in_fp32<exp_avg<fp8>, exp_avg_sq<fp32>>;
        using fine = in_fp32<exp_avg<fp8_fine>, exp_avg_sq<fp32>>;
        CHECK(ours(std::type_identity<halves>{}, 64) <= theirs("fp16_mv"));
        CHECK(ours(std::type_identity<wide>{}, 64) <= theirs("fp8_m"));
        CHECK(ours(std::type_identity<fine>{}, 64) <= theirs("fp8_m"));
    }
    CHECK(sets >= 1);
}

TEST_CASE("golden loss-scaler logs") {
    int logs = 0;
    for (const auto& file : cases::files("golden", "", ".json")) {
        const json golden = cases::read_json(file);
        if (!golden.contains("log") || !golden.contains("scaled_grads_fp16_hex")) continue;
        ++logs;
        CAPTURE(file.string());
        const json& settings = golden["scaler"];
        using policy_type = policy<mode<fp16>, grad_reduce_in_fp32<false>>;
        runner<policy_type> r(
            golden, {.loss_scaler = loss_scaler_settings{.initial_loss_scale = settings["init"],
                                                         .min_loss_scale = settings["min"],
                                                         .loss_scale_window = settings["growth_interval"],
                                                         .hysteresis = settings["hysteresis"]}});
        for (std::size_t i = 0; i < golden["log"].size(); ++i) {
            const json& log = golden["log"][i];
            CAPTURE(log.dump());
            const std::vector<float> before = r.master();
            CHECK(r.optimizer().loss_scale() == log["scale_used"]);
            const step_result result = r.step(i);
            CHECK((result.status == step_status::skipped_found_inf) == log["found_inf"]);
            CHECK(result.loss_scale == log["scale_after"]);
            CHECK(r.optimizer().scaler()->current().growth == log["growth_tracker"]);
            CHECK(r.optimizer().scaler()->current().hysteresis == log["hysteresis_tracker"]);
            CHECK(r.optimizer().step_count() == log["adam_step"]);
            if (log["found_inf"]) CHECK(r.master() == before);
            const std::string step = std::to_string(i + 1);
            // No tolerance came with these; 3e-7 is the largest of the other sets.
            if (golden["variants"]["f32"].contains(step))
                CHECK(largest_difference(r.master(), floats(golden["variants"]["f32"][step]["p"])) <= 3e-7);
        }
    }
    CHECK(logs >= 1);
}
