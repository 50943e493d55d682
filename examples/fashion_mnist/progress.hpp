// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! progress: a bar on a terminal, a line per epoch everywhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include <unistd.h>

#include "history.hpp"

namespace fashion_mnist {

class progress {
public:
    progress(std::int64_t total_steps, int epochs)
        : total_steps_(total_steps), epochs_(epochs), terminal_(isatty(STDOUT_FILENO) == 1) {}
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    void step(std::int64_t step, const curve_point& point) {
        if (!terminal_) return;
        const auto now = std::chrono::steady_clock::now();
        if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        shown_ = true;
        const auto full = static_cast<std::size_t>(bar_width * step / total_steps_);
        const std::string bar = std::string(full, '#') + std::string(bar_width - full, '.');
        std::printf("\r  [%s] %3d %%  epoch %.1f/%d  loss %.4f ", bar.c_str(),
                    static_cast<int>(100 * step / total_steps_), point.epoch, epochs_, point.train_loss);
        std::fflush(stdout);
    }

    void epoch(const epoch_summary& e) {
        clear();
        std::printf(
            "  epoch %d/%d  train loss %.4f  test loss %.4f  test accuracy %.2f %%  lr %.1e  %5.1f s\n",
            ++epoch_, epochs_, e.train_loss, e.test.loss, e.test.accuracy, e.lr, e.seconds);
        std::fflush(stdout);
    }

private:
    static constexpr std::int64_t bar_width = 30;

    void clear() {
        if (!shown_) return;
        std::printf("\r\033[K");
        std::fflush(stdout);
        shown_ = false;
    }

    std::int64_t total_steps_;
    int epochs_;
    bool terminal_;
    bool shown_ = false;
    int epoch_ = 0;
    std::chrono::steady_clock::time_point last_{};
};

}  // namespace fashion_mnist
