// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The sizes of the tensors of models that people train.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using sizes = std::vector<std::int64_t>;

//! GPT-2 124M: 148 tensors, 124,439,808 parameters (Radford et al. 2019; tied output embedding).
inline sizes gpt2() {
    constexpr std::int64_t width = 768, hidden = 4 * width;
    sizes list{50257 * width, 1024 * width};
    for (int layer = 0; layer < 12; ++layer)
        for (const std::int64_t size : {width, width, width * 3 * width, 3 * width, width * width, width,
                                        width, width, width * hidden, hidden, hidden * width, width})
            list.push_back(size);
    list.insert(list.end(), {width, width});
    return list;
}

//! ResNet-50: 161 tensors, 25,557,032 parameters (He et al. 2015; the variant of torchvision).
inline sizes resnet50() {
    sizes list{64 * 3 * 7 * 7, 64, 64};
    std::int64_t in = 64;
    const auto convolution = [&](std::int64_t from, std::int64_t to, std::int64_t kernel) {
        list.insert(list.end(), {from * to * kernel * kernel, to, to});  // with its batch normalisation
    };
    for (const auto& [width, blocks] : {std::pair{64, 3}, {128, 4}, {256, 6}, {512, 3}})
        for (int block = 0; block < blocks; ++block) {
            convolution(in, width, 1);
            convolution(width, width, 3);
            convolution(width, 4 * width, 1);
            if (block == 0) convolution(in, 4 * width, 1);
            in = 4 * width;
        }
    list.insert(list.end(), {in * 1000, 1000});
    return list;
}

inline sizes tiny() { return sizes(160, 1000); }

inline std::int64_t total(const sizes& list) {
    std::int64_t sum = 0;
    for (const std::int64_t size : list) sum += size;
    return sum;
}

}  // namespace bench
