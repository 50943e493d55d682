// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Settings of a schedule that cannot work are refused, each under its name.
#include <adamant/train/schedule.hpp>

#include <doctest/doctest.h>

#include <functional>

using namespace adamant;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

const schedule_settings whole{
    .lr = 1e-3, .min_lr = 1e-5, .lr_warmup_init = 1e-6, .lr_warmup_steps = 10, .lr_decay_steps = 100};

void check_refused(const std::string& key, const std::function<void(schedule_settings&)>& spoil) {
    schedule_settings settings = whole;
    spoil(settings);
    CAPTURE(key);
    try {
        const schedule plan(settings);
        FAIL_CHECK("accepted");
    } catch (const schedule_error& error) {
        CHECK(error.key() == key);
        CHECK(std::string(error.what()).starts_with("[adamant] "));
    }
    CHECK_THROWS_AS(schedule{settings}, config_error);
}

void check_accepted(const std::function<void(schedule_settings&)>& change) {
    schedule_settings settings = whole;
    change(settings);
    CHECK_NOTHROW(schedule{settings});
}

}  // namespace

TEST_CASE("rates are ordered: 0 <= min_lr <= lr, 0 <= lr_warmup_init <= lr") {
    for (const double bad : {-1e-9, not_a_number, inf, -inf}) {
        check_refused("lr", [bad](auto& s) { s.lr = bad; });
        check_refused("min_lr", [bad](auto& s) { s.min_lr = bad; });
        check_refused("lr_warmup_init", [bad](auto& s) { s.lr_warmup_init = bad; });
    }
    check_refused("min_lr", [](auto& s) { s.min_lr = 2e-3; });
    check_refused("lr_warmup_init", [](auto& s) { s.lr_warmup_init = 2e-3; });
    check_accepted([](auto& s) { s.min_lr = s.lr_warmup_init = s.lr; });
    check_accepted([](auto& s) { s.lr = s.min_lr = s.lr_warmup_init = 0; });
}

TEST_CASE("the warm-up ends before the decay") {
    for (const std::int64_t bad : {0, -1})
        check_refused("lr_decay_steps", [bad](auto& s) { s.lr_decay_steps = bad; });
    for (const std::int64_t bad : {-1, 100, 101})
        check_refused("lr_warmup_steps", [bad](auto& s) { s.lr_warmup_steps = bad; });
    check_accepted([](auto& s) { s.lr_warmup_steps = 99; });
    check_accepted([](auto& s) { s.lr_warmup_steps = 0; });
}

TEST_CASE("a schedule without length names total_training_steps") {
    schedule_settings settings = whole;
    settings.lr_decay_steps = -1;
    CHECK_THROWS_WITH(schedule{settings}, doctest::Contains("total_training_steps"));
}

TEST_CASE("WSD needs the length of its decay, other styles do not") {
    const auto wsd = [](std::optional<std::int64_t> steps) {
        return [steps](auto& s) {
            s.style = lr_decay_style::wsd;
            s.lr_wsd_decay_steps = steps;
        };
    };
    for (const auto& bad : {std::optional<std::int64_t>{}, std::optional<std::int64_t>{0},
                            std::optional<std::int64_t>{-1}, std::optional<std::int64_t>{101}})
        check_refused("lr_wsd_decay_steps", wsd(bad));
    check_accepted(wsd(1));
    check_accepted(wsd(100));
    check_accepted([](auto& s) { s.lr_wsd_decay_steps = -1; });
}

TEST_CASE("weight decay is finite, does not fall, and grows only where a style says so") {
    for (const double bad : {-0.1, not_a_number, inf}) {
        check_refused("weight_decay", [bad](auto& s) { s.start_weight_decay = bad; });
        check_refused("weight_decay", [bad](auto& s) { s.end_weight_decay = bad; });
    }
    const auto growing = [](wd_incr_style style, double start, double end, std::int64_t steps) {
        return [=](auto& s) {
            s.weight_decay_incr_style = style;
            s.start_weight_decay = start;
            s.end_weight_decay = end;
            s.weight_decay_incr_steps = steps;
        };
    };
    check_refused("weight_decay", growing(wd_incr_style::linear, 0.2, 0.1, 10));
    check_refused("weight_decay_incr_style", growing(wd_incr_style::constant, 0.1, 0.2, 10));
    check_refused("weight_decay_incr_style", growing(wd_incr_style::linear, 0.1, 0.2, 0));
    check_refused("weight_decay_incr_style", growing(wd_incr_style::cosine, 0.1, 0.2, -1));
    check_accepted(growing(wd_incr_style::linear, 0.1, 0.1, 1));
    check_accepted(growing(wd_incr_style::cosine, 0, 0.2, 10));
    check_accepted(growing(wd_incr_style::constant, 0, 0, 0));
}

TEST_CASE("styles have the names of Megatron's options, and inverse-square-root two") {
    const auto names = [](const auto& list) {
        std::vector<std::string> result;
        for (const auto& entry : list) result.emplace_back(entry.name);
        return result;
    };
    CHECK(names(lr_decay_styles) == std::vector<std::string>{"constant", "linear", "cosine",
                                                             "inverse-square-root", "inverse_square_root",
                                                             "WSD"});
    CHECK(names(wsd_decay_styles) ==
          std::vector<std::string>{"linear", "cosine", "exponential", "minus_sqrt"});
    CHECK(names(wd_incr_styles) == std::vector<std::string>{"constant", "linear", "cosine"});
    CHECK(lr_decay_styles[3].style == lr_decay_styles[4].style);
}
