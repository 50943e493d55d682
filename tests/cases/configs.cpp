// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Real YAML files (configs/NAME.yaml) against what they must give (configs/NAME.check.json).
#include "directories.hpp"

#include <check_config/judge.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

using cases::json;
using namespace adamant;

yaml::config load(const json& check, const cases::fs::path& folder) {
    yaml::load_options options;
    const std::string mode = check["mode"];
    options.mode = mode == "fp16" ? dtype::fp16 : mode == "bf16" ? dtype::bf16 : dtype::fp32;
    options.dialect = check["dialect"] == "megatron" ? yaml::dialect::megatron : yaml::dialect::verl;
    if (check.contains("inject"))
        options.total_training_steps = check["inject"]["total_training_steps"].get<std::int64_t>();
    if (check.contains("ddp")) options.override_ddp_config = check["ddp"].dump();
    if (check.contains("use_distributed_optimizer"))
        options.use_distributed_optimizer = check["use_distributed_optimizer"].get<bool>();
    std::string path = check["path"];
    if (check.contains("document")) path += "#" + std::to_string(check["document"].get<int>());
    if (check.contains("text")) return yaml::load_text(check["text"], "inline.yaml", path, options);
    return yaml::load(folder / check["file"].get<std::string>(), path, options);
}

json fields_of(const yaml::resolution& r) {
    json fields = json::parse(check_config::resolved(r.settings).dump());
    fields["beta1"] = r.hyper.beta1;
    fields["beta2"] = r.hyper.beta2;
    fields["eps"] = r.hyper.eps;
    fields["grad_bucket"] = std::string(to_string(r.policy.grad_bucket));
    fields["grad_norm_skip_threshold"] =
        json::parse(check_config::number(r.hyper.grad_norm_skip_threshold).dump());
    fields["lr_warmup_init"] = r.settings.lr_warmup_init;
    fields["lr_warmup_steps"] = r.settings.lr_warmup_steps;
    fields["lr_decay_steps"] = r.settings.lr_decay_steps;
    fields["total_training_steps"] = r.settings.total_training_steps;
    fields["lr_decay_style"] = r.settings.lr_decay_style;
    fields["lr_wsd_decay_style"] = r.settings.lr_wsd_decay_style;
    fields["lr_wsd_decay_steps"] =
        r.settings.lr_wsd_decay_steps ? json(*r.settings.lr_wsd_decay_steps) : json(nullptr);
    fields["weight_decay_incr_style"] = r.settings.weight_decay_incr_style;
    return fields;
}

void compare(const yaml::resolution& r, const json& wanted) {
    const json fields = fields_of(r);
    for (const auto& item : wanted.items()) {
        const std::string key = item.key();
        const json& value = item.value();
        CAPTURE(key);
        REQUIRE(fields.contains(key));
        CHECK(fields[key] == value);
    }
}

void check_accepted(const json& check, const yaml::config& config) {
    const yaml::resolution r = yaml::resolve(config);
    compare(r, check["resolved"]);
    for (const std::string mention : check["warnings_mention"]) {
        CAPTURE(mention);
        CHECK(std::ranges::any_of(
            r.warnings, [&](const std::string& w) { return w.find(mention) != std::string::npos; }));
    }
    if (check.value("stage", "") == "policy") return;
    const auto schedule = r.schedule();
    if (!check.contains("lr_at")) return;
    REQUIRE(schedule.has_value());
    for (const auto& [step, lr] : check["lr_at"].items())
        CHECK(std::abs(schedule->lr(std::stoll(step)) - lr.get<double>()) <=
              1e-12 * std::abs(lr.get<double>()));
}

void check_refused(const json& check, const cases::fs::path& folder) {
    try {
        const yaml::resolution r = yaml::resolve(load(check, folder));
        if (check.contains("if_accepted")) return compare(r, check["if_accepted"]);
        REQUIRE(check.value("stage", "") != "policy");
        (void)r.schedule();
        FAIL_CHECK("accepted, but must not be");
    } catch (const yaml::located_error& e) {
        const std::string message = e.what();
        CAPTURE(message);
        const auto mentions = [&](const std::string& text) {
            return message.find(text) != std::string::npos;
        };
        CHECK(mentions(check.contains("text") ? "inline.yaml" : check["file"].get<std::string>()));
        for (const std::string text : check["error_mentions"]) {
            CAPTURE(text);
            CHECK(mentions(text));
        }
        if (check.contains("error_mentions_any") && !check["error_mentions_any"].empty())
            CHECK(std::ranges::any_of(check["error_mentions_any"],
                                      [&](const json& text) { return mentions(text); }));
        if (check.contains("error_line") && !check["error_line"].is_null())
            CHECK(e.at().where.line == check["error_line"]);
        if (check.contains("error_suggests") && !check["error_suggests"].is_null())
            CHECK(mentions("do you mean " + check["error_suggests"].get<std::string>() + "?"));
    }
}

}  // namespace

TEST_CASE("every configuration file gives the accepted fields or the error that it must give") {
    int checks = 0;
    for (const auto& file : cases::files("configs", "", ".check.json")) {
        for (const json& check : cases::read_json(file)) {
            ++checks;
            CAPTURE(file.string());
            CAPTURE(check.dump());
            if (check.contains("env_unset"))
                for (const std::string name : check["env_unset"]) unsetenv(name.c_str());
            if (check["expect"] == "accept") check_accepted(check, load(check, file.parent_path()));
            else check_refused(check, file.parent_path());
        }
    }
    CHECK(checks >= 34);
}
