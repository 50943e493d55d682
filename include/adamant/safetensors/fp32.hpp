// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! export_fp32 and import_fp32: masters and moments as plain fp32 tensors, for other programs and from them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <adamant/safetensors/load.hpp>

namespace adamant::inline v0::safetensors {

inline constexpr std::string_view fp32_format = "adamant fp32";

struct import_result {
    bool has_moments = false;  //!< else they start from zero, and the step count too
    std::int64_t step = 0;
    std::int64_t schedule_position = 0;
    std::vector<std::string> unused{};  //!< tensors of the file that the optimizer has not
};

namespace detail {

inline constexpr std::int64_t fp32_chunk = 1 << 18;  // elements

inline void export_fp32(const std::string& file, state_access& state, std::span<const param_view> params,
                        const save_options& options) {
    header h = header_of(state, options);
    h.metadata["format"] = std::string(fp32_format);
    std::vector<named_array> arrays;
    std::vector<std::pair<slot, std::size_t>> sources;
    for (const slot s : all_slots)
        for (std::size_t i = 0; i < params.size(); ++i) {
            const element_range all{0, params[i].size};
            const std::string name = codes_name(s, file_name_of(state.tensors(), i));
            if (state.held(i) != all)
                complain("export_fp32 writes whole tensors", file, name, "only a part of it is held here");
            arrays.push_back(
                {name, element_type_of(dtype::fp32), shape_of(state.tensors(), i), all, nullptr});
            sources.emplace_back(s, i);
        }
    check_names(state, arrays, file);
    describe_arrays(arrays, h);

    const std::string head = to_bytes(h, file);
    const std::int64_t data = h.entries.empty() ? 0 : h.entries.back().end;
    output_file out(file, static_cast<std::int64_t>(head.size()) + data);
    out.write(head.data(), static_cast<std::int64_t>(head.size()));
    progress_meter meter(options.on_progress, data);
    std::vector<float> values(static_cast<std::size_t>(fp32_chunk));
    for (const auto& [s, i] : sources)
        for (std::int64_t first = 0; first < params[i].size; first += fp32_chunk) {
            const std::int64_t count = std::min(fp32_chunk, params[i].size - first);
            state.export_range(s, i, first, std::span(values).first(static_cast<std::size_t>(count)),
                               params[i].data);
            meter.move(count * 4, [&](std::int64_t offset, std::int64_t bytes) {
                out.write(reinterpret_cast<const char*>(values.data()) + offset, bytes);
            });
        }
    out.commit();
}

class fp32_importer {
public:
    fp32_importer(const std::string& path, state_access& state, std::span<const param_view> params,
                  progress_callback on_progress)
        : archive_(path), state_(state), params_(params), on_progress_(std::move(on_progress)) {}

    import_result run() {
        run_state run = state_.run();
        read_texts(run);
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < params_.size(); ++i) {
            const std::string name = file_name_of(state_.tensors(), i);
            const std::string master = codes_name(slot::main_params, name);
            bytes += expect(slot::main_params, i, archive_.find(master) != nullptr ? master : name);
            if (!result_.has_moments) continue;
            for (const slot s : {slot::exp_avg, slot::exp_avg_sq}) bytes += expect(s, i, codes_name(s, name));
        }
        for (const auto& [name, tensor] : archive_.tensors())
            if (!used_.contains(name)) result_.unused.push_back(name);

        progress_meter meter(on_progress_, bytes);
        for (const source& from : sources_) take(from, run.step, meter);
        if (!result_.has_moments)
            for (std::size_t i = 0; i < params_.size(); ++i)
                for (const slot s : {slot::exp_avg, slot::exp_avg_sq}) take({s, i, nullptr}, run.step, meter);
        state_.restore(run);
        return std::move(result_);
    }

private:
    struct source {
        slot to;
        std::size_t tensor;
        const archive::tensor* from;  //!< null: zeros
    };

    void read_texts(run_state& run) {
        const header& h = archive_.first_header();
        const record_reader read(h, archive_.path());
        const std::string* format = h.text("format");
        if (format != nullptr && *format == checkpoint_format)
            complain("import_fp32 reads plain weights", archive_.path(), "", "this is a checkpoint: load it");
        for (const auto& [name, tensor] : archive_.tensors())
            result_.has_moments |= name.starts_with("exp_avg.") || name.starts_with("exp_avg_sq.");
        run.step = 0;
        run.state_is_history = true;
        if (!result_.has_moments) return;
        result_.step = run.step = read.count("step");
        result_.schedule_position =
            read.has("schedule_position") ? read.count("schedule_position") : run.step;
        run.state_is_history =
            format != nullptr && *format == fp32_format && read.boolean("state_is_history") &&
            read.real("beta1") == state_.hyper().beta1 && read.real("beta2") == state_.hyper().beta2;
    }

