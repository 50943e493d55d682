// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Checkpoints in another policy, as fp32 and from other programs.
#include "complaint.hpp"
#include "scratch.hpp"
#include "training.hpp"

#include <adamant/safetensors/safetensors.hpp>

#include <doctest/doctest.h>

namespace {

using namespace adamant;
using checkpoints::complaint, checkpoints::has, checkpoints::training;

std::vector<float> values(training& of, slot s, std::size_t tensor) {
    return of.optimizer.export_fp32(to_string(s), tensor, of.views()[tensor]);
}

}  // namespace

TEST_CASE("another policy is refused in words, and converted as convert does where it is asked for") {
    const checkpoints::scratch folder;
    const std::string file = folder / "a.safetensors";
    int exact_ones = 0, rounded_ones = 0;
    for (const policy_spec& from : checkpoints::policies()) {
        training source(from);
        source.steps(0, 5);
        safetensors::save(file, source.optimizer, source.views());
        for (const policy_spec& to : checkpoints::policies()) {
            if (storage_of(from) == storage_of(to)) continue;
            CAPTURE(describe(from));
            CAPTURE(describe(to));
            training target(to, 55);
            const std::uint64_t before = target.digest();
            const auto load = [&](safetensors::conversion how) {
                return safetensors::load(file, target.optimizer, target.views(), {.convert = how});
            };
            const std::string refusal = complaint([&] { load(safetensors::conversion::none); });
            CHECK(has(refusal, describe(from)));
            CHECK(has(refusal, describe(to)));
            CHECK(target.digest() == before);
            if (from.mode != to.mode) {
                CHECK(has(complaint([&] { load(safetensors::conversion::narrowing); }), "one mode only"));
                CHECK(target.digest() == before);
                continue;
            }
            const bool exact = is_lossless(from, to);
            CHECK(has(refusal, exact ? "conversion::lossless" : "conversion::narrowing"));
            if (!exact) {
                CHECK(has(complaint([&] { load(safetensors::conversion::lossless); }), "would round values"));
                CHECK(target.digest() == before);
            }
            const auto result =
                load(exact ? safetensors::conversion::lossless : safetensors::conversion::narrowing);
            CHECK(result.converted);
            CHECK(result.lossless == exact);
            ++(exact ? exact_ones : rounded_ones);
            CHECK(target.optimizer.step_count() == source.optimizer.step_count());
            CHECK(target.optimizer.schedule_position() == source.optimizer.schedule_position());
            CHECK(target.optimizer.loss_scale() == source.optimizer.loss_scale());
            // The same by hand: values out, values in.
            training by_hand(to, 55);
            by_hand.optimizer.set_step_count(source.optimizer.step_count());
            const std::size_t count = checkpoints::tensors().size();
            std::vector<std::vector<float>> masters;
            for (std::size_t i = 0; i < count; ++i) masters.push_back(values(source, slot::main_params, i));
            by_hand.optimizer.init_masters(
                by_hand.views(), std::vector<std::span<const float>>(masters.begin(), masters.end()));
            for (std::size_t i = 0; i < count; ++i)
                for (const slot s : all_slots) {
                    if (s != slot::main_params)
                        by_hand.optimizer.import_fp32(to_string(s), i, values(source, s, i));
                    CHECK(values(target, s, i) == values(by_hand, s, i));
                    if (exact) CHECK(values(target, s, i) == values(source, s, i));
                }
            CHECK(target.step(100).status == step_status::applied);
        }
    }
    CHECK(exact_ones >= 5);
    CHECK(rounded_ones >= 20);
}

TEST_CASE("fp32 views: exact, and back they give the bits that they came from") {
    const checkpoints::scratch folder;
    const std::string file = folder / "fp32.safetensors";
    for (const policy_spec& spec : checkpoints::policies()) {
        CAPTURE(describe(spec));
        training source(spec), target(spec, 66);
        source.steps(0, 9);
        safetensors::export_fp32(file, source.optimizer, source.views());
        const safetensors::archive archive(file);
        for (std::size_t i = 0; i < checkpoints::tensors().size(); ++i)
            for (const slot s : all_slots) {
                const auto expected = values(source, s, i);
                const auto name =
                    safetensors::codes_name(s, i == 4 ? "tensor_0004" : checkpoints::tensors()[i].name);
                std::vector<float> got(expected.size());
                const auto* tensor = archive.find(name);
                REQUIRE(tensor != nullptr);
                CHECK(tensor->type.name == "F32");
                safetensors::progress_meter meter({}, 0);
                archive.read(*tensor, {0, static_cast<std::int64_t>(got.size())}, got.data(), meter);
                CHECK(got == expected);
            }
        CHECK(has(complaint([&] { safetensors::load(file, target.optimizer, target.views()); }),
                  "'adamant fp32'"));
        const auto result = safetensors::import_fp32(file, target.optimizer, target.views());
        CHECK(result.has_moments);
        CHECK(result.unused.empty());
        CHECK(target.optimizer.step_count() == source.optimizer.step_count());
        CHECK(target.optimizer.schedule_position() == source.optimizer.schedule_position());
        // What was decoded encodes to itself; a weight beside an fp32 master is the same nearest value again.
        for (std::size_t i = 0; i < checkpoints::tensors().size(); ++i)
            for (const slot s : all_slots) CHECK(values(target, s, i) == values(source, s, i));
    }
}

