// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The adamant dialect: every storage kind, rounding and seed, strict about words without effect and
//! soundness.
#include <adamant/yaml/yaml.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace adamant;

namespace {

yaml::resolution resolved(const std::string& text) {
    return yaml::resolve(yaml::load_text(text, "f.yaml", "", {.dialect = yaml::dialect::adamant}));
}

std::string policy_of(const std::string& text) { return describe(resolved(text).policy); }

std::string error_of(const std::string& text) {
    try {
        (void)resolved(text);
    } catch (const yaml::located_error& e) { return e.what(); }
    return "";
}

bool begins(const std::string& text, const std::string& begin) { return text.find(begin) == 0; }

}  // namespace

TEST_CASE("an empty section is Megatron's bf16") {
    const auto r = resolved("{}");
    CHECK(describe(r.policy) == "policy<mode<bf16>>");
    CHECK(r.hyper == hyperparameters{});
    CHECK(r.warnings.empty());
}

TEST_CASE("every storage kind has its name") {
    CHECK(policy_of("precision_aware: true\nmain_params_dtype: remainder8\nmain_grads_dtype: "
                    "bf16\nexp_avg_dtype: fp8\nexp_avg_sq_dtype: fp8\n") ==
          "policy<mode<bf16>, precision_aware, main_params<remainder8>, main_grads<bf16>, exp_avg<fp8>, "
          "exp_avg_sq<fp8>>");
    CHECK(policy_of("precision_aware: true\nmain_params_dtype: none\nexp_avg_dtype: "
                    "fp8_fine\nexp_avg_sq_dtype: fp8_fine\n") ==
          "policy<mode<bf16>, precision_aware, main_params<none>, exp_avg<fp8_fine>, exp_avg_sq<fp8_fine>>");
    CHECK(policy_of("mode: fp16\nprecision_aware: true\nmain_params_dtype: fp16\nexp_avg_dtype: fp16\n") ==
          "policy<mode<fp16>, precision_aware, main_params<fp16>, exp_avg<fp16>>");
    CHECK(policy_of("mode: fp32") == "policy<mode<fp32>>");
    CHECK(policy_of("grad_reduce_in_fp32: false") == "policy<mode<bf16>, grad_reduce_in_fp32<false>>");
}

TEST_CASE("bf16 exp_avg_sq is stochastic, and rounding says otherwise for every field that is rounded") {
    CHECK(policy_of("precision_aware: true\nexp_avg_dtype: bf16\nexp_avg_sq_dtype: bf16\n") ==
          "policy<mode<bf16>, precision_aware, exp_avg<bf16>, exp_avg_sq<bf16, stochastic>>");
    CHECK(policy_of(
              "precision_aware: true\nexp_avg_dtype: bf16\nexp_avg_sq_dtype: bf16\nrounding: stochastic\n") ==
          "policy<mode<bf16>, precision_aware, exp_avg<bf16, stochastic>, exp_avg_sq<bf16, stochastic>>");
    CHECK(policy_of("precision_aware: true\nmain_params_dtype: remainder8\nexp_avg_sq_dtype: bf16\nbetas: "
                    "[0.9, 0.95]\nrounding: nearest\n") ==
          "policy<mode<bf16>, precision_aware, main_params<remainder8, nearest>, exp_avg_sq<bf16>>");
}

