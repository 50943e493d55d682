// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Refused: the corrected program does not compile either.
// EXPECT-ERROR: [adamant] a cat has four legs: count them.
int main() { static_assert(sizeof(char) == 2, "[adamant] a cat has four legs: count them."); }
