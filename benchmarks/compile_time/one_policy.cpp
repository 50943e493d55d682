// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! One policy.
#include "train.hpp"

int main() { return train<first_policy>() == 0; }
