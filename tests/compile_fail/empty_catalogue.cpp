// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A catalogue without a policy could never be visited.
// EXPECT-ERROR: [adamant] a catalogue has at least one policy: name the ones you use.
#include <adamant/policy/catalogue.hpp>
#include <adamant/policy/presets.hpp>

using namespace adamant;

#ifdef TWIN
using choice = catalogue<presets::lean_bf16>;
#else
using choice = catalogue<>;
#endif

int main() { return choice::specs.size() > 0 ? 0 : 1; }
