// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Checkpoints in safetensors files: everything of this folder.
#pragma once

#include <adamant/safetensors/checkpoint_folder.hpp>
#include <adamant/safetensors/fp32.hpp>
#include <adamant/safetensors/load.hpp>
#include <adamant/safetensors/save.hpp>
