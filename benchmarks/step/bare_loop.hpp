// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! bare_loop: one square root and one division per element in the first cache, the least that Adam computes.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {

class bare_loop {
public:
    static constexpr std::size_t elements = 2048;

    void run() { run(values_.data(), others_.data()); }

private:
#if defined(__x86_64__)
    __attribute__((target("avx2"))) static void run(float* a, const float* b) {
        for (std::size_t i = 0; i < elements; i += 8) {
            const __m256 root = _mm256_sqrt_ps(_mm256_loadu_ps(a + i));
            _mm256_storeu_ps(a + i, _mm256_div_ps(_mm256_loadu_ps(b + i), root));
        }
    }
#else
    static void run(float* a, const float* b) {
        for (std::size_t i = 0; i < elements; ++i) a[i] = b[i] / std::sqrt(a[i]);
    }
#endif

    std::vector<float> values_ = std::vector<float>(elements, 0.5f),
                       others_ = std::vector<float>(elements, 0.7f);
};

}  // namespace bench
