// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The version of the library, as numbers and as text.
#pragma once

#define ADAMANT_VERSION_MAJOR 0
#define ADAMANT_VERSION_MINOR 1
#define ADAMANT_VERSION_PATCH 0
#define ADAMANT_VERSION_STRING "0.1.0"
