// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Refused: the program is as good as its twin.
// EXPECT-ERROR: [adamant] a cat has four legs: count them.
int main() {}
