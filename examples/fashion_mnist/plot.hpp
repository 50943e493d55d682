// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! plot: SVG files, drawn by gnuplot from the CSV files.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "history.hpp"

namespace fashion_mnist {

inline bool have_gnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }

//! Runs a script; false where gnuplot fails.
inline bool run_gnuplot(const std::string& script) {
    std::FILE* pipe = popen("gnuplot", "w");
    if (pipe == nullptr) return false;
    std::fputs(script.c_str(), pipe);
    return pclose(pipe) == 0;
}

//! In single quotes, as gnuplot reads text literally.
inline std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
    return result + "'";
}

inline std::string bytes_text(const adamant::policy_spec& spec) {
    char text[64];
    std::snprintf(text, sizeof text, "%g bytes per parameter", adamant::bytes_per_param(spec));
    return text;
}

//! Commands, one a line.
inline std::string commands(std::initializer_list<std::string> lines) {
    std::string script;
    for (const std::string& line : lines) script += line + "\n";
    return script;
}

//! What both plots have in common.
inline std::string plot_head(const std::filesystem::path& svg, int height, double epochs) {
    return commands({
        "set terminal svg size 900," + std::to_string(height) + " dynamic noenhanced font 'Helvetica,14' " +
            "background rgb 'white'",
        "set output " + quoted(svg.string()),
        "set datafile separator comma",
        "set datafile columnheaders",
        "set grid lc rgb '#dddddd' lt 1",
        "set border 3 lc rgb '#444444'",
        "set tics nomirror",
        "set key right top",
        "set xlabel 'epoch'",
        "set xrange [0:" + std::to_string(epochs) + "]",
        "set logscale y",
        "set yrange [*<0.1:2<*]",
        "set autoscale yfixmax",
        "set ytics (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10)",
    });
}

//! Losses of one run.
inline std::string curve_script(const history& run, const std::filesystem::path& csv,
                                const std::filesystem::path& svg) {
    const std::string file = quoted(csv.string());
    return plot_head(svg, 560, run.curve.back().epoch) +
           commands({
               "set title " + quoted("Fashion-MNIST, " + run.name + ": " + bytes_text(run.spec)) +
                   ".\"\\n\"." + quoted(adamant::describe(run.spec)),
               "set ylabel 'loss (cross-entropy)'",
               "plot " + file + " using 'epoch':'train_loss' with lines lw 1.5 lc rgb '#0072B2' " +
                   "title 'training, mean of 20 steps', " + file + " using 'epoch':'test_loss' " +
                   "with linespoints lw 2 pt 7 ps 0.7 lc rgb '#D55E00' title 'test'",
           });
}

//! Training losses of several runs of `experiment`, and below them how far each is from the first. The range
//! there is fixed: a run that starts with skipped steps is far away for a while, which would flatten all that
//! follows.
inline std::string comparison_script(const std::string& experiment, const std::vector<history>& runs,
                                     const std::filesystem::path& csv, const std::filesystem::path& svg) {
    // Okabe and Ito's colours, which those who cannot tell red from green can tell apart.
    const std::vector<std::string> colours{"#000000", "#0072B2", "#D55E00", "#009E73",
                                           "#CC79A7", "#E69F00", "#56B4E9"};
    const std::string file = quoted(csv.string());
    std::string losses, differences;
    double lowest = runs.front().curve.front().train_loss, highest = lowest;
    for (const history& run : runs)
        for (const curve_point& point : run.curve) {
            lowest = std::min(lowest, point.train_loss);
            highest = std::max(highest, point.train_loss);
        }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::string verb = i == 0 ? "plot " : ", ", column = std::to_string(i + 2);
        const std::string style = " with lines lw 1.5 lc rgb '" + colours[i % colours.size()] + "' dt " +
                                  std::to_string(i / colours.size() + 1) + " title ";
        const std::string title = quoted(runs[i].name + ", " + bytes_text(runs[i].spec));
        losses += verb + file + " using 1:" + column + style + title;
        differences += verb + file + " using 1:($" + column + " - $2)" + style + title;
    }
    const std::string above = commands({
        "set multiplot",
        "set lmargin at screen 0.1",
        "set rmargin at screen 0.96",
        "set tmargin at screen 0.94",
        "set bmargin at screen 0.45",
        "set title " + quoted(experiment + ": training loss by precision policy"),
        "set ylabel 'loss (mean of " + std::to_string(runs.front().curve.front().step) + " steps)'",
        "set yrange [" + std::to_string(0.9 * lowest) + ":" + std::to_string(1.1 * highest) + "]",
        "unset xlabel",
        losses,
    });
    const std::string below = commands({
        "set tmargin at screen 0.35",
        "set bmargin at screen 0.08",
        "set title " + quoted("the same minus " + runs.front().name),
        "set ylabel 'loss difference'",
        "set xlabel 'epoch'",
        "unset logscale y",
        "set yrange [-0.04:0.04]",
        "set ytics auto",
        "unset key",
        differences,
        "unset multiplot",
    });
    return plot_head(svg, 800, runs.front().curve.back().epoch) + above + below;
}

}  // namespace fashion_mnist
