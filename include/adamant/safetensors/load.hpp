// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! load: an optimizer and its parameters go on from a checkpoint, in place, from however many files.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <adamant/optimizer/convert.hpp>
#include <adamant/safetensors/save.hpp>
#include <adamant/safetensors/stored_values.hpp>

namespace adamant::inline v0::safetensors {

//! What is done with a checkpoint of another policy.
enum class conversion {
    none,      //!< it is refused
    lossless,  //!< it is taken where nothing is rounded
    narrowing  //!< it is taken, rounded as the optimizer's policy stores it
};

struct load_options {
    conversion convert = conversion::none;
    //! Whether the schedule's shape comes from the checkpoint too (verl's and Megatron-Core's name for it).
    //! Its position always does. For an any_optimizer with a schedule.
    bool use_checkpoint_opt_param_scheduler = false;
    progress_callback on_progress{};
};

//! What was loaded.
struct load_result {
    training_record record{};  //!< as the file has it
    bool converted = false;    //!< it was of another policy
    bool lossless = true;      //!< nothing was rounded
    text_map user_metadata{};  //!< what save_options::metadata was
};

namespace detail {

//! Where a file's codes are decoded, a chunk at a time.
struct conversion_buffers {
    static constexpr std::int64_t chunk = 1 << 18;

    std::vector<std::uint32_t> weights = std::vector<std::uint32_t>(chunk), codes = weights;
    std::vector<std::uint8_t> scales = std::vector<std::uint8_t>(chunk / group_size);
    std::vector<float> values = std::vector<float>(chunk);
};

class loader {
public:
    loader(const std::string& path, state_access& state, std::span<const param_view> params,
           const load_options& options)
        : archive_(path), state_(state), params_(params), options_(options) {
        result_.record = read_record(archive_.first_header(), path);
        for (const auto& [key, value] : archive_.first_header().metadata)
            if (key.starts_with("user.")) result_.user_metadata.emplace(key.substr(5), value);
        judge_policy();
        judge_scaler();
        if (options.use_checkpoint_opt_param_scheduler && !result_.record.schedule)
            complain("use_checkpoint_opt_param_scheduler takes the schedule of the checkpoint", path, "",
                     "it has none");
    }

    //! Judges all of the checkpoint, then takes it.
    load_result run() {
        work plan;
        for (std::size_t i = 0; i < params_.size(); ++i) plan_tensor(i, plan);
        for (const auto& [name, tensor] : archive_.tensors())
            if (!expected_.contains(name))
                complain("a checkpoint has no tensor that the optimizer has not", archive_.path(), name,
                         "the optimizer has none for it");
        progress_meter meter(options_.on_progress, plan.bytes);
        for (const read_plan& p : plan.reads) read(p, meter);
        if (!plan.conversions.empty()) {
            conversion_buffers buffers;
            for (const auto& [s, tensor] : plan.conversions) convert(s, tensor, buffers, meter);
        }
        // Bounds on the update count from when betas changed.
        run_state run = result_.record.run;
        if (result_.record.beta1 != state_.hyper().beta1 || result_.record.beta2 != state_.hyper().beta2)
            run.state_is_history = false;
        state_.restore(run);
        return std::move(result_);
    }

private:
    struct read_plan {
        const archive::tensor* from;
        named_array to;
    };
    struct work {
        std::vector<read_plan> reads;
        std::vector<std::pair<slot, std::size_t>> conversions;
        std::int64_t bytes = 0;
    };

    void judge_policy() {
        const policy_spec from = result_.record.policy, to = state_.spec();
        if (storage_of(from) == storage_of(to)) return;
        result_.converted = true;
        result_.lossless = is_lossless(from, to);
        constexpr std::string_view rule = "a checkpoint is loaded by the policy that wrote it";
        const std::string policies = "it is of " + describe(from) + ", the optimizer has " + describe(to);
        if (from.mode != to.mode)
            complain(rule, archive_.path(), "",
                     policies + "; a state is converted between policies of one mode only");
        const std::string what = result_.lossless ? "would lose nothing" : "would round values";
        if (options_.convert == conversion::none)
            complain(rule, archive_.path(), "",
                     policies + "; to convert it, which " + what + ", ask for " +
                         (result_.lossless ? "conversion::lossless" : "conversion::narrowing"));
        if (options_.convert == conversion::lossless && !result_.lossless)
            complain("a lossless conversion rounds nothing", archive_.path(), "",
                     policies + "; this one " + what + ": ask for conversion::narrowing");
    }
    void judge_scaler() const {
        if (result_.record.run.scaler.has_value() == state_.run().scaler.has_value()) return;
        complain("a loss scaler goes on where it was", archive_.path(), "",
                 result_.record.run.scaler ? "it has a loss scale, the optimizer has no scaler"
                                           : "it has no loss scale, the optimizer has a scaler");
    }

