// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The floor of policies alone: types, rules and the catalogue, no kernels.
#include <adamant/policy/catalogue.hpp>
#include <adamant/policy/presets.hpp>
