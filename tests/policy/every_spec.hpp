// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A loop over every policy_spec that can be written with the enums: 28,311,552.
#pragma once

#include <adamant/policy/policy_spec.hpp>

inline constexpr long every_spec_count = 8L * 2 * (8 * 3) * 8 * (8 * 3) * (8 * 3) * 8 * 2;

template <class F>
void for_each_stored(F&& f) {
    for (const adamant::dtype kind : adamant::all_dtypes)
        for (const adamant::rounding how : adamant::all_roundings) f(adamant::stored_as{kind, how});
}

//! Calls f(spec) for all specs of one mode.
template <class F>
void for_each_spec(adamant::dtype mode, F&& f) {
    adamant::policy_spec spec{.mode = mode};
    for_each_stored([&](adamant::stored_as main_params) {
        spec.main_params = main_params;
        for_each_stored([&](adamant::stored_as exp_avg) {
            spec.exp_avg = exp_avg;
            for_each_stored([&](adamant::stored_as exp_avg_sq) {
                spec.exp_avg_sq = exp_avg_sq;
                for (const adamant::dtype main_grads : adamant::all_dtypes)
                    for (const adamant::dtype bucket : adamant::all_dtypes)
                        for (int switches = 0; switches < 4; ++switches) {
                            spec.main_grads = main_grads;
                            spec.grad_bucket = bucket;
                            spec.precision_aware = switches % 2 == 1;
                            spec.narrow_bucket = switches / 2 == 1;
                            f(spec);
                        }
            });
        });
    });
}
