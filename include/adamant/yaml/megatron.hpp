// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! megatron: the section is Megatron-Core's OptimizerConfig, its mode the flags fp16 and bf16 or
//! params_dtype.
#pragma once

#include <algorithm>
#include <memory>

#include <adamant/yaml/setting_reader.hpp>

namespace adamant::inline v0::yaml::detail {

//! A copy of a map whose keys are spelt as the configuration class does: --adam-beta1 is adam_beta1.
inline node_ptr with_underscores(const node_ptr& map) {
    if (map->kind != node::type::map) return map;
    auto copy = std::make_shared<node>(*map);
    for (entry& e : copy->entries) {
        if (e.key.starts_with("--")) e.key.erase(0, 2);
        std::ranges::replace(e.key, '-', '_');
    }
    for (std::size_t i = 0; i < copy->entries.size() && copy->problem.empty(); ++i)
        if (const entry* first = copy->find(copy->entries[i].key); first != &copy->entries[i]) {
            copy->problem = "[adamant] a key stands once in a map: '" + first->key + "' stands on line " +
                            std::to_string(first->where.line) + " already.";
            copy->problem_where = copy->entries[i].where;
        }
    return copy;
}

inline settings read_megatron(const config& c) {
    settings s;
    s.places[""] = {c.section->where, c.path, ""};
    const reference_resolver references(c.root);
    const section from(with_underscores(c.section), c.ancestors, c.path, megatron_keys, references,
                       s.warnings);
    dtype mode =
        c.options.mode.value_or(read_dtype(from, "params_dtype", {mode_words, true}).value_or(dtype::bf16));
    mode = mode_by_flags(from, mode);
    set_mode(s, mode);
    if (c.options.use_distributed_optimizer)
        s.use_distributed_optimizer = *c.options.use_distributed_optimizer;
    if (mode == dtype::fp16) s.store_param_remainders = false;
    read_megatron_fields(from, s, {megatron_words, true});
    read_bucket(c, nullptr, references, s,
                s.use_precision_aware_optimizer && s.main_grads_dtype != dtype::fp32);
    return s;
}

}  // namespace adamant::inline v0::yaml::detail
