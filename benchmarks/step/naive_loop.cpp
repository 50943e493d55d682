// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"
#include "plain_model.hpp"

bench::peer bench::naive_loop() {
    return {"naive loop", [](const sizes& list) -> std::function<void()> {
                return [model = std::make_shared<plain_model>(list)] {
                    const plain_constants c(++model->step);
                    for (plain_tensor& t : model->tensors)
                        for (std::size_t i = 0; i < t.p.size(); ++i)
                            plain_update(c, t.p[i], t.g[i], t.m[i], t.v[i]);
                };
            }};
}
