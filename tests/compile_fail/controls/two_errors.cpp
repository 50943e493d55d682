// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Refused: the announced error does not come alone.
// EXPECT-ERROR: [adamant] a cat has four legs: count them.
int main() {
#ifndef TWIN
    static_assert(sizeof(char) == 2, "[adamant] a cat has four legs: count them.");
    return four_legs;
#endif
}
