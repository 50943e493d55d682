// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! progress: how far saving or loading is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace adamant::inline v0::safetensors {

struct progress {
    std::int64_t done = 0;   //!< bytes
    std::int64_t total = 0;  //!< bytes
};

//! Called after every few megabytes, and at the end.
using progress_callback = std::function<void(const progress&)>;

//! Cuts what is moved into pieces and reports them.
class progress_meter {
public:
    static constexpr std::int64_t piece = std::int64_t{8} << 20;

    progress_meter(progress_callback report, std::int64_t total)
        : report_(std::move(report)), state_{0, total} {}

    //! Calls f(offset, length) for the pieces of `bytes`.
    template <class F>
    void move(std::int64_t bytes, F&& f) {
        for (std::int64_t offset = 0; offset < bytes; offset += piece) {
            const std::int64_t length = std::min(piece, bytes - offset);
            f(offset, length);
            state_.done += length;
            if (report_) report_(state_);
        }
    }

private:
    progress_callback report_;
    progress state_;
};

}  // namespace adamant::inline v0::safetensors
