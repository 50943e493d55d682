// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Public bug reports on checkpoints (tests/cases/reports), held here with their values by way of files.
#include "complaint.hpp"
#include "scratch.hpp"
#include "simulated_ranks.hpp"

#include <cases/report.hpp>
#include <train/inputs.hpp>
#include <unjudged.hpp>

#include <adamant/safetensors/safetensors.hpp>

#include <doctest/doctest.h>

namespace {

using namespace adamant;
using cases::report;
using checkpoints::complaint, checkpoints::has;
using nlohmann::json;

std::uint32_t word(const json& text) {
    return static_cast<std::uint32_t>(std::stoul(text.get<std::string>(), nullptr, 16));
}

//! A list of one tensor under one optimizer.
template <class Policy>
struct one_tensor {
    std::vector<typename adam<Policy>::param_t> weight;
    adam<Policy> optimizer;

    explicit one_tensor(std::size_t size, float value = 1)
        : weight(size, round_to<typename adam<Policy>::param_t>(value)),
          optimizer(params(), {.weight_decay = 0, .clip_grad = 0}, unjudged()) {}
    std::vector<std::span<typename adam<Policy>::param_t>> params() { return {weight}; }
    step_result step(float gradient) {
        const std::vector<typename adam<Policy>::grad_t> grads(
            weight.size(), round_to<typename adam<Policy>::grad_t>(gradient));
        return optimizer.step(params(), std::vector<std::span<const typename adam<Policy>::grad_t>>{grads});
    }
    std::uint32_t bits(slot s) {
        return to_bits(optimizer.export_fp32(s, 0, tensor_view(std::span(weight)))[0]);
    }
};

using fp32_policy = policy<mode<fp32>>;
using megatron = policy<mode<bf16>>;

}  // namespace

TEST_CASE("B26: the step count of a file does not saturate") {
    const checkpoints::scratch folder;
    const json all = report("B26");
    for (const json& row : all["expected"]["table"]) {
        one_tensor<fp32_policy> saved(1), loaded(1);
        saved.optimizer.set_step_count(row["step"]);
        safetensors::save(folder / "a", saved.optimizer, saved.params());
        safetensors::load(folder / "a", loaded.optimizer, loaded.params());
        CHECK(loaded.optimizer.step_count() == row["step"]);
        CHECK(loaded.step(1).step == row["step"].get<std::int64_t>() + 1);
    }
}

TEST_CASE("B28: the step of a rank that holds nothing is that of the others") {
    const checkpoints::scratch folder;
    const json all = report("B28");
    one_tensor<fp32_policy> run(100);
    for (std::int64_t i = 0; i < all["inputs"]["iterations"]; ++i) run.step(1);
    for (int rank = 0; rank < 3; ++rank) {  // 128 elements for the first: the others hold none
        checkpoints::rank_access part(access_state(run.optimizer), rank, 3);
        safetensors::save_rank(folder / "a.json", {rank, 3, "id"}, part, run.params());
    }
    safetensors::save_index(folder / "a.json", 3, "id");
    for (int rank = 0; rank < 3; ++rank) {
        CHECK(safetensors::archive(folder / "a.json").first_header().metadata.at("step") == "2640");
        one_tensor<fp32_policy> other(100, 3);
        checkpoints::rank_access part(access_state(other.optimizer), rank, 3);
        CHECK(part.held(0).size() == (rank == 0 ? 100 : 0));
        safetensors::load(folder / "a.json", part, other.params());
        CHECK(other.optimizer.step_count() == all["expected"]["saved_step_on_every_rank"]);
        CHECK(one_minus_power(double{0.999f}, other.optimizer.step_count()) ==
              doctest::Approx(all["expected"]["bc2"].get<double>()).epsilon(1e-4));
    }
}

TEST_CASE("B30: a checkpoint before the first step") {
    const checkpoints::scratch folder;
    const json all = report("B30");
    one_tensor<fp32_policy> cold(1), resumed(1, 5);
    cold.step(std::numeric_limits<float>::infinity());
    safetensors::save(folder / "a", cold.optimizer, cold.params());
    safetensors::load(folder / "a", resumed.optimizer, resumed.params());
    CHECK(resumed.optimizer.step_count() == all["expected"]["step"]);
    resumed.step(1);
    CHECK(resumed.weight[0] == doctest::Approx(0.9990000128746033).epsilon(1.2e-7));
    cold.step(1);
    CHECK(resumed.weight[0] == cold.weight[0]);
}

