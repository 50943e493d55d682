// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! What others would write or link, on fp32 tensors. A function that does not exist in this build is empty.
#pragma once

#include "tensor_lists.hpp"

#include <functional>
#include <memory>

namespace bench {

struct peer {
    std::string name;
    std::function<std::function<void()>(const sizes&)> make;  //!< a model whose step the function takes
};

//! A plain loop per tensor, on one thread.
peer naive_loop();
//! The same loop with an OpenMP region per tensor.
peer openmp_loop();
//! libtorch's AdamW, the fused one where it has it.
peer torch_adamw();

}  // namespace bench