    //! In place, or by pieces through the host's memory.
    void read(const read_plan& plan, progress_meter& meter) {
        if (state_.is_on_host()) return archive_.read(*plan.from, plan.to.part, plan.to.data, meter);
        const std::int64_t width = plan.to.type.bytes, step = progress_meter::piece / width;
        std::vector<char> piece(static_cast<std::size_t>(step * width));
        for (std::int64_t first = plan.to.part.begin; first < plan.to.part.end; first += step) {
            const element_range part{first, std::min(plan.to.part.end, first + step)};
            archive_.read(*plan.from, part, piece.data(), meter);
            state_.copy_from_host(static_cast<char*>(plan.to.data) + (first - plan.to.part.begin) * width,
                                  piece.data(), part.size() * width);
        }
    }

    const archive::tensor* expect(const named_array& array, work& plan) {
        expected_.insert(array.name);
        plan.bytes += array.bytes();
        return &archive_.require(array.name, array.type, array.shape, array.part);
    }

    //! A slot that both policies store alike is read as it is; another is decoded and stored again.
    void plan_tensor(std::size_t i, work& plan) {
        const policy_spec from = result_.record.policy, to = state_.spec();
        const named_array weights = weights_of(state_, i, params_[i]);
        plan.reads.push_back({expect(weights, plan), weights});
        for (const slot s : all_slots) {
            const bool alike = kind_of(from, s) == kind_of(to, s);
            for (const named_array& array : slot_arrays(state_, i, s, from)) {
                const archive::tensor* const stored = expect(array, plan);
                if (alike) plan.reads.push_back({stored, array});
            }
            if (!alike) plan.conversions.emplace_back(s, i);
        }
    }

    void convert(slot s, std::size_t i, conversion_buffers& buffers, progress_meter& meter) {
        const std::string name = file_name_of(state_.tensors(), i);
        const element_range held = state_.held(i);
        for (std::int64_t first = held.begin; first < held.end; first += conversion_buffers::chunk) {
            const element_range part{first, std::min(held.end, first + conversion_buffers::chunk)};
            stored_range stored{buffers.weights.data(), buffers.codes.data(), buffers.scales.data()};
            progress_meter unseen({}, 0);
            if (s == slot::main_params)
                archive_.read(*archive_.find(weights_name(name)), part, stored.weights, unseen);
            if (const auto* codes = archive_.find(codes_name(s, name)))
                archive_.read(*codes, part, stored.codes, meter);
            if (const auto* scales = archive_.find(scales_name(s, name)))
                archive_.read(*scales, groups_of(part), stored.scales, meter);
            const std::span<float> values(buffers.values.data(), static_cast<std::size_t>(part.size()));
            decode(s, result_.record.policy, state_.tensors().type(i), stored, values);
            state_.import_range(s, i, first, values, params_[i].data, result_.record.run.step);
        }
    }

    archive archive_;
    state_access& state_;
    std::span<const param_view> params_;
    const load_options& options_;
    load_result result_;
    std::set<std::string, std::less<>> expected_;
};

}  // namespace detail

//! Loads a checkpoint (a .safetensors file, or the .json index of several) into an optimizer that was built
//! for the same tensors, and its parameters. Seed, step, loss scale and state become those of the file; other
//! hyperparameters stay the optimizer's. Errors: checkpoint_error, which names file and tensor, and
//! shape_error; all is judged before anything changes. Only where the disk fails, or on_progress throws,
//! while values are read, the optimizer holds parts of both: load again before the next step.
template <parameter_list Params>
load_result load(const std::string& path, state_access& state, const Params& params,
                 const load_options& options = {}) {
    const std::vector<param_view> views = detail::take_params(state, params);
    const default_float_environment environment;
    return detail::loader(path, state, views, options).run();
}
template <class Resolved, memory Memory, parameter_list Params>
load_result load(const std::string& path, basic_adam<Resolved, Memory>& optimizer, const Params& params,
                 const load_options& options = {}) {
    return load(path, *access_state(optimizer), params, options);
}
//! The schedule's position comes back in every case.
template <parameter_list Params>
load_result load(const std::string& path, any_optimizer& optimizer, const Params& params,
                 const load_options& options = {}) {
    load_result result = load(path, *access_state(optimizer), params, options);
    optimizer.set_schedule_position(result.record.schedule_position);
    if (options.use_checkpoint_opt_param_scheduler && result.record.schedule)
        optimizer.set_schedule(schedule(*result.record.schedule));
    return result;
}

}  // namespace adamant::inline v0::safetensors