TEST_CASE("B36: state is not cast to the weights' dtype on load, and narrowing is asked for") {
    const checkpoints::scratch folder;
    const json all = report("B36");
    const json &in = all["inputs"], &expected = all["expected"];
    using low = policy<mode<bf16>, precision_aware, main_params<fp32>, exp_avg<bf16>, exp_avg_sq<bf16>>;
    one_tensor<megatron> from(1), same(1, 7), back(1, 7);
    one_tensor<low> narrow(1, 7);
    const std::vector<float> master{from_bits(word(in["master"]))};
    from.optimizer.init_masters(from.params(), std::vector<std::span<const float>>{master});
    from.optimizer.import_fp32(slot::exp_avg, 0, std::vector<float>{from_bits(word(in["m"]))});
    from.optimizer.import_fp32(slot::exp_avg_sq, 0, std::vector<float>{from_bits(word(in["v"]))});
    safetensors::save(folder / "a", from.optimizer, from.params());

    safetensors::load(folder / "a", same.optimizer, same.params());
    CHECK(same.bits(slot::exp_avg) == word(expected["loaded_into_fp32"][0]));
    CHECK(same.bits(slot::exp_avg_sq) == word(expected["loaded_into_fp32"][1]));
    CHECK(same.bits(slot::main_params) == word(expected["loaded_into_fp32"][2]));
    CHECK(same.weight[0].bits == word(expected["param_bits"]));

    CHECK(has(complaint([&] { safetensors::load(folder / "a", narrow.optimizer, narrow.params()); }),
              "would round values"));
    const auto result = safetensors::load(folder / "a", narrow.optimizer, narrow.params(),
                                          {.convert = safetensors::conversion::narrowing});
    CHECK_FALSE(result.lossless);
    CHECK(narrow.optimizer.state<slot::exp_avg>(0)[0].bits == word(expected["loaded_into_bf16_state"][0]));
    CHECK(narrow.optimizer.state<slot::exp_avg_sq>(0)[0].bits == word(expected["loaded_into_bf16_state"][1]));
    CHECK(narrow.bits(slot::main_params) == word(expected["loaded_into_fp32"][2]));

    safetensors::save(folder / "b", narrow.optimizer, narrow.params());
    safetensors::load(folder / "b", back.optimizer, back.params(),
                      {.convert = safetensors::conversion::lossless});
    CHECK(back.bits(slot::exp_avg) == word(expected["bf16_file_into_fp32"][0]));
    CHECK(back.bits(slot::exp_avg_sq) == word(expected["bf16_file_into_fp32"][1]));
}

TEST_CASE("B38: files have no padding, and any number of ranks loads what any other saved") {
    const checkpoints::scratch folder;
    const json all = report("B38");
    const std::size_t size = all["inputs"]["numel"];
    one_tensor<megatron> run(size);
    const std::vector<float> values = inputs::spread(size, 3);
    run.optimizer.import_fp32(slot::exp_avg, 0, values);
    for (int i = 0; i < 3; ++i) run.step(0.01f);
    for (const int saved_by : all["inputs"]["dp"]) {
        const std::string index = folder / "a.json", id = "of" + std::to_string(saved_by);
        for (int rank = 0; rank < saved_by; ++rank) {
            checkpoints::rank_access part(access_state(run.optimizer), rank, saved_by);
            safetensors::save_rank(index, {rank, saved_by, id}, part, run.params());
        }
        safetensors::save_index(index, saved_by, id);
        const safetensors::archive archive(index);
        for (const slot s : all_slots) {
            std::int64_t elements = 0;
            for (const auto& piece : archive.find(safetensors::codes_name(s, "tensor_0000"))->segments)
                elements += piece.part.size();
            CHECK(elements == 1000);
        }
        for (const int loaded_by : all["inputs"]["dp"]) {
            one_tensor<megatron> loaded(size, 9);
            for (int rank = 0; rank < loaded_by; ++rank) {
                checkpoints::rank_access part(access_state(loaded.optimizer), rank, loaded_by);
                safetensors::load(index, part, loaded.params());
            }
            CHECK(loaded.weight == run.weight);
            for (const slot s : all_slots)
                CHECK(loaded.optimizer.export_fp32(s, 0, tensor_view(std::span(loaded.weight))) ==
                      run.optimizer.export_fp32(s, 0, tensor_view(std::span(run.weight))));
        }
    }
}

