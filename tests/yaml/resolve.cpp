// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! From keys to a policy: modes, precedence, what stands beside the section, warnings, the megatron dialect.
#include <adamant/yaml/yaml.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace adamant;

namespace {

yaml::resolution resolved(const std::string& text, yaml::load_options options = {},
                          const std::string& path = "") {
    return yaml::resolve(yaml::load_text(text, "f.yaml", path, options));
}

std::string error_of(const std::string& text, yaml::load_options options = {}, const std::string& path = "") {
    try {
        (void)resolved(text, options, path).schedule();
    } catch (const yaml::located_error& e) { return e.what(); }
    return "";
}

bool warns(const yaml::resolution& r, const std::string& text) {
    for (const std::string& warning : r.warnings)
        if (warning.find(text) != std::string::npos) return true;
    return false;
}

const std::string low =
    "use_precision_aware_optimizer: true\nmain_grads_dtype: bf16\nexp_avg_dtype: bf16\nexp_avg_sq_dtype: "
    "bf16\n";

}  // namespace

TEST_CASE("an empty section has verl's defaults") {
    const auto r = resolved("{}");
    CHECK(describe(r.policy) == "policy<mode<bf16>>");
    CHECK(r.hyper == hyperparameters{});
    CHECK(r.settings.lr_decay_style == "linear");
    CHECK_FALSE(r.loss_scaler.has_value());
    CHECK(r.warnings.empty());
    CHECK(resolved("lr: null\nclip_grad: ~\nbetas:\n").hyper == hyperparameters{});
    CHECK_FALSE(r.settings.use_checkpoint_opt_param_scheduler);
    CHECK(resolved("use_checkpoint_opt_param_scheduler: yes").settings.use_checkpoint_opt_param_scheduler);
}

TEST_CASE("the mode decides what the plain keys mean") {
    CHECK(describe(resolved(low).policy) ==
          "policy<mode<bf16>, precision_aware, main_grads<bf16>, exp_avg<bf16>, exp_avg_sq<bf16>>");
    CHECK(describe(resolved(low, {.mode = dtype::fp32}).policy) == "policy<mode<fp32>>");
    const auto fp16 = resolved(low, {.mode = dtype::fp16});
    CHECK(describe(storage_of(fp16.policy)) == "policy<mode<fp16>>");
    CHECK(fp16.policy.precision_aware);
    REQUIRE(fp16.loss_scaler.has_value());
    CHECK(fp16.loss_scaler->initial_loss_scale == 32768);
    CHECK(warns(fp16, "exp_avg_dtype: bf16: has no effect in mode fp16"));
    CHECK(warns(fp16, "the gradient bucket would be fp16 while main_grads is fp32; it is fp32."));
}

TEST_CASE("overrides win over the mode and the plain keys") {
    const auto r = resolved(low +
                            "override_optimizer_config: {exp_avg_dtype: fp32, exp_avg_sq_dtype: fp8, "
                            "store_param_remainders: false, adam_beta2: 0.95, lr: 0.5}");
    CHECK(describe(r.policy) ==
          "policy<mode<bf16>, precision_aware, main_params<fp32>, main_grads<bf16>, exp_avg_sq<fp8>>");
    CHECK(r.hyper.beta2 == 0.95);
    CHECK(r.hyper.lr == 0.5);
    CHECK(resolved(low + "override_optimizer_config: {main_params_dtype: fp16}").policy.main_params ==
          stored_as{dtype::fp16, rounding::stochastic});
    CHECK(resolved("override_optimizer_config: {loss_scale: 128}").loss_scaler->loss_scale == 128);
}

TEST_CASE("flags in the overrides give the mode, fp16 first") {
    CHECK(resolved("override_optimizer_config: {fp16: true}").policy.mode == dtype::fp16);
    CHECK(resolved("override_optimizer_config: {fp16: true, bf16: true}").policy.mode == dtype::fp16);
    CHECK_FALSE(resolved("override_optimizer_config: {fp16: true, bf16: true}").settings.bf16);
    CHECK(resolved("override_optimizer_config: {bf16: false}").policy.mode == dtype::fp32);
    CHECK(resolved("override_optimizer_config: {bf16: true}", {.mode = dtype::fp32}).policy.mode ==
          dtype::bf16);
    CHECK(warns(resolved("override_optimizer_config: {bf16: true}", {.mode = dtype::fp32}),
                "the mode is bf16, not fp32"));
}

