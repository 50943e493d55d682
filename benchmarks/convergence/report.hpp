// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! report: outcomes as a table, as CSV, and as curves.
#pragma once

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fashion_mnist/curve_file.hpp>
#include <fashion_mnist/plot.hpp>

#include "outcome.hpp"

namespace convergence {

//! A printf format and a value as text; "-" without a value.
inline std::string text_of(const char* format, std::optional<double> value) {
    if (!value) return "-";
    char text[64];
    std::snprintf(text, sizeof text, format, *value);
    return text;
}

inline double loss_difference(const outcome& run, const outcome& of_reference) {
    return run.loss - of_reference.loss;
}

//! The largest over the seeds.
inline std::optional<double> largest_movement(const by_seed& runs) {
    std::optional<double> largest;
    for (const outcome* run : runs) largest = std::max(largest, run->largest_movement);
    return largest;
}

inline void print_row(const by_seed& runs, const by_seed& references) {
    const spread loss = over_seeds(runs, references, loss_difference);
    const auto movement = largest_movement(runs), of_reference = largest_movement(references);
    std::optional<double> share, accuracy;
    if (movement) share = *movement / *of_reference;
    if (runs.front()->accuracy)
        accuracy = over_seeds(runs, references, [](const outcome& run, const outcome& of_fp32) {
                       return *run.accuracy - *of_fp32.accuracy;
                   }).mean;
    std::printf(
        "%-22s  %5g  %8.4f  %+9.5f  %+9.5f  %+9.5f  %8s  %7s  %8s  %5.2f\n",
        std::string(runs.front()->who->name).c_str(), runs.front()->beta2,
        over_seeds(runs, references, [](const outcome& run, const outcome&) { return run.loss; }).mean,
        loss.mean, loss.lowest, loss.highest, text_of("%.2f", movement).c_str(),
        text_of("%.2f", share).c_str(), text_of("%+.2f", accuracy).c_str(),
        adamant::bytes_per_param(runs.front()->who->spec));
}

inline void print_table(const std::vector<outcome>& all, const std::vector<const candidate*>& policies,
                        const std::vector<double>& betas) {
    std::printf("%-22s  %5s  %8s  %9s  %9s  %9s  %8s  %7s  %8s  %5s\n", "policy", "beta2", "loss", "- fp32's",
                "lowest", "highest", "movement", "/ fp32", "accuracy", "bytes");
    for (const double beta2 : betas)
        for (const candidate* who : policies)
            if (const by_seed runs = runs_of(all, *who, beta2); !runs.empty())
                print_row(runs, runs_of(all, reference, beta2));
}

//! A row per run.
inline void write_outcomes(const std::vector<outcome>& all, const std::filesystem::path& path) {
    fashion_mnist::csv_file csv(path);
    csv.write("policy,beta2,seed,loss,loss_minus_fp32,largest_movement,accuracy,bytes_per_param,seconds\n");
    for (const outcome& o : all) {
        double of_reference = 0;
        for (const outcome* r : runs_of(all, reference, o.beta2))
            if (r->seed == o.seed) of_reference = r->loss;
        csv.write("%s,%g,%llu,%.6f,%.6f,%s,%s,%g,%.1f\n", std::string(o.who->name).c_str(), o.beta2,
                  static_cast<unsigned long long>(o.seed), o.loss, o.loss - of_reference,
                  text_of("%.4f", o.largest_movement).c_str(), text_of("%.2f", o.accuracy).c_str(),
                  adamant::bytes_per_param(o.who->spec), o.seconds);
    }
    csv.close();
}

//! Mean training curves with one beta2, as CSV and SVG.
inline void draw_curves(const std::vector<outcome>& all, const std::vector<const candidate*>& policies,
                        double beta2, const std::string& title, const std::filesystem::path& stem) {
    std::vector<fashion_mnist::history> curves;
    for (const candidate* who : policies) {
        const by_seed runs = runs_of(all, *who, beta2);
        if (runs.empty()) continue;
        curves.push_back(mean_curve(runs));
        curves.back().name = who->name;
        curves.back().spec = who->spec;
    }
    const std::string csv = stem.string() + ".csv", svg = stem.string() + ".svg";
    fashion_mnist::write_comparison(curves, csv);
    std::printf("  %s\n", csv.c_str());
    if (!fashion_mnist::have_gnuplot())
        std::printf("  no plot: gnuplot is missing (Debian package gnuplot-nox)\n");
    else if (!fashion_mnist::run_gnuplot(fashion_mnist::comparison_script(title, curves, csv, svg)))
        std::printf("  no plot: gnuplot failed\n");
    else std::printf("  %s\n", svg.c_str());
}

}  // namespace convergence
