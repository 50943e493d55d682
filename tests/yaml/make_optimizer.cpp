// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! From YAML to a stepping optimizer.
#include <adamant/yaml/yaml.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace adamant;

using lean = policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>;
using small_catalogue = catalogue<policy<mode<fp32>>, lean>;

namespace {

const char* const lean_text =
    "lr: 1e-2\nmin_lr: 0\nlr_warmup_steps: 4\ntotal_training_steps: 8\nuse_precision_aware_optimizer: true\n"
    "main_grads_dtype: bf16\nexp_avg_dtype: bf16\nexp_avg_sq_dtype: bf16\n";

}  // namespace

TEST_CASE("a configuration becomes the optimizer that its types would be") {
    std::vector<bfloat16> weights(5, to_bfloat16(1)), by_type = weights;
    const std::vector<bfloat16> gradients(5, to_bfloat16(0.25f));
    const std::vector<tensor_info> tensors{{.name = "w", .shape = {5, 1}}};
    const std::vector<tensor_view> params{std::span<bfloat16>(weights)},
        grads{std::span<const bfloat16>(gradients)};
    auto optimizer =
        yaml::make_optimizer<small_catalogue>(yaml::load_text(lean_text, "f.yaml"), tensors, params);
    const std::vector<std::span<bfloat16>> typed{by_type};
    adam<lean> reference(tensors, typed, {.lr = 1e-2}, {.accept = {"square_to_nearest"}});
    for (int step = 0; step < 8; ++step) {
        const step_result result = optimizer.step(params, grads);
        const double lr = step <= 4 ? 1e-2 * step / 4 : 1e-2 * (8 - step) / 4;
        CHECK(result.lr == doctest::Approx(lr).epsilon(1e-12));
        reference.step(typed, grads, {.lr = result.lr});
    }
    CHECK(weights == by_type);
    CHECK(optimizer.describe() ==
          "policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>");
    CHECK(optimizer.schedule_position() == 8);
}

TEST_CASE("a policy outside the catalogue is refused with the line to add") {
    std::vector<bfloat16> weights(5);
    const std::vector<tensor_view> params{std::span<bfloat16>(weights)};
    const auto config = yaml::load_text("total_training_steps: 5", "f.yaml");
    CHECK_THROWS_WITH_AS((void)yaml::make_optimizer<small_catalogue>(config, {}, params),
                         "[adamant] this program's catalogue has no policy<mode<bf16>>: add it to the "
                         "catalogue<...> that the program names.",
                         config_error);
}

TEST_CASE("without the number of steps there is a policy but no optimizer") {
    std::vector<float> weights(5);
    const std::vector<tensor_view> params{std::span<float>(weights)};
    const auto config = yaml::load_text("lr: 1e-3", "f.yaml", "", {.mode = dtype::fp32});
    CHECK_NOTHROW((void)yaml::resolve(config));
    CHECK_THROWS_AS((void)yaml::make_optimizer<small_catalogue>(config, {}, params), config_error);
}

TEST_CASE("parameters of another dtype than the file says are refused") {
    std::vector<float16> weights(5);
    const std::vector<tensor_view> params{std::span<float16>(weights)};
    CHECK_THROWS_AS(
        (void)yaml::make_optimizer<small_catalogue>(yaml::load_text(lean_text, "f.yaml"), {}, params),
        shape_error);
}

TEST_CASE("what is a warning in a dialect, or accepted there by name, does not stop the construction") {
    std::vector<bfloat16> weights(5);
    const std::vector<tensor_view> params{std::span<bfloat16>(weights)};
    const std::string megatron =
        "use_precision_aware_optimizer: true\nmain_grads_dtype: bf16\nexp_avg_dtype: bf16\n"
        "exp_avg_sq_dtype: bf16\n";
    const std::string ours =
        "precision_aware: true\nmain_grads_dtype: bf16\nexp_avg_dtype: bf16\nexp_avg_sq_dtype: bf16\n"
        "rounding: nearest\naccept: [square_to_nearest]\ntotal_training_steps: 5\n";
    for (const auto& written :
         {std::pair(std::string(lean_text), yaml::dialect::verl),
          std::pair(megatron, yaml::dialect::megatron), std::pair(ours, yaml::dialect::adamant)}) {
        CAPTURE(written.first);
        const auto config = yaml::load_text(written.first, "f.yaml", "", {.dialect = written.second});
        const auto r = yaml::resolve(config);
        CHECK(r.accepted == std::vector<std::string>{"square_to_nearest"});
        CHECK_NOTHROW((void)yaml::make_optimizer<small_catalogue>(config, {}, params));
        // The same policy and numbers in a program's own hands are judged.
        CHECK_THROWS_AS((void)make_optimizer<small_catalogue>(r.policy, {}, params, r.hyper), config_error);
    }
}

TEST_CASE("a resolution accepts what it judged, not what is made of it later") {
    std::vector<bfloat16> weights(5);
    const std::vector<tensor_view> params{std::span<bfloat16>(weights)};
    auto r = yaml::resolve(yaml::load_text(std::string(lean_text) + "betas: [0.9, 0.95]\n", "f.yaml"));
    CHECK(r.accepted.empty());
    CHECK_NOTHROW((void)yaml::make_optimizer<small_catalogue>(r, {}, params));
    r.hyper.beta2 = 0.999;
    CHECK_THROWS_AS((void)yaml::make_optimizer<small_catalogue>(r, {}, params), config_error);
    CHECK_NOTHROW(
        (void)yaml::make_optimizer<small_catalogue>(r, {}, params, {.accept = {"square_to_nearest"}}));
}
