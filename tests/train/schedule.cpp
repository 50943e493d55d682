// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! schedule: every style against Megatron-Core's formulas in long double.
#include <adamant/train/schedule.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

constexpr long double pi = 3.141592653589793238462643383279502884L;

long double half_cosine(long double x) { return (std::cos(pi * x) + 1) / 2; }

long double decayed_part(const schedule_settings& s, long double n) {
    const long double warmup = static_cast<long double>(s.lr_warmup_steps),
                      decay = static_cast<long double>(s.lr_decay_steps);
    const long double r = (n - warmup) / (decay - warmup);
    if (s.style == lr_decay_style::linear) return 1 - r;
    if (s.style == lr_decay_style::cosine) return half_cosine(r);
    const auto length = static_cast<long double>(*s.lr_wsd_decay_steps);
    if (n <= decay - length) return 1;
    const long double q = (n - decay + length) / length;
    switch (s.wsd_style) {
        case wsd_decay_style::linear: return 1 - q;
        case wsd_decay_style::cosine: return half_cosine(q);
        case wsd_decay_style::exponential: return 2 * std::pow(0.5L, q) - 1;
        case wsd_decay_style::minus_sqrt: return 1 - std::sqrt(q);
    }
    return 0;
}

long double expected_lr(const schedule_settings& s, std::int64_t step) {
    const auto n = static_cast<long double>(step);
    const long double lr = s.lr, min_lr = s.min_lr, init = s.lr_warmup_init,
                      warmup = static_cast<long double>(s.lr_warmup_steps);
    if (s.lr_warmup_steps > 0 && step <= s.lr_warmup_steps) return init + (lr - init) * n / warmup;
    if (s.style == lr_decay_style::constant) return lr;
    if (step > s.lr_decay_steps) return min_lr;
    if (s.style == lr_decay_style::inverse_square_root)
        return std::max(min_lr, lr * std::sqrt(std::max(warmup, 1.0L) / std::max(n, 1.0L)));
    return min_lr + decayed_part(s, n) * (lr - min_lr);
}

//! Relative to the peak: near its end a decay to 0 is a difference of numbers of the peak's size.
void check_lr(const schedule_settings& s) {
    const schedule plan(s);
    const std::int64_t stride = std::max<std::int64_t>(1, s.lr_decay_steps / 400);
    for (std::int64_t n = 0; n <= s.lr_decay_steps + 3 * stride; n += stride) {
        CAPTURE(n);
        const long double expected = expected_lr(s, n);
        CHECK(std::abs(plan.lr(n) - expected) <=
              1e-12L * (s.min_lr > 0 ? expected : static_cast<long double>(s.lr)));
    }
}

}  // namespace

TEST_CASE("every style follows its formula") {
    for (const auto& lr_style : lr_decay_styles)
        for (const auto& wsd_style : wsd_decay_styles)
            for (const double min_lr : {0.0, 1e-5})
                for (const double init : {0.0, 3e-5})
                    for (const std::int64_t warmup : {0, 1, 37})
                        for (const std::int64_t decay : {100, 1000003}) {
                            CAPTURE(lr_style.name);
                            CAPTURE(wsd_style.name);
                            CAPTURE(warmup);
                            CAPTURE(decay);
                            check_lr({.lr = 7e-4,
                                      .min_lr = min_lr,
                                      .lr_warmup_init = init,
                                      .lr_warmup_steps = warmup,
                                      .lr_decay_steps = decay,
                                      .style = lr_style.style,
                                      .wsd_style = wsd_style.style,
                                      .lr_wsd_decay_steps = decay / 3});
                        }
}

TEST_CASE("without warm-up step 0 has the full rate, with it the initial one") {
    for (const auto& [name, style] : lr_decay_styles) {
        schedule_settings s{.lr = 0.5,
                            .lr_warmup_init = 0.125,
                            .lr_decay_steps = 100,
                            .style = style,
                            .lr_wsd_decay_steps = 10};
        CHECK(schedule(s).lr(0) == 0.5);
        s.lr_warmup_steps = 4;
        CHECK(schedule(s).lr(0) == 0.125);
        CHECK(schedule(s).lr(2) == 0.3125);
        CHECK(schedule(s).lr(4) == 0.5);
    }
}

TEST_CASE("after the decay the rate is min_lr for ever, except constant") {
    for (const auto& [name, style] : lr_decay_styles) {
        const schedule plan(
            {.lr = 0.5, .min_lr = 0.125, .lr_decay_steps = 100, .style = style, .lr_wsd_decay_steps = 10});
        for (const std::int64_t n :
             {std::int64_t{101}, std::int64_t{1000}, std::numeric_limits<std::int64_t>::max()})
            CHECK(plan.lr(n) == (style == lr_decay_style::constant ? 0.5 : 0.125));
    }
}

TEST_CASE("WSD may decay over the whole schedule") {
    const schedule plan({.lr = 1,
                         .lr_decay_steps = 8,
                         .style = lr_decay_style::wsd,
                         .wsd_style = wsd_decay_style::linear,
                         .lr_wsd_decay_steps = 8});
    for (std::int64_t n = 0; n <= 8; ++n) CHECK(plan.lr(n) == 1 - static_cast<double>(n) / 8);
}

TEST_CASE("weight decay grows by its formula and stays at its end") {
    for (const auto style : {wd_incr_style::linear, wd_incr_style::cosine})
        for (const std::int64_t steps : {1, 7, 1000}) {
            const double start = 0.01, end = 0.3;
            const schedule plan({.lr_decay_steps = 5,
                                 .start_weight_decay = start,
                                 .end_weight_decay = end,
                                 .weight_decay_incr_style = style,
                                 .weight_decay_incr_steps = steps});
            for (std::int64_t n = 0; n <= steps + 3; ++n) {
                const long double r =
                    std::min(1.0L, static_cast<long double>(n) / static_cast<long double>(steps));
                const long double c = style == wd_incr_style::linear ? r : half_cosine(1 - r);
                const long double expected = start + c * (static_cast<long double>(end) - start);
                CHECK(std::abs(plan.weight_decay(n) - expected) <= 1e-12L * expected);
            }
            CHECK(plan.weight_decay(steps + 1) == end);
        }
    const schedule constant({.lr_decay_steps = 5, .start_weight_decay = 0.07, .end_weight_decay = 0.07});
    for (const std::int64_t n : {0, 1, 5, 1000}) CHECK(constant.weight_decay(n) == 0.07);
}
