// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! loss_scaler against a table made by hand from Megatron-Core's rule.
#include <adamant/train/loss_scaler.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace adamant;

namespace {

constexpr bool good = false, bad = true;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

struct line {
    bool found_inf;
    loss_scaler::state after;
};

void check_table(const loss_scaler_settings& settings, const std::vector<line>& table) {
    loss_scaler scaler(settings);
    for (std::size_t i = 0; i < table.size(); ++i) {
        CAPTURE(i);
        scaler.update(table[i].found_inf);
        CHECK(scaler.current().scale == table[i].after.scale);
        CHECK(scaler.current().growth == table[i].after.growth);
        CHECK(scaler.current().hysteresis == table[i].after.hysteresis);
        CHECK(scaler.scale() == table[i].after.scale);
        CHECK(scaler.at_floor() == (table[i].after.scale <= settings.min_loss_scale));
    }
}

template <class T>
loss_scaler_settings with(T loss_scaler_settings::*key, T value) {
    loss_scaler_settings settings;
    settings.*key = value;
    return settings;
}

}  // namespace

TEST_CASE("the defaults are Megatron's") {
    const loss_scaler scaler{{}};
    CHECK(scaler.scale() == 4294967296.0);
    CHECK(scaler.current() == loss_scaler::state{4294967296.0, 0, 2});
    CHECK(scaler.settings().loss_scale_window == 1000);
    CHECK(scaler.settings().min_loss_scale == 1);
    CHECK(!scaler.at_floor());
}

TEST_CASE("hysteresis is spent by bad steps and comes back with growth alone") {
    check_table(
        {.initial_loss_scale = 16, .min_loss_scale = 2, .loss_scale_window = 3, .hysteresis = 2},
        {{good, {16, 1, 2}}, {bad, {16, 0, 1}},  {good, {16, 1, 1}}, {bad, {8, 0, 0}},   {bad, {4, 0, -1}},
         {good, {4, 1, -1}}, {good, {4, 2, -1}}, {bad, {2, 0, -2}},  {bad, {2, 0, -3}},  {good, {2, 1, -3}},
         {good, {2, 2, -3}}, {good, {4, 0, 2}},  {bad, {4, 0, 1}},   {good, {4, 1, 1}},  {good, {4, 2, 1}},
         {good, {8, 0, 2}},  {good, {8, 1, 2}},  {good, {8, 2, 2}},  {good, {16, 0, 2}}, {bad, {16, 0, 1}}});
}

TEST_CASE("the floor holds where halving would pass it") {
    check_table(
        {.initial_loss_scale = 5, .min_loss_scale = 3, .loss_scale_window = 2, .hysteresis = 1},
        {{bad, {3, 0, 0}}, {bad, {3, 0, -1}}, {good, {3, 1, -1}}, {good, {6, 0, 1}}, {bad, {3, 0, 0}}});
}

TEST_CASE("a window of one doubles at each good step") {
    check_table({.initial_loss_scale = 1, .loss_scale_window = 1, .hysteresis = 1},
                {{good, {2, 0, 1}}, {good, {4, 0, 1}}, {bad, {2, 0, 0}}});
}

TEST_CASE("a scale at the end of double stays there, and can fall") {
    loss_scaler scaler({.initial_loss_scale = 0x1p1023, .loss_scale_window = 1, .hysteresis = 1});
    scaler.update(false);
    CHECK(scaler.scale() == 0x1p1023);
    scaler.update(true);
    CHECK(scaler.scale() == 0x1p1022);
}

TEST_CASE("growth takes exactly the window of good steps in a row") {
    loss_scaler scaler{{.initial_loss_scale = 8}};
    for (int i = 0; i < 999; ++i) scaler.update(good);
    CHECK(scaler.scale() == 8);
    scaler.update(bad);
    for (int i = 0; i < 999; ++i) scaler.update(good);
    CHECK(scaler.scale() == 8);
    scaler.update(good);
    CHECK(scaler.scale() == 16);
}

TEST_CASE("a constant scale stays") {
    loss_scaler scaler{{.loss_scale = 1024.0}};
    for (int i = 0; i < 5000; ++i) scaler.update(i % 3 == 0 ? bad : good);
    CHECK(scaler.scale() == 1024);
    CHECK(scaler.at_floor());
}

TEST_CASE("settings that cannot work are refused by name") {
    const auto refused = [](const loss_scaler_settings& settings, const char* key) {
        CHECK_THROWS_AS(loss_scaler{settings}, config_error);
        CHECK_THROWS_WITH(loss_scaler{settings}, doctest::Contains(key));
    };
    for (const double value : {0.0, -1.0, not_a_number, inf}) {
        CAPTURE(value);
        refused(with(&loss_scaler_settings::loss_scale, std::optional(value)), " loss_scale is");
        refused(with(&loss_scaler_settings::min_loss_scale, value), " min_loss_scale is");
        refused(with(&loss_scaler_settings::initial_loss_scale, value), "initial_loss_scale is");
    }
    refused({.initial_loss_scale = 2, .min_loss_scale = 4}, "initial_loss_scale is");
    for (const std::int64_t value : {0, -1}) {
        refused(with(&loss_scaler_settings::loss_scale_window, value), "loss_scale_window");
        refused(with(&loss_scaler_settings::hysteresis, value), "hysteresis");
    }
    CHECK_NOTHROW(
        loss_scaler({.initial_loss_scale = 4, .min_loss_scale = 4, .loss_scale_window = 1, .hysteresis = 1}));
}

TEST_CASE("a restored scaler goes on as the saved one") {
    const loss_scaler_settings settings{.initial_loss_scale = 64, .loss_scale_window = 3};
    loss_scaler saved(settings);
    for (const bool found_inf : {good, bad, good, good}) saved.update(found_inf);
    CHECK(saved.current() == loss_scaler::state{64, 2, 1});
    loss_scaler restored(settings);
    restored.restore(saved.current());
    CHECK(restored.current() == saved.current());
    restored.update(good);
    CHECK(restored.current() == loss_scaler::state{128, 0, 2});
}

TEST_CASE(
    "a constant scale is the configuration's, and a count beyond the window grows at the next good step") {
    loss_scaler constant({.loss_scale = 128});
    constant.restore({64, 5, 1});
    CHECK(constant.scale() == 128);
    loss_scaler beyond({.initial_loss_scale = 4, .loss_scale_window = 3});
    beyond.restore({4, 10, 2});
    beyond.update(good);
    CHECK(beyond.scale() == 8);
}

TEST_CASE("a damaged scale is refused and changes nothing") {
    for (const double scale : {0.0, -2.0, not_a_number, inf}) {
        loss_scaler scaler{{}};
        CHECK_THROWS_AS(scaler.restore({scale, 0, 2}), state_error);
        CHECK(scaler.current() == loss_scaler::state{4294967296.0, 0, 2});
    }
    loss_scaler scaler{{}};
    CHECK_THROWS_AS(scaler.restore({64, -1, 2}), state_error);
    CHECK(scaler.current() == loss_scaler::state{4294967296.0, 0, 2});
}

TEST_CASE("damaged counts do not overflow") {
    loss_scaler scaler{{}};
    scaler.restore({64, std::numeric_limits<std::int64_t>::max(), 2});
    scaler.update(good);
    CHECK(scaler.current() == loss_scaler::state{128, 0, 2});
    scaler.restore({64, 0, std::numeric_limits<std::int64_t>::min()});
    scaler.update(bad);
    CHECK(scaler.scale() == 32);
}
