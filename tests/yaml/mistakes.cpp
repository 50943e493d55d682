// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Typical mistakes and the whole text of each error: file, line, column, key, value, what is allowed.
#include <adamant/yaml/yaml.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

struct mistake {
    const char* what;
    const char* text;
    const char* path;
    const char* error;
};

constexpr mistake mistakes[] = {
    {"a key is misspelt", "actor:\n  optim:\n    exp_avg_dtpye: bf16\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.exp_avg_dtpye: bf16: [adamant] every key of a section is known: remove or "
     "correct exp_avg_dtpye (line 3; do you mean exp_avg_dtype?)."},
    {"a key is another program's",
     "actor:\n  optim:\n    lr: 1e-3\n    learning_rate: 1e-3\n    warmup_step: 5\n", "actor.optim",
     "ppo.yaml:4:5: actor.optim.learning_rate: 1e-3: [adamant] every key of a section is known: remove or "
     "correct learning_rate (line 4), warmup_step (line 5). Known are optimizer, lr, min_lr, clip_grad, "
     "grad_clip, weight_decay, betas, lr_warmup_init, lr_warmup_steps, lr_warmup_steps_ratio, "
     "lr_decay_steps, total_training_steps, lr_decay_style, weight_decay_incr_style, lr_wsd_decay_style, "
     "lr_wsd_decay_steps, use_checkpoint_opt_param_scheduler, use_precision_aware_optimizer, "
     "main_grads_dtype, exp_avg_dtype, exp_avg_sq_dtype, override_optimizer_config or "
     "use_layer_wise_distributed_optimizer."},
    {"a dtype is unknown", "actor:\n  optim:\n    exp_avg_dtype: float16\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.exp_avg_dtype: float16: [adamant] this dtype is fp32, float32, 32, bf16 or"
     " bfloat16: write one of these, case matters."},
    {"a dtype is written in capitals", "actor:\n  optim:\n    main_grads_dtype: BF16\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.main_grads_dtype: BF16: [adamant] this dtype is fp32, float32, 32, bf16 or"
     " bfloat16: write one of these, case matters. Do you mean bf16?"},
    {"fp8 is written in verl's plain key", "actor:\n  optim:\n    exp_avg_sq_dtype: fp8\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.exp_avg_sq_dtype: fp8: [adamant] this dtype is fp32, float32, 32, bf16 or "
     "bfloat16: write one of these, case matters. fp16 and fp8 are written in override_optimizer_config."},
    {"a dtype is null", "actor:\n  optim:\n    exp_avg_dtype:\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.exp_avg_dtype: null: [adamant] this dtype is fp32, float32, 32, bf16 or "
     "bfloat16: write one of these, case matters."},
    {"a list stands for a number", "actor:\n  optim:\n    lr: [1e-3, 1e-4]\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.lr: [1e-3, 1e-4]: [adamant] this is a number: write one like 0.1, 1e-3 or "
     "10, without leading zero."},
    {"a word stands for a number", "actor:\n  optim:\n    lr: fast\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.lr: fast: [adamant] this is a number: write one like 0.1, 1e-3 or 10, "
     "without leading zero."},
    {"a number is negative", "actor:\n  optim:\n    lr: -1e-3\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.lr: -1e-3: [adamant] lr is finite and not negative: write a number >= 0."},
    {"a number is not finite", "actor:\n  optim:\n    weight_decay: .nan\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.weight_decay: .nan: [adamant] this number is finite: write one like 0.1 or"
     " 1e-3."},
    {"betas is one number", "actor:\n  optim:\n    betas: 0.9\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.betas: 0.9: [adamant] this is a list of two numbers: write one like [0.9, "
     "0.999]."},
    {"a beta is 1", "actor:\n  optim:\n    betas: [0.9, 1.0]\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.betas: [0.9, 1.0]: [adamant] beta2 is at least 0 and, in fp32, below 1: "
     "write a number like 0.999."},
    {"a count of steps has a fraction", "actor:\n  optim:\n    lr_warmup_steps: 0.1\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.lr_warmup_steps: 0.1: [adamant] this is a whole number that fits 64 bits: "
     "write digits without fraction or leading zero, like 1000 or 1_000."},
    {"a count of steps begins with a zero", "actor:\n  optim:\n    lr_warmup_steps: 010\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.lr_warmup_steps: 010: [adamant] this is a whole number that fits 64 bits: "
     "write digits without fraction or leading zero, like 1000 or 1_000."},
    {"a switch is 1", "actor:\n  optim:\n    use_precision_aware_optimizer: 1\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.use_precision_aware_optimizer: 1: [adamant] this is a switch: write true "
     "or false."},
    {"the optimizer is another", "actor:\n  optim:\n    optimizer: AdamW\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.optimizer: AdamW: [adamant] the optimizer is adam: write adam, in lower "
     "case; others are not here."},
    {"a key stands twice", "actor:\n  optim:\n    lr: 1e-3\n    lr: 1e-4\n", "actor.optim",
     "ppo.yaml:4:5: actor.optim: [adamant] a key stands once in a map: 'lr' stands on line 3 already."},
    {"a value is left to be given", "actor:\n  optim:\n    lr: ???\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.lr: ???: [adamant] ??? stands for a value that must be given: write it."},
    {"a reference leads nowhere", "actor:\n  optim:\n    lr: ${actor.lr}\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.lr: ${actor.lr}: [adamant] a reference names a value that is there: there "
     "is no 'actor.lr'."},
    {"a path is wrong", "actor:\n  optim:\n    lr: 1e-3\n", "actor.optm",
     "ppo.yaml:2:3: actor.optm: [adamant] a path leads from key to key: there is no 'optm' in 'actor'; do "
     "you mean 'optim'?"},
    {"a path leads to another level", "actor:\n  optim:\n    lr: 1e-3\n", "optim",
     "ppo.yaml:1:1: optim: [adamant] a path leads from key to key: there is no 'optim' in the root; there "
     "is actor."},
    {"a section is empty", "actor:\n  optim:\n", "actor.optim",
     "ppo.yaml:2:3: actor.optim: null: [adamant] a section is a map: write keys and values, or {} for the "
     "defaults."},
    {"an override is misspelt", "actor:\n  optim:\n    override_optimizer_config:\n      adam_bata2: 0.95\n",
     "actor.optim",
     "ppo.yaml:4:7: actor.optim.override_optimizer_config.adam_bata2: 0.95: [adamant] every key of a "
     "section is known: remove or correct adam_bata2 (line 4; do you mean adam_beta2?)."},
    {"an override lowers a moment without the switch",
     "actor:\n  optim:\n    override_optimizer_config:\n      exp_avg_dtype: bf16\n", "actor.optim",
     "ppo.yaml:4:7: actor.optim.override_optimizer_config.exp_avg_dtype: bf16: [adamant] without "
     "precision_aware exp_avg is fp32: add precision_aware (YAML: use_precision_aware_optimizer: true), or"
     " leave exp_avg fp32."},
    {"a master is bf16",
     "actor:\n  optim:\n    use_precision_aware_optimizer: true\n    override_optimizer_config: "
     "{main_params_dtype: bf16}\n",
     "actor.optim",
     "ppo.yaml:4:33: actor.optim.override_optimizer_config.main_params_dtype: bf16: [adamant] main_params "
     "is fp32, fp16, remainder16, remainder8 or none: for a lossless 2-byte master write remainder16, for "
     "no master none with stochastic rounding."},
    {"a bucket switch is misspelt",
     "actor:\n  optim: {}\n  megatron:\n    override_ddp_config:\n      grad_reduce_fp32: false\n",
     "actor.optim",
     "ppo.yaml:5:7: actor.megatron.override_ddp_config.grad_reduce_fp32: false: [adamant] every key of a "
     "section is known: remove or correct grad_reduce_fp32 (line 5; do you mean grad_reduce_in_fp32?)."},
    {"a line is indented with a tab", "actor:\n\toptim: {}\n", "actor.optim",
     "ppo.yaml:2:7: [adamant] a configuration is valid YAML: illegal map value."},
    {"a style is written in capitals",
     "actor:\n  optim:\n    total_training_steps: 10\n    lr_decay_style: Cosine\n", "actor.optim",
     "ppo.yaml:4:5: actor.optim.lr_decay_style: Cosine: [adamant] this style is constant, linear, cosine, "
     "inverse-square-root, inverse_square_root or WSD: write one of these, case matters."},
    {"the warm-up is as long as the training",
     "actor:\n  optim:\n    total_training_steps: 10\n    lr_warmup_steps: 10\n", "actor.optim",
     "ppo.yaml:4:5: actor.optim.lr_warmup_steps: 10: [adamant] the warm-up ends before the decay: lower "
     "lr_warmup_steps or raise lr_decay_steps."},
    {"min_lr is above lr", "actor:\n  optim:\n    total_training_steps: 10\n    lr: 1e-4\n    min_lr: 1e-3\n",
     "actor.optim",
     "ppo.yaml:5:5: actor.optim.min_lr: 1e-3: [adamant] min_lr is between 0 and lr: lower min_lr or raise "
     "lr."},
    {"WSD has no length", "actor:\n  optim:\n    total_training_steps: 10\n    lr_decay_style: WSD\n",
     "actor.optim",
     "ppo.yaml:3:5: actor.optim.lr_wsd_decay_steps: [adamant] WSD ends with lr_wsd_decay_steps, from 1 to "
     "lr_decay_steps: set it."},
    {"the number of training steps is missing", "actor:\n  optim:\n    lr: 1e-3\n", "actor.optim",
     "ppo.yaml:3:5: actor.optim.lr_decay_steps: [adamant] a schedule has a length above 0: set "
     "total_training_steps, or lr_decay_steps."},
};

}  // namespace

TEST_CASE("every typical mistake is answered with the place, the key, the value and what is allowed") {
    for (const mistake& m : mistakes) {
        CAPTURE(m.what);
        try {
            (void)yaml::resolve(yaml::load_text(m.text, "ppo.yaml", m.path)).schedule();
            FAIL_CHECK("accepted, but must not be");
        } catch (const yaml::located_error& e) { CHECK(std::string(e.what()) == m.error); }
    }
}