TEST_CASE("dtype, distributed optimizer and bucket stand beside verl's section, and arguments win") {
    const std::string text =
        "actor:\n  optim: {use_precision_aware_optimizer: true, main_grads_dtype: bf16}\n  megatron:\n    "
        "dtype: float16\n    seed: ???\n"
        "    override_ddp_config: {grad_reduce_in_fp32: false}\n";
    CHECK(resolved(text, {}, "actor.optim").policy.mode == dtype::fp16);
    CHECK(resolved(text, {}, "actor.optim").policy.grad_bucket == dtype::fp16);
    CHECK(resolved(text, {.mode = dtype::bf16}, "actor.optim").policy.grad_bucket == dtype::bf16);
    CHECK(resolved(text, {.mode = dtype::bf16, .override_ddp_config = "{grad_reduce_in_fp32: true}"},
                   "actor.optim")
              .policy.grad_bucket == dtype::fp32);
    CHECK(error_of("optim: {}\nmegatron: {dtype: float16, use_distributed_optimizer: false}\n", {}, "optim")
              .find("f.yaml:2:28: megatron.use_distributed_optimizer") == 0);
    CHECK(error_of("optim: {total_training_steps: 5}\nmegatron: {dtype: float16, use_distributed_optimizer: "
                   "false}\n",
                   {.use_distributed_optimizer = true}, "optim")
              .empty());
    CHECK(resolved("optim: {}\nmegatron: null\n", {}, "optim").policy.mode == dtype::bf16);
}

TEST_CASE("a key beside the section that is nearly ours is named") {
    CHECK(warns(resolved("optim: {}\nmegatron: {overide_ddp_config: {}, seed: 1}", {}, "optim"),
                "f.yaml:2:12: megatron.overide_ddp_config: is not read; do you mean override_ddp_config?"));
    CHECK(resolved("optim: {}\nmegatron: {seed: 1, dtypes: 2}", {}, "optim").warnings.size() == 1);
}

TEST_CASE("a bucket below main_grads needs grad_reduce_in_fp32: false") {
    const auto r = resolved("{}", {.override_ddp_config = "{grad_reduce_in_fp32: false}"});
    CHECK(describe(r.policy) == "policy<mode<bf16>, grad_reduce_in_fp32<false>>");
    const auto wide =
        resolved(low, {.override_ddp_config = "{grad_reduce_in_fp32: true, bucket_size: 1000}"});
    CHECK(wide.policy.grad_bucket == dtype::fp32);
    CHECK(warns(wide, "bucket_size: 1000: has no effect"));
    CHECK(error_of("{}", {.override_ddp_config = "{grad_reduce_in_fp32: 1}"})
              .find("override_ddp_config (argument):1:2: grad_reduce_in_fp32: 1") == 0);
}

TEST_CASE("betas of the file are used, and where verl would not use them a warning says so") {
    const auto r = resolved("betas: [0.9, 0.95]");
    CHECK(r.hyper.beta2 == 0.95);
    CHECK(warns(r, "betas: [0.9, 0.95]: betas are used here; verl does not hand them to Adam"));
    CHECK(resolved("betas: [0.9, 0.999]").warnings.empty());
    CHECK(resolved("betas: [0.9, 0.95]\noverride_optimizer_config: {adam_beta2: 0.98}").hyper.beta2 == 0.98);
}

TEST_CASE("what is valid and not sound is a warning that names the key and the better choice") {
    const std::string bf16_sq = "use_precision_aware_optimizer: true\nexp_avg_sq_dtype: bf16\n";
    CHECK(warns(resolved(bf16_sq),
                "f.yaml:2:1: exp_avg_sq_dtype: bf16: [adamant] exp_avg_sq rounded to nearest needs 1 - beta2 "
                ">= 2^-5"));
    CHECK_FALSE(
        warns(resolved(bf16_sq + "override_optimizer_config: {adam_beta2: 0.95}"), "rounded to nearest"));
    CHECK_FALSE(warns(
        resolved("use_precision_aware_optimizer: true\noverride_optimizer_config: {exp_avg_sq_dtype: fp8}"),
        "rounded to nearest"));
}

TEST_CASE("grad_clip is deprecated and wins, clipping off is zero, negative or .inf") {
    const auto r = resolved("grad_clip: 2\nclip_grad: 1\n");
    CHECK(r.hyper.clip_grad == 2);
    CHECK(warns(r, "grad_clip is deprecated"));
    CHECK(std::isinf(resolved("clip_grad: .inf").hyper.clip_grad));
    CHECK(resolved("clip_grad: -1").hyper.clip_grad == -1);
}

TEST_CASE("warm-up and decay steps follow the total") {
    const auto steps = [](const std::string& text, yaml::load_options options = {}) {
        const auto r = resolved(text, options);
        return std::pair(r.settings.lr_warmup_steps, r.settings.lr_decay_steps);
    };
    CHECK(steps("total_training_steps: 99\nlr_warmup_steps_ratio: 0.1") ==
          std::pair<std::int64_t, std::int64_t>(9, 99));
    CHECK(steps("total_training_steps: 99\nlr_warmup_steps_ratio: 0.1\nlr_warmup_steps: 5") ==
          std::pair<std::int64_t, std::int64_t>(5, 99));
    CHECK(
        steps(
            "total_training_steps: 99\nlr_decay_steps: 50\nlr_warmup_steps_ratio: 0.5\nlr_warmup_steps: 0") ==
        std::pair<std::int64_t, std::int64_t>(25, 50));
    CHECK(steps("total_training_steps: -1", {.total_training_steps = 40}) ==
          std::pair<std::int64_t, std::int64_t>(0, 40));
    CHECK(error_of("lr: 1e-3").find("total_training_steps") != std::string::npos);
    CHECK(error_of("total_training_steps: 10\nlr_warmup_steps_ratio: 1e300").find("lr_warmup_steps_ratio") !=
          std::string::npos);
}

