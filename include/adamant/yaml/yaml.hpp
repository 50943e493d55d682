// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The YAML adapter in one include: load, resolve, make_optimizer. Link adamant::yaml.
#pragma once

#include <adamant/yaml/resolve.hpp>
