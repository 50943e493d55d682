// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The policies that are timed, each behind one interface: those of verl_catalogue, and the narrow ones.
#pragma once

#include "subject.hpp"

#include <adamant/policy/catalogue.hpp>

#include <functional>

namespace bench {

struct candidate {
    std::string name;
    double bytes_per_param;
    std::vector<memory_twin::stream> streams;
    std::function<std::unique_ptr<any_subject>(const sizes&, spread, adamant::executor)> make;
};

template <class Policy>
candidate candidate_of() {
    return {Policy::describe(), Policy::bytes_per_param(), subject<Policy>::streams(),
            [](const sizes& list, spread s, adamant::executor executor) -> std::unique_ptr<any_subject> {
                return std::make_unique<subject<Policy>>(list, s, std::move(executor));
            }};
}

template <class... Policies>
std::vector<candidate> candidates_of(adamant::catalogue<Policies...>) {
    return {candidate_of<Policies>()...};
}

//! Defined in a translation unit each, which compile side by side.
std::vector<candidate> verl_candidates();
std::vector<candidate> bf16_candidates();
std::vector<candidate> narrow_candidates();

}  // namespace bench