TEST_CASE("a model trained elsewhere starts a run") {
    const checkpoints::scratch folder;
    const std::string file = folder / "model.safetensors";
    const std::vector<float16> weight{to_float16(1.5f), to_float16(-2.0f), to_float16(0.25f)};
    const std::vector<bfloat16> bias{to_bfloat16(3.0f)};
    safetensors::header h{{{"format", "pt"}}, {}};
    h.entries = {{"weight", *safetensors::element_type_named("F16"), {3}, 0, 6},
                 {"bias", *safetensors::element_type_named("BF16"), {1}, 6, 8},
                 {"steps.seen", *safetensors::element_type_named("I64"), {1}, 8, 16}};
    std::string bytes = safetensors::to_bytes(h, file);
    bytes.append(reinterpret_cast<const char*>(weight.data()), 6)
        .append(reinterpret_cast<const char*>(bias.data()), 2);
    checkpoints::write_bytes(file, bytes + std::string(8, '\1'));

    using lean = policy<precision_aware, main_grads<bf16>, exp_avg<fp8>, exp_avg_sq<fp8>>;
    std::vector<bfloat16> w(3), b(1);
    const std::vector<std::span<bfloat16>> params{w, b};
    const std::vector<tensor_info> infos{{.name = "weight"}, {.name = "bias"}};
    adam<lean> optimizer(infos, params, {});
    const auto result = safetensors::import_fp32(file, optimizer, params);
    CHECK_FALSE(result.has_moments);
    CHECK(result.step == 0);
    CHECK(result.unused == std::vector<std::string>{"steps.seen"});
    CHECK(optimizer.export_fp32(slot::main_params, 0, std::span(w)) == std::vector{1.5f, -2.0f, 0.25f});
    CHECK(optimizer.export_fp32(slot::main_params, 1, std::span(b)) == std::vector{3.0f});
    CHECK(optimizer.export_fp32(slot::exp_avg_sq, 0) == std::vector<float>(3));

    const adam<lean> unchanged(infos, params, {});
    const std::vector<tensor_info> other{{.name = "weight"}, {.name = "bais"}};
    adam<lean> misnamed(other, params, {});
    CHECK(has(complaint([&] { safetensors::import_fp32(file, misnamed, params); }), "'main_params.bais'"));
    const std::vector<tensor_info> counted{{.name = "weight"}, {.name = "steps.seen"}};
    adam<lean> integers(counted, params, {});
    CHECK(has(complaint([&] { safetensors::import_fp32(file, integers, params); }), "F32, BF16 or F16"));
    std::vector<bfloat16> longer(4);
    const std::vector<std::span<bfloat16>> more{longer, b};
    adam<lean> larger(infos, more, {});
    CHECK(has(complaint([&] { safetensors::import_fp32(file, larger, more); }), "expected [4], got [3]"));
}

TEST_CASE("betas that changed on the way: the bound on the update no longer counts from the first step") {
    const checkpoints::scratch folder;
    const policy_spec& spec = checkpoints::policies().front();
    training run(spec), same(spec), other(spec, 1, {.beta2 = 0.98});
    run.steps(0, 3);
    safetensors::save(folder / "a.safetensors", run.optimizer, run.views());
    safetensors::load(folder / "a.safetensors", same.optimizer, same.views());
    safetensors::load(folder / "a.safetensors", other.optimizer, other.views());
    CHECK(access_state(same.optimizer)->run().state_is_history);
    CHECK_FALSE(access_state(other.optimizer)->run().state_is_history);
    // And it stays so from checkpoint to checkpoint, as after moments were set by hand.
    safetensors::save(folder / "b.safetensors", other.optimizer, other.views());
    training third(spec, 1, {.beta2 = 0.98});
    safetensors::load(folder / "b.safetensors", third.optimizer, third.views());
    CHECK_FALSE(access_state(third.optimizer)->run().state_is_history);
    run.optimizer.import_fp32("exp_avg", 0, std::vector<float>(300, 0.5f));
    safetensors::save(folder / "a.safetensors", run.optimizer, run.views());
    safetensors::load(folder / "a.safetensors", same.optimizer, same.views());
    CHECK(same.digest() == run.digest());
    run.steps(3, 9);
    same.steps(3, 9);
    CHECK(same.digest() == run.digest());
}