TEST_CASE("what is not sound is an error, unless it is accepted by name") {
    const std::string frozen = "precision_aware: true\nexp_avg_sq_dtype: bf16\nrounding: nearest\n";
    CHECK(error_of(frozen) ==
          "f.yaml:2:1: exp_avg_sq_dtype: bf16: [adamant] exp_avg_sq rounded to nearest needs 1 - beta2 >= "
          "2^-5 in bf16 and 2^-8 in fp16: "
          "lower beta2, or round it stochastically. To train so all the same: accept: [square_to_nearest].");
    CHECK(error_of(frozen + "betas: [0.9, 0.95]").empty());
    CHECK(resolved(frozen + "accept: [square_to_nearest]").warnings.size() == 1);
    CHECK(resolved(frozen + "accept: square_to_nearest").warnings.size() == 1);
    CHECK(begins(error_of(frozen + "accept: [mean_reaches_square]"), "f.yaml:2:1: exp_avg_sq_dtype"));
    CHECK(
        begins(error_of("accept: [foo]"),
               "f.yaml:1:1: accept: [foo]: [adamant] accept names soundness rules: write square_to_nearest"));
    CHECK(begins(error_of("precision_aware: true\nexp_avg_dtype: fp8_fine\nexp_avg_sq_dtype: fp8\n"),
                 "f.yaml:2:1: exp_avg_dtype: fp8_fine: [adamant] exp_avg reaches"));
    CHECK(begins(error_of("precision_aware: true\nexp_avg_dtype: fp8\nrounding: nearest\n"),
                 "f.yaml:2:1: exp_avg_dtype: fp8: [adamant] an exp_avg of one byte"));
}

TEST_CASE("words without effect and broken rules are errors at their place") {
    CHECK(begins(error_of("rounding: nearest"),
                 "f.yaml:1:1: rounding: nearest: [adamant] rounding has an effect where a field is rounded"));
    CHECK(begins(error_of("exp_avg_dtype: bf16"),
                 "f.yaml:1:1: exp_avg_dtype: bf16: [adamant] without precision_aware"));
    CHECK(begins(error_of("mode: fp32\ngrad_reduce_in_fp32: false"),
                 "f.yaml:2:1: grad_reduce_in_fp32: false: [adamant] in mode fp32"));
    CHECK(begins(error_of("precision_aware: true\nmain_params_dtype: none\nrounding: nearest\n"),
                 "f.yaml:2:1: main_params_dtype: none: [adamant] bf16 weights without a master"));
    CHECK(begins(error_of("mode: fp16\nprecision_aware: true\nmain_params_dtype: remainder16"),
                 "f.yaml:3:1: main_params_dtype: remainder16"));
    CHECK(begins(error_of("exp_avg_dtype: fp4"),
                 "f.yaml:1:1: exp_avg_dtype: fp4: [adamant] this dtype is fp32, bf16, fp16, fp8, fp8_fine, "
                 "remainder16, remainder8 or none"));
    CHECK(begins(error_of("optimizer: adam"),
                 "f.yaml:1:1: optimizer: adam: [adamant] every key of a section is known"));
    CHECK(begins(error_of("rounding: up"),
                 "f.yaml:1:1: rounding: up: [adamant] rounding is nearest or stochastic"));
    CHECK(begins(error_of("seed: -1"), "f.yaml:1:1: seed: -1: [adamant] a seed is not negative"));
}

TEST_CASE("numbers, seed, scaler and schedule are read") {
    const auto r = resolved(
        "lr: 2e-4\nbetas: [0.8, 0.9]\neps: 1e-6\nweight_decay: 0.5\ndecoupled: false\nbias_correction: "
        "false\n"
        "clip_grad: 3\ngrad_norm_skip_threshold: 50\nseed: 7\nloss_scale: 64\ntotal_training_steps: "
        "10\nlr_decay_style: constant\n");
    CHECK(r.hyper == hyperparameters{.lr = 2e-4,
                                     .beta1 = 0.8,
                                     .beta2 = 0.9,
                                     .eps = 1e-6,
                                     .weight_decay = 0.5,
                                     .bias_correction = false,
                                     .decoupled = false,
                                     .clip_grad = 3,
                                     .grad_norm_skip_threshold = 50,
                                     .seed = 7});
    CHECK(r.loss_scaler->loss_scale == 64);
    CHECK(r.schedule()->lr(5) == 2e-4);
    CHECK(resolved("mode: fp16").loss_scaler->initial_loss_scale == 4294967296.0);
}