    //! Yields the bytes that will be read.
    std::int64_t expect(slot s, std::size_t i, const std::string& name) {
        const archive::tensor* const from = archive_.find(name);
        if (from == nullptr)
            complain("a file to import has every tensor of the optimizer", archive_.path(), name,
                     s == slot::main_params ? "neither this nor '" + codes_name(s, name) + "' is there"
                                            : std::string("it is not there"));
        if (from->type.name != "F32" && from->type.name != "BF16" && from->type.name != "F16")
            complain("a tensor to import is F32, BF16 or F16", archive_.path(), name,
                     "got " + std::string(from->type.name));
        (void)archive_.require(name, from->type, shape_of(state_.tensors(), i), state_.held(i));
        used_.insert(name);
        sources_.push_back({s, i, from});
        return state_.held(i).size() * from->type.bytes;
    }

    void take(const source& from, std::int64_t step, progress_meter& meter) {
        const element_range held = state_.held(from.tensor);
        for (std::int64_t first = held.begin; first < held.end; first += fp32_chunk) {
            const element_range part{first, std::min(held.end, first + fp32_chunk)};
            const auto count = static_cast<std::size_t>(part.size());
            values_.assign(count, 0.0f);
            if (from.from != nullptr) {
                stored_.resize(count);
                archive_.read(*from.from, part, stored_.data(), meter);
                const std::string_view type = from.from->type.name;
                const auto load = [&]<class T>(std::type_identity<T>) {
                    load_all<plain_codec<T>>({reinterpret_cast<T*>(stored_.data())}, values_);
                };
                if (type == "F32") load(std::type_identity<float>{});
                else if (type == "BF16") load(std::type_identity<bfloat16>{});
                else load(std::type_identity<float16>{});
            }
            state_.import_range(from.to, from.tensor, first, values_, params_[from.tensor].data, step);
        }
    }

    archive archive_;
    state_access& state_;
    std::span<const param_view> params_;
    progress_callback on_progress_;
    import_result result_;
    std::vector<source> sources_;
    std::set<std::string, std::less<>> used_;
    std::vector<std::uint32_t> stored_;
    std::vector<float> values_;
};

}  // namespace detail

//! Writes main_params.NAME, exp_avg.NAME and exp_avg_sq.NAME of every tensor as F32. Errors: those of save.
template <tensor_list Params>
void export_fp32(const std::string& file, state_access& state, const Params& params,
                 const save_options& options = {}) {
    const std::vector<param_view> views = detail::take_params(state, params);
    const default_float_environment environment;
    detail::export_fp32(file, state, views, options);
}
template <class Resolved, memory Memory, tensor_list Params>
void export_fp32(const std::string& file, const basic_adam<Resolved, Memory>& optimizer, const Params& params,
                 const save_options& options = {}) {
    export_fp32(file, *detail::access_to_read(optimizer), params, options);
}
template <tensor_list Params>
void export_fp32(const std::string& file, const any_optimizer& optimizer, const Params& params,
                 const save_options& options = {}) {
    export_fp32(file, *detail::access_to_read(optimizer), params,
                detail::with_schedule_of(optimizer, options));
}

//! Starts weights and masters from main_params.NAME or NAME (F32, BF16 or F16), of a model trained elsewhere;
//! moments and step count from the file where it has exp_avg and exp_avg_sq, else from zero. All is rounded
//! as the policy stores it. Errors: those of load.
template <parameter_list Params>
import_result import_fp32(const std::string& path, state_access& state, const Params& params,
                          const progress_callback& on_progress = {}) {
    const std::vector<param_view> views = detail::take_params(state, params);
    const default_float_environment environment;
    return detail::fp32_importer(path, state, views, on_progress).run();
}
template <class Resolved, memory Memory, parameter_list Params>
import_result import_fp32(const std::string& path, basic_adam<Resolved, Memory>& optimizer,
                          const Params& params, const progress_callback& on_progress = {}) {
    return import_fp32(path, *access_state(optimizer), params, on_progress);
}
template <parameter_list Params>
import_result import_fp32(const std::string& path, any_optimizer& optimizer, const Params& params,
                          const progress_callback& on_progress = {}) {
    import_result result = import_fp32(path, *access_state(optimizer), params, on_progress);
    optimizer.set_schedule_position(result.schedule_position);
    return result;
}

}  // namespace adamant::inline v0::safetensors
