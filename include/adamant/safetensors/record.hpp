// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! training_record: what a checkpoint says beside its tensors, as the texts of __metadata__.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <adamant/optimizer/state_access.hpp>
#include <adamant/policy/rules.hpp>
#include <adamant/safetensors/header.hpp>
#include <adamant/train/schedule.hpp>

namespace adamant::inline v0::safetensors {

inline constexpr std::string_view checkpoint_format = "adamant checkpoint";
inline constexpr std::string_view format_version = "1";

struct training_record {
    policy_spec policy{};
    run_state run{};
    double beta1 = 0, beta2 = 0;  //!< with which the moments were made
    std::int64_t schedule_position = 0;
    std::optional<schedule_settings> schedule{};
};

namespace detail {

inline std::string to_text(dtype kind) { return std::string(to_string(kind)); }
inline std::string to_text(stored_as field) {
    return to_text(field.kind) + " " + std::string(to_string(field.how));
}

//! The shortest decimal that is read as the same number.
template <class T>
std::string to_text(T number) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

template <class Style, std::size_t N>
std::string to_text(const std::array<style_name<Style>, N>& styles, Style style) {
    for (const auto& known : styles)
        if (known.style == style) return std::string(known.name);
    return "";
}

inline std::string fingerprint(const policy_spec& policy) {
    const policy_spec s = storage_of(policy);
    std::uint64_t hash = 0xCBF29CE484222325ull;  // FNV-1a
    for (const char c : to_text(s.mode) + "," + to_text(s.main_params) + "," + to_text(s.main_grads) + "," +
                            to_text(s.exp_avg) + "," + to_text(s.exp_avg_sq) + "," + to_text(s.grad_bucket))
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (int i = 60; i >= 0; i -= 4) text += digits[hash >> i & 15];
    return text;
}

//! Reads texts of __metadata__; an error names the file, the key and the text.
class record_reader {
public:
    record_reader(const header& h, std::string_view file) : header_(h), file_(file) {}

    const std::string& text(std::string_view key) const {
        const std::string* found = header_.text(key);
        if (found == nullptr) complain(rule, file_, "", "its __metadata__ has no '" + std::string(key) + "'");
        return *found;
    }
    bool has(std::string_view key) const { return header_.text(key) != nullptr; }
    [[noreturn]] void refuse(std::string_view key, std::string_view expected) const {
        complain(
            rule, file_, "",
            "'" + std::string(key) + "' is " + std::string(expected) + ", got '" + shown(text(key)) + "'");
    }

    //! A number in the form that to_text gives it, and in no other.
    template <class T>
    T number(std::string_view key, const char* expected) const {
        const std::string& digits = text(key);
        T value{};
        const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (code != std::errc{} || to_text(value) != digits) refuse(key, expected);
        return value;
    }
    std::int64_t count(std::string_view key) const {
        const auto value = number<std::int64_t>(key, "a decimal from 0 to 2^63 - 1");
        if (value < 0) refuse(key, "a decimal from 0 to 2^63 - 1");
        return value;
    }
    double real(std::string_view key) const { return number<double>(key, "a decimal number"); }
    bool boolean(std::string_view key) const {
        if (text(key) != "true" && text(key) != "false") refuse(key, "true or false");
        return text(key) == "true";
    }
    //! The one of some values whose text this is.
    template <class List, class Name>
    auto one_of(std::string_view key, const List& values, Name name) const {
        for (const auto& value : values)
            if (name(value) == text(key)) return value;
        std::string allowed;
        for (const auto& value : values) allowed.append(allowed.empty() ? "" : ", ").append(name(value));
        refuse(key, "one of " + allowed);
    }
    dtype kind(std::string_view key) const {
        return one_of(key, all_dtypes, [](dtype d) { return to_text(d); });
    }
    stored_as field(std::string_view key) const {
        std::array<stored_as, all_dtypes.size() * all_roundings.size()> fields;
        auto next = fields.begin();
        for (const dtype d : all_dtypes)
            for (const rounding how : all_roundings) *next++ = {d, how};
        return one_of(key, fields, [](stored_as f) { return to_text(f); });
    }
    template <class Style, std::size_t N>
    Style style(std::string_view key, const std::array<style_name<Style>, N>& styles) const {
        return one_of(key, styles, [](const auto& s) { return std::string(s.name); }).style;
    }

