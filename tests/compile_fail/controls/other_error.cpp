// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Refused: the error is a misspelt name.
// EXPECT-ERROR: [adamant] a cat has four legs: count them.
int main() {
#ifndef TWIN
    return four_legs;
#endif
}
