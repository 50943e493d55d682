// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! adamant: Adam, with precision policies that do not bend. The CPU library in one include; what needs a
//! foreign library (yaml/, safetensors/) is included by name.
#pragma once

// First, and by itself: the compiler's way to a rule's sentence is then two includes long.
#include <adamant/policy/resolve.hpp>

#include <adamant/base/version.hpp>
#include <adamant/numerics/philox.hpp>
#include <adamant/optimizer/any_optimizer.hpp>
#include <adamant/optimizer/convert.hpp>
#include <adamant/optimizer/sharded.hpp>
#include <adamant/optimizer/telemetry.hpp>
#include <adamant/policy/catalogue.hpp>
#include <adamant/policy/presets.hpp>
#include <adamant/step/soundness.hpp>
#include <adamant/train/grad_bucket.hpp>
#include <adamant/train/schedule.hpp>
