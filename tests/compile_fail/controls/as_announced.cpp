// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Accepted: one error, the announced one, with the characters that trip up CMake's lists.
// EXPECT-ERROR: [adamant] a [cat] has four legs; all paws]: count them.
int main() {
#ifndef TWIN
    static_assert(sizeof(char) == 2, "[adamant] a [cat] has four legs; all paws]: count them.");
#endif
}
