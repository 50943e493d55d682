// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Training the n-gram byte model of benchmarks/convergence, every policy ends where fp32 does.
//!
//! The difference of the mean loss of the last 500 of 4,000 steps to fp32's with the same seed is limited to
//! both sides: a lower loss means that steps have another size. The controls, policies that a rule forbids,
//! end far away.
#include "simulation.hpp"

#include <convergence/corpus.hpp>
#include <convergence/ngram_trainer.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

using namespace convergence;

namespace {

struct limit {
    std::string_view name;
    double most;
};
constexpr std::array<limit, 6> limits{{{"remainder16", 0.001},
                                       {"remainder8", 0.001},
                                       {"bf16", 0.001},
                                       {"fp16", 0.001},
                                       {"fp8", 0.008},
                                       {"fp8_fine", 0.005}}};
//! About half of what was seen: +0.07 and +0.5.
constexpr std::array<limit, 2> controls{
    {{"control_nearest_square", 0.035}, {"control_nearest_weight", 0.275}}};

ngram_run train(std::string_view name, const corpus& source, const ngram_options& options) {
    const candidate* who = find_candidate(name);
    REQUIRE(who != nullptr);
    return ngram_trainer(*who, source.text, options).train();
}

//! The loss minus that of `of_reference`.
double difference(std::string_view name, const corpus& source, const ngram_options& options,
                  const ngram_run& of_reference) {
    const ngram_run run = train(name, source, options);
    const double result = run.final_loss() - of_reference.final_loss();
    MESSAGE(std::string(name), ", beta2 ", options.beta2, ", seed ", options.seed, ": ", result,
            ", largest movement ", run.largest_movement, " of ", of_reference.largest_movement);
    return result;
}

void check_limits(const corpus& source, const ngram_options& options) {
    const ngram_run fp32 = train("fp32", source, options);
    MESSAGE("fp32, beta2 ", options.beta2, ", seed ", options.seed, ": loss ", fp32.final_loss(), ", ",
            source.name);
    for (const limit& l : limits) {
        CAPTURE(l.name);
        CHECK(std::abs(difference(l.name, source, options, fp32)) <= l.most);
    }
    for (const limit& l : controls) {
        CAPTURE(l.name);
        CHECK(difference(l.name, source, options, fp32) >= l.most);
    }
}

}  // namespace

TEST_CASE("made-up text is text, the same each time") {
    const std::string text = made_up_text(1000);
    CHECK(text == made_up_text(1000));
    CHECK(text.size() > 3000);
    CHECK(made_up_text(10) == text.substr(0, made_up_text(10).size()));
}

TEST_CASE("a model learns, and with a lossless master as in fp32, bit for bit") {
    const corpus source{"made-up text", made_up_text(5000)};
    const ngram_options options{.steps = simulation::sanitized ? 16 : 200};
    const ngram_run fp32 = train("fp32", source, options);
    CHECK(fp32.losses == train("remainder16", source, options).losses);
    if (simulation::sanitized) return;
    CHECK(fp32.losses.front() > 5);
    CHECK(fp32.final_loss() < 3);
}

TEST_CASE("a short training ends where fp32's does, but for weights rounded to nearest") {
    if (simulation::sanitized) return;
    const corpus source{"made-up text", made_up_text(5000)};
    const ngram_options options{.steps = 250};
    const ngram_run fp32 = train("fp32", source, options);
    CHECK(std::abs(difference("fp8", source, options, fp32)) <= 0.008);
    CHECK(std::abs(difference("remainder8", source, options, fp32)) <= 0.001);
    CHECK(difference("control_nearest_weight", source, options, fp32) >= 0.05);
}

TEST_SUITE("convergence") {
    TEST_CASE("trained with every kind, the byte model ends where fp32 does") {
        const corpus source = find_corpus();
        for (const std::uint64_t seed : {1u, 2u, 3u}) check_limits(source, {.seed = seed});
    }
}
