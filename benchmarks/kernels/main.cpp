// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Times single kernels on one thread, all streams in the second cache.
#include "kernels.hpp"

int main(int count, char** words) {
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 2;
    bench::register_plain_updates();
    bench::register_narrow_updates();
    bench::register_norm();
    bench::register_noise();
    benchmark::AddCustomContext("working set",
                                std::to_string(static_cast<int>(bench::working_set() / 1024)) + " KiB");
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
