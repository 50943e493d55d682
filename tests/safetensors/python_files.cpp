// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Files for Python's safetensors package, and one from it; run by python.cmake, which names the folder.
#include "scratch.hpp"
#include "simulated_ranks.hpp"
#include "training.hpp"

#include <adamant/safetensors/safetensors.hpp>

#include <doctest/doctest.h>

namespace {

using namespace adamant;
using checkpoints::training;
using nlohmann::json;

std::string hex(const void* data, std::int64_t bytes) {
    std::string text;
    for (std::int64_t i = 0; i < bytes; ++i) {
        constexpr const char* digits = "0123456789abcdef";
        const unsigned char byte = static_cast<const unsigned char*>(data)[i];
        (text += digits[byte >> 4]) += digits[byte & 15];
    }
    return text;
}

//! What Python has to find, from memory.
json expected(state_access& state, const std::vector<tensor_view>& params) {
    json tensors = json::object();
    for (const auto& a : safetensors::detail::arrays_to_write(state, params)) {
        const bool whole = a.part == element_range{0, safetensors::elements_of(a.shape)};
        tensors[a.name] = {{"dtype", a.type.name},
                           {"shape", whole ? a.shape : std::vector{a.part.size()}},
                           {"data", hex(a.data, a.bytes())}};
    }
    return tensors;
}

}  // namespace

TEST_SUITE("python" * doctest::skip(std::getenv("ADAMANT_PYTHON_FILES") == nullptr)) {
    TEST_CASE("files for Python") {
        const std::string folder = std::getenv("ADAMANT_PYTHON_FILES");
        json all = json::object();
        int number = 0;
        const auto next_name = [&] { return "file-" + std::to_string(number++) + ".safetensors"; };
        for (const policy_spec& spec : checkpoints::policies()) {
            training run(spec);
            run.steps(0, 3);
            const auto state = access_state(run.optimizer);
            const std::string name = next_name();
            safetensors::save(folder + "/" + name, run.optimizer, run.views(),
                              {.metadata = {{"note", "\u00e9 \"x\""}}});
            all[name] = {
                {"tensors", expected(*state, run.views())},
                {"metadata", {{"step", "3"}, {"policy", describe(spec)}, {"user.note", "\u00e9 \"x\""}}}};

            const std::string views = next_name();
            safetensors::export_fp32(folder + "/" + views, run.optimizer, run.views());
            json tensors = json::object();
            for (std::size_t i = 0; i < checkpoints::tensors().size(); ++i)
                for (const slot s : all_slots) {
                    const auto values = run.optimizer.export_fp32(to_string(s), i, run.views()[i]);
                    tensors[safetensors::codes_name(s, safetensors::file_name_of(state->tensors(), i))] = {
                        {"dtype", "F32"},
                        {"shape", safetensors::shape_of(state->tensors(), i)},
                        {"data", hex(values.data(), static_cast<std::int64_t>(4 * values.size()))}};
                }
            all[views] = {{"tensors", tensors}, {"metadata", {{"step", "3"}}}};
        }
        training run(checkpoints::policies().front());
        for (int rank = 0; rank < 3; ++rank) {
            checkpoints::rank_access part(access_state(run.optimizer), rank, 3);
            safetensors::save_rank(folder + "/ranks.json", {rank, 3, "one"}, part, run.views());
            all["ranks.one.rank-" + std::to_string(rank) + "-of-3.safetensors"] = {
                {"tensors", expected(part, run.views())},
                {"metadata", {{"ranks", "3"}, {"rank", std::to_string(rank)}}}};
        }
        checkpoints::write_bytes(folder + "/expected.json", all.dump());
    }

    TEST_CASE("a file from Python") {
        const std::string folder = std::getenv("ADAMANT_PYTHON_FILES");
        std::vector<float> weight(6), bias(2);
        const std::vector<std::span<float>> params{weight, bias};
        const std::vector<tensor_info> infos{{.name = "weight", .shape = {2, 3}},
                                             {.name = "bias", .shape = {2}}};
        adam<policy<mode<fp32>>> optimizer(infos, params, {});
        safetensors::import_fp32(folder + "/from_python.safetensors", optimizer, params);
        CHECK(weight == std::vector<float>{0, 1, 2, 3, 4, 5});
        CHECK(bias == std::vector<float>{1, -2});
    }
}