    static constexpr std::string_view rule = "__metadata__ of a checkpoint is what save wrote";

private:
    const header& header_;
    std::string_view file_;
};

inline void write_schedule(const schedule_settings& s, text_map& texts) {
    texts["schedule.lr"] = to_text(s.lr);
    texts["schedule.min_lr"] = to_text(s.min_lr);
    texts["schedule.lr_warmup_init"] = to_text(s.lr_warmup_init);
    texts["schedule.lr_warmup_steps"] = to_text(s.lr_warmup_steps);
    texts["schedule.lr_decay_steps"] = to_text(s.lr_decay_steps);
    texts["schedule.lr_decay_style"] = to_text(lr_decay_styles, s.style);
    texts["schedule.lr_wsd_decay_style"] = to_text(wsd_decay_styles, s.wsd_style);
    if (s.lr_wsd_decay_steps) texts["schedule.lr_wsd_decay_steps"] = to_text(*s.lr_wsd_decay_steps);
    texts["schedule.start_weight_decay"] = to_text(s.start_weight_decay);
    texts["schedule.end_weight_decay"] = to_text(s.end_weight_decay);
    texts["schedule.weight_decay_incr_style"] = to_text(wd_incr_styles, s.weight_decay_incr_style);
    texts["schedule.weight_decay_incr_steps"] = to_text(s.weight_decay_incr_steps);
}

inline schedule_settings read_schedule(const record_reader& read, std::string_view file) {
    schedule_settings s;
    s.lr = read.real("schedule.lr");
    s.min_lr = read.real("schedule.min_lr");
    s.lr_warmup_init = read.real("schedule.lr_warmup_init");
    s.lr_warmup_steps = read.count("schedule.lr_warmup_steps");
    s.lr_decay_steps = read.count("schedule.lr_decay_steps");
    s.style = read.style("schedule.lr_decay_style", lr_decay_styles);
    s.wsd_style = read.style("schedule.lr_wsd_decay_style", wsd_decay_styles);
    if (read.has("schedule.lr_wsd_decay_steps"))
        s.lr_wsd_decay_steps = read.count("schedule.lr_wsd_decay_steps");
    s.start_weight_decay = read.real("schedule.start_weight_decay");
    s.end_weight_decay = read.real("schedule.end_weight_decay");
    s.weight_decay_incr_style = read.style("schedule.weight_decay_incr_style", wd_incr_styles);
    s.weight_decay_incr_steps =
        read.number<std::int64_t>("schedule.weight_decay_incr_steps", "a 64-bit decimal");
    try {
        (void)schedule(s);
    } catch (const schedule_error& e) { complain(record_reader::rule, file, "", e.what()); }
    return s;
}

inline policy_spec read_policy(const record_reader& read, std::string_view file) {
    policy_spec spec;
    spec.mode = read.kind("policy.mode");
    spec.precision_aware = read.boolean("policy.precision_aware");
    spec.main_params = read.field("policy.main_params");
    spec.main_grads = read.kind("policy.main_grads");
    spec.exp_avg = read.field("policy.exp_avg");
    spec.exp_avg_sq = read.field("policy.exp_avg_sq");
    spec.grad_bucket = read.kind("policy.grad_bucket");
    spec.narrow_bucket = read.boolean("policy.narrow_bucket");
    if (const auto broken = first_broken(spec)) complain(record_reader::rule, file, "", broken->sentence);
    if (read.text("policy") != describe(spec)) read.refuse("policy", describe(spec));
    if (read.text("policy_fingerprint") != fingerprint(spec))
        read.refuse("policy_fingerprint", fingerprint(spec));
    return spec;
}

}  // namespace detail

inline text_map to_texts(const training_record& r) {
    using detail::to_text;
    text_map texts{{"format", std::string(checkpoint_format)},
                   {"format_version", std::string(format_version)},
                   {"byte_order", "little"},
                   {"policy", describe(r.policy)},
                   {"policy_fingerprint", detail::fingerprint(r.policy)},
                   {"policy.mode", to_text(r.policy.mode)},
                   {"policy.precision_aware", r.policy.precision_aware ? "true" : "false"},
                   {"policy.main_params", to_text(r.policy.main_params)},
                   {"policy.main_grads", to_text(r.policy.main_grads)},
                   {"policy.exp_avg", to_text(r.policy.exp_avg)},
                   {"policy.exp_avg_sq", to_text(r.policy.exp_avg_sq)},
                   {"policy.grad_bucket", to_text(r.policy.grad_bucket)},
                   {"policy.narrow_bucket", r.policy.narrow_bucket ? "true" : "false"},
                   {"step", to_text(r.run.step)},
                   {"state_is_history", r.run.state_is_history ? "true" : "false"},
                   {"seed", to_text(r.run.seed)},
                   {"beta1", to_text(r.beta1)},
                   {"beta2", to_text(r.beta2)},
                   {"schedule_position", to_text(r.schedule_position)}};
    if (r.run.scaler) {
        texts["loss_scaler.scale"] = to_text(r.run.scaler->scale);
        texts["loss_scaler.growth"] = to_text(r.run.scaler->growth);
        texts["loss_scaler.hysteresis"] = to_text(r.run.scaler->hysteresis);
    }
    if (r.schedule) detail::write_schedule(*r.schedule, texts);
    return texts;
}

//! Throws checkpoint_error for a file that is no checkpoint, of another version, or damaged.
inline training_record read_record(const header& h, std::string_view file) {
    const detail::record_reader read(h, file);
    const std::string* format = h.text("format");
    if (format == nullptr || *format != checkpoint_format)
        complain("a checkpoint says so in its __metadata__", file, "",
                 "expected format '" + std::string(checkpoint_format) + "', got " +
                     (format == nullptr ? "none" : "'" + shown(*format) + "'") +
                     "; import_fp32 reads weights of other programs");
    if (read.text("format_version") != format_version)
        complain("a checkpoint of this version is read", file, "",
                 "expected format_version '" + std::string(format_version) + "', got '" +
                     shown(read.text("format_version")) + "'");
    if (read.text("byte_order") != "little") read.refuse("byte_order", "little");
    training_record r;
    r.policy = detail::read_policy(read, file);
    r.run.step = read.count("step");
    r.run.state_is_history = read.boolean("state_is_history");
    r.run.seed = read.number<std::uint64_t>("seed", "a decimal from 0 to 2^64 - 1");
    r.beta1 = read.real("beta1");
    r.beta2 = read.real("beta2");
    r.schedule_position = read.count("schedule_position");
    if (read.has("loss_scaler.scale")) {
        r.run.scaler = {read.real("loss_scaler.scale"), read.count("loss_scaler.growth"),
                        read.number<std::int64_t>("loss_scaler.hysteresis", "a 64-bit decimal")};
        if (!std::isfinite(r.run.scaler->scale) || r.run.scaler->scale <= 0)
            read.refuse("loss_scaler.scale", "finite and above 0");
    }
    if (read.has("schedule.lr")) r.schedule = detail::read_schedule(read, file);
    return r;
}

}  // namespace adamant::inline v0::safetensors
