// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Saving and loading take no second copy of the state.
#include "scratch.hpp"
#include "training.hpp"

#include <adamant/safetensors/safetensors.hpp>

#include <doctest/doctest.h>

namespace {

using namespace adamant;

//! A line of /proc/self/status, in bytes.
std::int64_t status(const std::string& key) {
    std::ifstream lines("/proc/self/status");
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(key + ":")) return 1024 * std::stoll(line.substr(key.size() + 1));
    return -1;
}

//! By how much resident memory grows, at most, while f runs; -1 where the system does not tell.
template <class F>
std::int64_t growth_in(F&& f) {
    if (!(std::ofstream("/proc/self/clear_refs") << 5 << std::flush)) return -1;  // the peak starts anew
    const std::int64_t before = status("VmRSS");
    f();
    return status("VmHWM") - before;
}

}  // namespace

TEST_CASE("loading and saving, converting too, stay below 64 MiB beside the state") {
    constexpr std::int64_t limit = std::int64_t{64} << 20;
    constexpr std::size_t size = 6'000'000;
    const checkpoints::scratch folder;
    const std::string file = folder / "a.safetensors";
    const policy_spec plain = policy<mode<bf16>>::spec, lean = checkpoints::policies().front();
    std::vector<bfloat16> weight(size, to_bfloat16(1.0f));
    const std::vector<tensor_view> params{std::span(weight)};
    const auto made = [&](const policy_spec& spec) {
        return checkpoints::make(spec, {}, params, checkpoints::usual, unjudged(), std::nullopt);
    };
    any_optimizer saved = made(plain), same = made(plain), converted = made(lean);
    for (const any_optimizer* each : {&saved, &same, &converted}) CHECK(each->state_bytes() > 0);

    // Memory that is all touched and given back shows: the measurement is not blind.
    const std::int64_t control = growth_in([] { std::vector<char>(2 * limit, 'x'); });
    if (control < 0) {
        MESSAGE("not measured: /proc/self/clear_refs cannot be written here");
        return;
    }
    CHECK(control > limit);
    const std::int64_t saving = growth_in([&] { safetensors::save(file, saved, params); });
    const std::int64_t loading = growth_in([&] { safetensors::load(file, same, params); });
    const std::int64_t converting = growth_in(
        [&] { safetensors::load(file, converted, params, {.convert = safetensors::conversion::narrowing}); });
    MESSAGE("KiB more while saving, loading, converting "
            << saved.state_bytes() / 1024 << " KiB of state: " << saving / 1024 << ", " << loading / 1024
            << ", " << converting / 1024);
    CHECK(saving < limit);
    CHECK(loading < limit);
    CHECK(converting < limit);
}