TEST_CASE("a float without a fraction is a whole number where it fits 64 bits") {
    const auto steps = [](const std::string& written) {
        return resolved("total_training_steps: 5000\nlr_warmup_steps: " + written).settings.lr_warmup_steps;
    };
    CHECK(steps("1e3") == 1000);
    CHECK(steps("20.0") == 20);
    const auto fits = [](const std::string& written) {
        return error_of("total_training_steps: 5000\nlr_warmup_steps: " + written).find("whole number") ==
               std::string::npos;
    };
    CHECK(fits("9.223372036854774784e18"));
    CHECK(!fits("9.223372036854775808e18"));
    CHECK(fits("-9.223372036854775808e18"));
    CHECK(!fits("-9.223372036854777856e18"));
    CHECK(!fits("1.5"));
}

TEST_CASE("what the caller gives wins over the file, and every key of a schedule is read") {
    const auto r = resolved(
        "total_training_steps: 99\nlr_decay_style: WSD\nlr_wsd_decay_steps: 4\nlr_wsd_decay_style: "
        "linear\nlr_warmup_init: 1e-4",
        {.total_training_steps = 40});
    CHECK(r.settings.total_training_steps == 40);
    CHECK(r.schedule()->lr(36) == 1e-3);
    CHECK(r.schedule()->lr(38) == doctest::Approx(5e-4).epsilon(1e-12));
    CHECK(r.schedule()->settings().lr_warmup_init == 1e-4);
    const yaml::load_options alone{.dialect = yaml::dialect::megatron, .use_distributed_optimizer = false};
    CHECK(error_of("use_precision_aware_optimizer: true", alone).find("needs the distributed optimizer") !=
          std::string::npos);
    CHECK(warns(resolved("override_optimizer_config: {params_dtype: float32}"),
                "params_dtype: float32: has no effect: the mode is bf16"));
    CHECK(error_of("override_optimizer_config: {params_dtype: junk}").find("params_dtype: junk") !=
          std::string::npos);
}

TEST_CASE("keys of Megatron without effect are accepted and named, others are errors") {
    CHECK(warns(resolved("override_optimizer_config: {optimizer_cpu_offload: true, sgd_momentum: 0.9}"),
                "sgd_momentum: 0.9: has no effect"));
    CHECK(error_of("override_optimizer_config: {no_such_field: 1}").find("no_such_field (line 1)") !=
          std::string::npos);
    CHECK(resolved("muon_momentum: 0.95\n_target_: x.Y\nuse_layer_wise_distributed_optimizer: false")
              .warnings.empty());
    CHECK(error_of("use_layer_wise_distributed_optimizer: true")
              .find("f.yaml:1:1: use_layer_wise_distributed_optimizer: true") == 0);
    CHECK(warns(resolved("override_optimizer_config: {store_param_remainders: true}"),
                "store_param_remainders: true: has no effect"));
}

TEST_CASE("the megatron dialect reads Megatron's words") {
    const yaml::load_options megatron{.dialect = yaml::dialect::megatron};
    const auto r = resolved(
        "--bf16: true\nuse-precision-aware-optimizer: yes\nexp_avg_dtype: fp8\nexp_avg_sq_dtype: "
        "torch.bfloat16\nmain_params_dtype: {_target_: torch.float16, _call_: false}\n",
        megatron);
    CHECK(describe(r.policy) ==
          "policy<mode<bf16>, precision_aware, main_params<fp16>, exp_avg<fp8>, exp_avg_sq<bf16>>");
    CHECK_FALSE(r.schedule().has_value());
    CHECK(resolved("params_dtype: torch.float32", megatron).policy.mode == dtype::fp32);
    CHECK(resolved("params_dtype: float32\nbf16: true", megatron).policy.mode == dtype::bf16);
    CHECK(error_of("lr_warmup_iters: 5\ntrain_samples: 7", megatron)
              .find("remove lr_warmup_iters (line 1), train_samples (line 2)") != std::string::npos);
    CHECK(error_of("adam-beta1: 0.9\nadam_beta1: 0.9", megatron).find("stands on line 1 already") !=
          std::string::npos);
    CHECK(error_of("exp_avg_dtype: {_target_: numpy.float32}", megatron).find("exp_avg_dtype: a map") !=
          std::string::npos);
    CHECK(error_of("exp_avg_dtype: torch.bfloat16").find("Do you mean bfloat16?") != std::string::npos);
    CHECK(error_of("exp_avg_dtype: {_target_: torch.bfloat16}").find("exp_avg_dtype: a map") !=
          std::string::npos);
}
