// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! tensor_values: the values of every tensor of a network in fp32, as it computes with them.
#pragma once

#include <vector>

namespace fashion_mnist {

//! A vector per tensor, in the order in which the optimizer knows them.
using tensor_values = std::vector<std::vector<float>>;

}  // namespace fashion_mnist