TEST_CASE("B40: a bf16 weight and its remainder come back as they were, on ties too") {
    const checkpoints::scratch folder;
    const json all = report("B40");
    using remainder = policy<mode<bf16>, precision_aware>;
    std::vector<float> masters;
    for (const json& row : all["expected"]["rows"]) masters.push_back(from_bits(word(row["master"])));
    one_tensor<remainder> saved(masters.size()), loaded(masters.size());
    one_tensor<megatron> converted(masters.size());
    saved.optimizer.init_masters(saved.params(), std::vector<std::span<const float>>{masters});
    safetensors::save(folder / "a", saved.optimizer, saved.params());
    safetensors::load(folder / "a", loaded.optimizer, loaded.params());
    safetensors::load(folder / "a", converted.optimizer, converted.params(),
                      {.convert = safetensors::conversion::lossless});
    const auto rebuilt =
        loaded.optimizer.export_fp32(slot::main_params, 0, tensor_view(std::span(loaded.weight)));
    const auto in_fp32 =
        converted.optimizer.export_fp32(slot::main_params, 0, tensor_view(std::span(converted.weight)));
    for (std::size_t i = 0; i < masters.size(); ++i) {
        const json& row = all["expected"]["rows"][i];
        CHECK(loaded.weight[i].bits == word(row["p16"]));
        CHECK(loaded.optimizer.state<slot::main_params>(0)[i] == row["rem"]);
        CHECK(to_bits(rebuilt[i]) == word(row["rebuilt"]));
        CHECK(to_bits(in_fp32[i]) == word(row["master"]));
        CHECK(converted.weight[i].bits == word(row["rne16"]));
    }
}

TEST_CASE(
    "B47 and B49: the schedule goes on from exactly the saved position, its shape is up to the caller") {
    const checkpoints::scratch folder;
    std::vector<float> weight{1.0f}, gradient{1.0f};
    const std::vector<tensor_view> params{std::span(weight)}, grads{std::span(gradient)};
    const auto make = [&](double lr, const json& in) {
        return make_optimizer<catalogue<fp32_policy>>(fp32_policy::spec, {}, params, {}, {},
                                                      schedule({.lr = lr,
                                                                .min_lr = in["min_lr"],
                                                                .lr_warmup_steps = in["warm"],
                                                                .lr_decay_steps = in["decay"],
                                                                .style = lr_decay_style::cosine}));
    };
    const auto is = [](double got, const json& expected) {
        return got == doctest::Approx(expected.get<double>()).epsilon(1e-12);
    };
    const json b47 = report("B47");
    any_optimizer saved = make(b47["inputs"]["max_lr"], b47["inputs"]),
                  loaded = make(b47["inputs"]["max_lr"], b47["inputs"]);
    for (std::int64_t i = 0; i < b47["inputs"]["saved"]; ++i) saved.step(params, grads);
    safetensors::save(folder / "a", saved, params);
    safetensors::load(folder / "a", loaded, params);
    safetensors::load(folder / "a", loaded, params);
    CHECK(loaded.schedule_position() == b47["inputs"]["saved"]);
    CHECK(is(loaded.step(params, grads).lr, b47["expected"]["lr_after_load"]));
    CHECK(is(loaded.step(params, grads).lr, b47["expected"]["lr_next"]));

    const json b49 = report("B49");
    any_optimizer old = make(b49["inputs"]["saved_max_lr"], b49["inputs"]);
    for (std::int64_t i = 0; i < b49["inputs"]["saved_steps"]; ++i) old.step(params, grads);
    safetensors::save(folder / "a", old, params);
    for (const bool use_checkpoint : {true, false}) {
        any_optimizer next = make(b49["inputs"]["new_max_lr"], b49["inputs"]);
        safetensors::load(folder / "a", next, params, {.use_checkpoint_opt_param_scheduler = use_checkpoint});
        CHECK(is(
            next.step(params, grads).lr,
            b49["expected"][use_checkpoint ? "use_checkpoint_true" : "override_new_values_keep_position"]));
    }
}
