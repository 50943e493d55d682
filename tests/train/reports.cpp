// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Schedules of issue reports whose numbers come from Megatron-Core's scheduler.
#include <cases/report.hpp>

#include <adamant/train/schedule.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

using cases::report;
using json = nlohmann::json;

void check_close(double got, double expected) {
    CHECK(got == doctest::Approx(expected).epsilon(1e-12).scale(0));
}

}  // namespace

TEST_CASE("B52: the table of all styles") {
    const json all = report("B52");
    const json& in = all["inputs"];
    schedule_settings settings{.lr = in["max_lr"],
                               .min_lr = in["min_lr"],
                               .lr_warmup_init = in["init_lr"],
                               .lr_warmup_steps = in["warm"],
                               .lr_decay_steps = in["decay"],
                               .lr_wsd_decay_steps = 8};
    int tables = 0;
    const auto check_rates = [&](const std::string& name) {
        CAPTURE(name);
        const schedule plan(settings);
        const json& rates = all["expected"]["lr"][name];
        REQUIRE(rates.size() == 26);
        for (std::size_t n = 0; n < rates.size(); ++n)
            check_close(plan.lr(static_cast<std::int64_t>(n)), rates[n]);
        ++tables;
    };
    for (const auto& [name, style] : lr_decay_styles) {
        settings.style = style;
        if (style != lr_decay_style::wsd) {
            if (name != "inverse_square_root") check_rates(std::string(name));
            continue;
        }
        for (const auto& [wsd_name, wsd_style] : wsd_decay_styles) {
            settings.wsd_style = wsd_style;
            check_rates("WSD_" + std::string(wsd_name));
        }
    }
    CHECK(tables == 8);
}

TEST_CASE("B52: the table of growing weight decay") {
    const json all = report("B52");
    for (const auto& [name, style] : wd_incr_styles) {
        const bool constant = style == wd_incr_style::constant;
        const schedule plan({.lr_decay_steps = 20,
                             .start_weight_decay = constant ? 0.1 : 0.01,
                             .end_weight_decay = 0.1,
                             .weight_decay_incr_style = style,
                             .weight_decay_incr_steps = 20});
        const json& decays = all["expected"]["wd"][std::string(name)];
        REQUIRE(decays.size() == 26);
        for (std::size_t n = 0; n < decays.size(); ++n)
            check_close(plan.weight_decay(static_cast<std::int64_t>(n)), decays[n]);
    }
}

TEST_CASE("B47: a schedule goes on at the saved position, once") {
    const json all = report("B47");
    const json& in = all["inputs"];
    const schedule plan({.lr = in["max_lr"],
                         .min_lr = in["min_lr"],
                         .lr_warmup_init = in["init_lr"],
                         .lr_warmup_steps = in["warm"],
                         .lr_decay_steps = in["decay"],
                         .style = lr_decay_style::cosine});
    check_close(plan.lr(in["saved"]), all["expected"]["lr_after_load"]);
    check_close(plan.lr(in["saved"].get<std::int64_t>() + 1), all["expected"]["lr_next"]);
    check_close(plan.lr(2 * in["saved"].get<std::int64_t>()), all["expected"]["wrong_lr"]);
}

TEST_CASE("B49: a new rate applies at the saved position") {
    const json all = report("B49");
    const json& in = all["inputs"];
    const auto rate = [&](const char* max_lr, std::int64_t position) {
        return schedule({.lr = in[max_lr],
                         .min_lr = in["min_lr"],
                         .lr_decay_steps = in["decay"],
                         .style = lr_decay_style::cosine})
            .lr(position);
    };
    check_close(rate("saved_max_lr", in["saved_steps"]), all["expected"]["use_checkpoint_true"]);
    check_close(rate("new_max_lr", in["saved_steps"]), all["expected"]["override_new_values_keep_position"]);
    check_close(rate("new_max_lr", 0), all["expected"]["nothing_restored_starts_at_0"]);
}
