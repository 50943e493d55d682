// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Refused: the program fails before it says anything.
// EXPECT-ERROR: [adamant] a cat has four legs: count them.
#ifndef TWIN
#include <adamant/no_such_header.hpp>
#endif
int main() {}
