// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"

#if defined(BENCH_WITH_TORCH)
#include <torch/torch.h>

bench::peer bench::torch_adamw() {
    return {"libtorch AdamW", [](const sizes& list) -> std::function<void()> {
                std::vector<torch::Tensor> params;
                for (const std::int64_t size : list) {
                    params.push_back(torch::full({size}, 0.1f).requires_grad_());
                    params.back().mutable_grad() = torch::full({size}, 1e-3f);
                }
                const auto options = torch::optim::AdamWOptions(1e-6).betas({0.9, 0.95});
                return [optimizer = std::make_shared<torch::optim::AdamW>(params, options)] {
                    optimizer->step();
                };
            }};
}
#else
bench::peer bench::torch_adamw() { return {}; }
#endif
