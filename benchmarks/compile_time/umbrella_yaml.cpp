// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The CPU library and the YAML adapter, nothing used.
#include <adamant/adamant.hpp>
#include <adamant/yaml/yaml.hpp>
