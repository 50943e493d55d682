// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A training of any policy: odd tensors, one without a name, one of fp32, steps that are skipped; and the
//! digest of all that a checkpoint has to bring back.
#pragma once

#include <digest.hpp>
#include <train/inputs.hpp>
#include <unjudged.hpp>

#include <adamant/optimizer/any_optimizer.hpp>
#include <adamant/optimizer/convert.hpp>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace checkpoints {

using namespace adamant;

//! The policies that are compiled (catalogues.cpp).
const std::vector<policy_spec>& policies();
//! Of these, the ones that are saved and loaded by every number of ranks.
std::vector<policy_spec> policies_of_ranks();
any_optimizer make(const policy_spec& spec, std::span<const tensor_info> tensors,
                   std::span<const param_view> params, const hyperparameters& hyper,
                   const optimizer_options& options, const std::optional<schedule>& plan);

inline const std::vector<tensor_info>& tensors() {
    static const std::vector<tensor_info> infos{{.name = "layer.weight", .shape = {20, 15}},
                                                {.name = "layer.bias", .shape = {64}},
                                                {.name = "empty", .shape = {0, 7}},
                                                {.name = "scale", .shape = {}},
                                                {},
                                                {.name = "router", .shape = {2, 129}},
                                                {.name = "tail", .shape = {1}}};
    return infos;
}
inline constexpr std::int64_t sizes[] = {300, 64, 0, 1, 3001, 258, 1};
inline constexpr std::size_t router = 5;  // fp32 in every mode

//! A list of tensors in memory of its own.
class stored_list {
public:
    template <class TypeOf>
    explicit stored_list(TypeOf type_of) {
        for (std::size_t i = 0; i < std::size(sizes); ++i) {
            words_.emplace_back(static_cast<std::size_t>(sizes[i]));
            types_.push_back(type_of(i));
        }
    }
    std::vector<tensor_view> views() {
        std::vector<tensor_view> result;
        for (std::size_t i = 0; i < words_.size(); ++i)
            result.emplace_back(types_[i], words_[i].data(), sizes[i]);
        return result;
    }
    void fill(std::uint64_t seed, double scale) {
        for (const tensor_view& view : views()) {
            const auto values = inputs::spread(static_cast<std::size_t>(view.size), ++seed, scale);
            visit_values(view, [&]<class T>(std::span<T> elements) {
                for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = round_to<T>(values[i]);
            });
        }
    }

private:
    std::vector<std::vector<std::uint32_t>> words_;  // two bytes of each stay unused where elements have two
    std::vector<dtype> types_;
};

inline const hyperparameters usual{
    .lr = 3e-3, .beta2 = 0.97, .weight_decay = 0.1, .seed = 0x9E3779B97F4A7C15};
inline const schedule_settings usual_schedule{
    .lr = 3e-3, .min_lr = 1e-4, .lr_warmup_steps = 5, .lr_decay_steps = 60, .style = lr_decay_style::cosine};

struct training {
    stored_list params, grads;
    any_optimizer optimizer;

    //! `start`: which initial weights.
    explicit training(const policy_spec& spec, std::uint64_t start = 1, const hyperparameters& hyper = usual,
                      const schedule_settings& plan = usual_schedule)
        : params([&](std::size_t i) { return i == router ? dtype::fp32 : spec.mode; }),
          grads([&](std::size_t) { return spec.grad_bucket; }),
          optimizer(make(spec, tensors(), filled(start), hyper,
                         unjudged({.loss_scaler = loss_scaler_settings{.initial_loss_scale = 256,
                                                                       .loss_scale_window = 6}}),
                         schedule(plan))) {}

    std::vector<tensor_view> views() { return params.views(); }

    //! Backward pass and step number `number`; each seventh has an infinite gradient.
    step_result step(std::uint64_t number) {
        grads.fill(1000 * (number + 1), 0.01 * optimizer.loss_scale());
        auto gradients = grads.views();
        if (number % 7 == 3)
            visit_values(gradients[4], []<class T>(std::span<T> elements) {
                elements[17] = round_to<T>(std::numeric_limits<float>::infinity());
            });
        return optimizer.step(views(), gradients);
    }
    void steps(std::uint64_t from, std::uint64_t to) {
        for (; from < to; ++from) step(from);
    }

    //! Parameters, codes, scales, step count, schedule and scaler.
    std::uint64_t digest() {
        adamant_test::digest hash;
        for (const tensor_view& view : views())
            visit_values(view, [&](auto elements) { hash.add(elements); });
        const auto state = access_state(optimizer);
        for (const slot s : all_slots)
            for (std::size_t i = 0; i < tensors().size(); ++i) {
                const slot_view codes = optimizer.state(to_string(s), i);
                const std::size_t width = codes.kind == dtype::fp32 ? 4
                                          : codes.kind == dtype::fp8 || codes.kind == dtype::fp8_fine ||
                                                  codes.kind == dtype::remainder8
                                              ? 1
                                              : 2;
                hash.add(codes.data, static_cast<std::size_t>(codes.size) * width);
                if (codes.scales != nullptr)
                    hash.add(codes.scales, (static_cast<std::size_t>(codes.size) + 31) / 32);
            }
        const run_state run = state->run();
        hash.add(static_cast<double>(run.step));
        hash.add(static_cast<double>(run.state_is_history));
        hash.add(static_cast<double>(run.seed));
        hash.add(static_cast<double>(optimizer.schedule_position()));
        if (run.scaler) {
            hash.add(run.scaler->scale);
            hash.add(static_cast<double>(run.scaler->growth));
            hash.add(static_cast<double>(run.scaler->hysteresis));
        }
        return hash.value();
    }

private:
    std::vector<tensor_view> filled(std::uint64_t start) {
        params.fill(start, 0.5);
        return params.views();
    }
};

}  // namespace checkpoints
