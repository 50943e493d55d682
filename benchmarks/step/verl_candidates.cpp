// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "subjects.hpp"

#include <adamant/policy/catalogue.hpp>

std::vector<bench::candidate> bench::verl_candidates() { return candidates_of(adamant::verl_catalogue{}); }
