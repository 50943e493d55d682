// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Two policies whose kernels have no codec of moments in common.
#include "train.hpp"

int main() { return train<first_policy>() + train<second_policy>() == 0; }
