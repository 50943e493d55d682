// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! curve_file: histories as CSV.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include "history.hpp"

namespace fashion_mnist {

class csv_file {
public:
    explicit csv_file(const std::filesystem::path& path)
        : path_(path), file_(std::fopen(path.c_str(), "w"), std::fclose) {
        if (!file_) throw std::runtime_error(path_.string() + ": this file cannot be written.");
    }

    template <class... Arguments>
    void write(const char* format, Arguments... arguments) {
        std::fprintf(file_.get(), format, arguments...);
    }
    void write(const char* text) { std::fputs(text, file_.get()); }

    //! Throws where something could not be written.
    void close() {
        const bool failed = std::ferror(file_.get()) != 0;
        if (std::fclose(file_.release()) != 0 || failed)
            throw std::runtime_error(path_.string() + ": the disk may be full.");
    }

private:
    std::filesystem::path path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

//! A row per point of the curve; the columns of the test set are filled at the end of an epoch.
inline void write_curve(const history& run, const std::filesystem::path& path) {
    csv_file csv(path);
    csv.write("step,epoch,train_loss,lr,grad_norm,loss_scale,skipped_steps,test_loss,test_accuracy\n");
    auto tested = run.epochs.begin();
    for (const curve_point& p : run.curve) {
        csv.write("%lld,%.4f,%.6f,%.6e,%.6g,%g,%lld,", static_cast<long long>(p.step), p.epoch, p.train_loss,
                  p.lr, p.grad_norm, p.loss_scale, static_cast<long long>(p.skipped_steps));
        if (tested != run.epochs.end() && tested->step == p.step) {
            csv.write("%.6f,%.2f", tested->test.loss, tested->test.accuracy);
            ++tested;
        } else {
            csv.write(",");
        }
        csv.write("\n");
    }
    csv.close();
}

//! A column of training losses per run. The runs have the same length.
inline void write_comparison(const std::vector<history>& runs, const std::filesystem::path& path) {
    csv_file csv(path);
    csv.write("epoch");
    for (const history& run : runs) csv.write(",%s", run.name.c_str());
    csv.write("\n");
    for (std::size_t i = 0; i < runs.front().curve.size(); ++i) {
        csv.write("%.4f", runs.front().curve[i].epoch);
        for (const history& run : runs) csv.write(",%.6f", run.curve[i].train_loss);
        csv.write("\n");
    }
    csv.close();
}

}  // namespace fashion_mnist
