// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! known_keys: every key of every section, and what is done with it. A key that is missing here is an error.
#pragma once

#include <adamant/yaml/section.hpp>

namespace adamant::inline v0::yaml::detail {

inline constexpr known_key verl_keys[] = {
    {"optimizer"}, {"lr"}, {"min_lr"}, {"clip_grad"}, {"grad_clip"}, {"weight_decay"}, {"betas"},
    {"lr_warmup_init"}, {"lr_warmup_steps"}, {"lr_warmup_steps_ratio"}, {"lr_decay_steps"}, {"total_training_steps"},
    {"lr_decay_style"}, {"weight_decay_incr_style"}, {"lr_wsd_decay_style"}, {"lr_wsd_decay_steps"},
    {"use_checkpoint_opt_param_scheduler"}, {"use_precision_aware_optimizer"},
    {"main_grads_dtype"}, {"exp_avg_dtype"}, {"exp_avg_sq_dtype"}, {"override_optimizer_config"},
    {"use_layer_wise_distributed_optimizer"}, {"use_layer_wise_*", key_use::ignored},
    {"muon_*", key_use::ignored}, {"_target_", key_use::ignored},
};

//! Megatron-Core's OptimizerConfig (0.20): the override map in verl, the section in the megatron dialect.
inline constexpr known_key megatron_keys[] = {
    {"optimizer"}, {"lr"}, {"min_lr"}, {"clip_grad"}, {"weight_decay"},
    {"adam_beta1"}, {"adam_beta2"}, {"adam_eps"}, {"decoupled_weight_decay"}, {"grad_norm_skip_threshold"},
    {"fp16"}, {"bf16"}, {"params_dtype"}, {"use_precision_aware_optimizer"}, {"store_param_remainders"},
    {"main_params_dtype"}, {"main_grads_dtype"}, {"exp_avg_dtype"}, {"exp_avg_sq_dtype"},
    {"loss_scale"}, {"initial_loss_scale"}, {"min_loss_scale"}, {"loss_scale_window"}, {"hysteresis"},
    {"use_distributed_optimizer"}, {"_target_", key_use::ignored},
    {"optimizer_cpu_offload", key_use::without_effect}, {"optimizer_offload_fraction", key_use::without_effect},
    {"use_torch_optimizer_for_cpu_offload", key_use::without_effect}, {"overlap_cpu_optimizer_d2h_h2d", key_use::without_effect},
    {"pin_cpu_grads", key_use::without_effect}, {"pin_cpu_params", key_use::without_effect},
    {"sgd_momentum", key_use::without_effect}, {"muon_*", key_use::without_effect},
    {"overlap_param_gather", key_use::without_effect}, {"overlap_param_gather_with_optimizer_step", key_use::without_effect},
    {"decoupled_lr", key_use::without_effect}, {"decoupled_min_lr", key_use::without_effect},
    {"log_num_zeros_in_grad", key_use::without_effect}, {"barrier_with_L1_time", key_use::without_effect},
    {"timers", key_use::without_effect}, {"config_logger_dir", key_use::without_effect},
    {"fp8_recipe", key_use::without_effect}, {"use_megatron_fsdp", key_use::without_effect},
    {"reuse_grad_buf_for_mxfp8_param_ag", key_use::without_effect}, {"use_layer_wise_distributed_optimizer", key_use::without_effect},
    // A schedule or a bucket would train something else if it were dropped silently.
    {"lr_scheduler", key_use::refused}, {"scheduler", key_use::refused}, {"lr_decay_*", key_use::refused},
    {"lr_warmup_*", key_use::refused}, {"lr_wsd_*", key_use::refused}, {"wsd_decay_*", key_use::refused},
    {"train_iters", key_use::refused}, {"train_samples", key_use::refused},
    {"start_weight_decay", key_use::refused}, {"end_weight_decay", key_use::refused},
    {"weight_decay_incr_style", key_use::refused}, {"wd_incr_steps", key_use::refused},
    {"distributed_data_parallel_config", key_use::refused}, {"override_ddp_config", key_use::refused},
};

//! Megatron-Core's DistributedDataParallelConfig.
inline constexpr known_key ddp_keys[] = {
    {"grad_reduce_in_fp32"}, {"_target_", key_use::ignored},
    {"bucket_size", key_use::without_effect}, {"overlap_grad_reduce", key_use::without_effect},
    {"overlap_param_gather", key_use::without_effect}, {"align_param_gather", key_use::without_effect},
    {"use_distributed_optimizer", key_use::without_effect}, {"num_distributed_optimizer_instances", key_use::without_effect},
    {"check_for_nan_in_grad", key_use::without_effect}, {"check_for_large_grads", key_use::without_effect},
    {"pad_buckets_for_high_nccl_busbw", key_use::without_effect}, {"reduce_scatter_with_fp32_accumulation", key_use::without_effect},
    {"average_in_collective", key_use::without_effect}, {"fp8_param_gather", key_use::without_effect},
    {"reuse_grad_buf_for_mxfp8_param_ag", key_use::without_effect}, {"use_megatron_fsdp", key_use::without_effect},
    {"use_custom_fsdp", key_use::without_effect}, {"data_parallel_sharding_strategy", key_use::without_effect},
    {"gradient_reduce_div_fusion", key_use::without_effect}, {"suggested_communication_unit_size", key_use::without_effect},
    {"preserve_fp32_weights", key_use::without_effect}, {"keep_fp8_transpose_cache", key_use::without_effect},
    {"nccl_ub", key_use::without_effect}, {"fsdp_double_buffer", key_use::without_effect},
    {"delay_wgrad_compute", key_use::without_effect}, {"outer_dp_sharding_strategy", key_use::without_effect},
};

//! verl keeps the model's side of things in <parent>.megatron; what else stands there is not the optimizer's.
inline constexpr known_key verl_sibling_keys[] = {
    {"dtype"}, {"use_distributed_optimizer"}, {"override_ddp_config"}, {"*", key_use::ignored},
};

}  // namespace adamant::inline v0::yaml::detail
