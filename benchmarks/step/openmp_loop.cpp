// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"
#include "plain_model.hpp"

bench::peer bench::openmp_loop() {
#if defined(_OPENMP)
    return {"OpenMP region per tensor", [](const sizes& list) -> std::function<void()> {
                return [model = std::make_shared<plain_model>(list)] {
                    const plain_constants c(++model->step);
                    for (plain_tensor& t : model->tensors) {
                        const auto size = static_cast<std::ptrdiff_t>(t.p.size());
                        float *const p = t.p.data(), *const m = t.m.data(), *const v = t.v.data();
                        const float* const g = t.g.data();
#pragma omp parallel for simd schedule(static)
                        for (std::ptrdiff_t i = 0; i < size; ++i) plain_update(c, p[i], g[i], m[i], v[i]);
                    }
                };
            }};
#else
    return {};
#endif
}
