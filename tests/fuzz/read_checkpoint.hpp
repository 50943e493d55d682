// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! One broken or odd checkpoint: it ends in a checkpoint_error with nothing changed, or it is loaded, and a
//! step can follow.
#pragma once

#include <digest.hpp>
#include <unjudged.hpp>

#include <adamant/safetensors/safetensors.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fuzz {

using namespace adamant;

//! Which reader a text is for.
enum class reader { load, import, index };

class checkpoint_subject {
    using fp8_policy =
        policy<precision_aware, main_params<remainder8>, main_grads<bf16>, exp_avg<fp8>, exp_avg_sq<fp8>>;

public:
    //! Files are written to this folder, which exists.
    explicit checkpoint_subject(std::string folder)
        : folder_(std::move(folder)),
          weights_(70, to_bfloat16(1.5f)),
          grads_(70, to_bfloat16(0.25f)),
          norm_(5, 1.0f),
          norm_grads_(5, to_bfloat16(-0.5f)),
          optimizer_(std::vector<tensor_info>{{.name = "w", .shape = {7, 10}}, {}},
                     std::vector<tensor_view>{std::span(weights_), std::span(norm_)}, {},
                     unjudged({.executor = serial_executor{}, .loss_scaler = loss_scaler_settings{}})) {
        step();
    }

    //! Good files: a checkpoint, the same as fp32, and an index, whose file is in the folder.
    std::vector<std::pair<reader, std::string>> good_files() {
        const auto text_of = [](const std::string& file) {
            std::ifstream stream(file, std::ios::binary);
            return std::string{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
        };
        const schedule_settings plan{.lr_decay_steps = 10};
        safetensors::save(file("good"), optimizer_, params(), {.schedule = plan, .metadata = {{"a", "b"}}});
        std::vector<std::pair<reader, std::string>> files{{reader::load, text_of(file("good"))}};
        safetensors::export_fp32(file("good"), optimizer_, params());
        files.emplace_back(reader::import, text_of(file("good")));
        const auto state = access_state(optimizer_);
        const std::string index = folder_ + "/index.json";
        safetensors::save_rank(index, {0, 1, "id"}, *state, params());
        safetensors::save_index(index, 1, "id");
        files.emplace_back(reader::index, text_of(index));
        return files;
    }

    //! Yields whether it was taken.
    bool read(reader how, const std::string& bytes) {
        const std::string path = how == reader::index ? folder_ + "/index.json" : file("broken");
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        const std::uint64_t before = digest();
        try {
            if (how == reader::import) safetensors::import_fp32(path, optimizer_, params());
            else safetensors::load(path, optimizer_, params());
        } catch (const checkpoint_error& e) {
            const bool named = std::string(e.what()).find(folder_) != std::string::npos;
            if (digest() == before && named) return false;
            std::fprintf(stderr, "%s: %s\n", named ? "something changed" : "no file is named", e.what());
            std::abort();
        }
        if (optimizer_.step_count() < std::numeric_limits<std::int64_t>::max()) step();
        return true;
    }

private:
    std::string file(const char* name) const { return folder_ + "/" + name + ".safetensors"; }
    std::vector<tensor_view> params() { return {std::span(weights_), std::span(norm_)}; }
    void step() {
        optimizer_.step(params(), std::vector<tensor_view>{std::span(grads_), std::span(norm_grads_)});
    }
    std::uint64_t digest() const {
        adamant_test::digest hash;
        hash.add(std::span(weights_));
        hash.add(std::span(norm_));
        for (std::size_t i = 0; i < 2; ++i) {
            hash.add(optimizer_.state<slot::main_params>(i));
            hash.add(optimizer_.state<slot::exp_avg>(i));
            hash.add(optimizer_.scales<slot::exp_avg>(i));
            hash.add(optimizer_.state<slot::exp_avg_sq>(i));
            hash.add(optimizer_.scales<slot::exp_avg_sq>(i));
        }
        hash.add(optimizer_.loss_scale());
        hash.add(static_cast<double>(optimizer_.step_count()));
        hash.add(static_cast<double>(optimizer_.hyper().seed));
        return hash.value();
    }

    std::string folder_;
    std::vector<bfloat16> weights_, grads_;
    std::vector<float> norm_;
    std::vector<bfloat16> norm_grads_;
    adam<fp8_policy> optimizer_;
};

//! A header's text with its length before it and the rest of a file behind it.
inline std::string with_header(const std::string& text, const std::string& rest) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 0xFF);
    return bytes + text + rest;
}

}  // namespace fuzz
