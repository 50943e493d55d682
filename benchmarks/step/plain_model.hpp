// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! plain_model: fp32 tensors and the loop over one of them that everybody writes first.
#pragma once

#include "tensor_lists.hpp"

#include <cmath>
#include <vector>

namespace bench {

struct plain_tensor {
    std::vector<float> p, g, m, v;
    explicit plain_tensor(std::int64_t size)
        : p(static_cast<std::size_t>(size), 0.1f),
          g(static_cast<std::size_t>(size), 1e-3f),
          m(static_cast<std::size_t>(size)),
          v(static_cast<std::size_t>(size)) {}
};

struct plain_model {
    std::vector<plain_tensor> tensors;
    long step = 0;
    explicit plain_model(const sizes& list) : tensors(list.begin(), list.end()) {}
};

struct plain_constants {
    float b1 = 0.9f, b2 = 0.95f, lr = 1e-6f, eps = 1e-8f, decay = 0.01f, bc1, bc2;
    explicit plain_constants(long step)
        : bc1(1 - std::pow(0.9f, static_cast<float>(step))),
          bc2(1 - std::pow(0.95f, static_cast<float>(step))) {}
};

inline void plain_update(const plain_constants& c, float& p, float g, float& m, float& v) {
    m = c.b1 * m + (1 - c.b1) * g;
    v = c.b2 * v + (1 - c.b2) * g * g;
    p -= c.lr * ((m / c.bc1) / (std::sqrt(v / c.bc2) + c.eps) + c.decay * p);
}

}  // namespace bench
