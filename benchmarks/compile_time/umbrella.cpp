// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The CPU library in one include, nothing used.
#include <adamant/adamant.hpp>
