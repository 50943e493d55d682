// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! OmegaConf references.
#include <adamant/yaml/yaml.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

using namespace adamant;

namespace {

double lr_of(const std::string& text, const std::string& path = "optim") {
    return yaml::resolve(yaml::load_text(text, "f.yaml", path)).hyper.lr;
}

std::string error_of(const std::string& text, const std::string& path = "optim") {
    try {
        (void)yaml::resolve(yaml::load_text(text, "f.yaml", path));
    } catch (const config_error& e) { return e.what(); }
    return "";
}

}  // namespace

TEST_CASE("references lead from the root, the same map, and one up") {
    CHECK(lr_of("a: {b: 1e-4}\noptim: {lr: '${a.b}'}") == 1e-4);
    CHECK(lr_of("optim: {lr: '${.min_lr}', min_lr: 1e-5}") == 1e-5);
    CHECK(lr_of("base: 1e-6\noptim: {lr: '${..base}'}") == 1e-6);
    CHECK(lr_of("a: ${b}\nb: ${c}\nc: 0.5\noptim: {lr: '${a}'}") == 0.5);
    CHECK(lr_of("e: 3\noptim: {lr: '1e-${e}'}") == 1e-3);
    CHECK(lr_of("k: b\na: {b: 0.25}\noptim: {lr: '${a.${k}}'}") == 0.25);
    CHECK(lr_of("a: ${b}\nb: {lr: 0.5}\noptim: {lr: '${a.lr}'}") == 0.5);
    CHECK(lr_of("a: {c: '${..b}'}\nb: {lr: '${.x}', x: 0.75}\noptim: {lr: '${a.c.lr}'}") == 0.75);
    CHECK(lr_of("base: {lr: 0.125}\noptim: ${base}") == 0.125);
    CHECK(lr_of("a: {list: [0.5, 0.9]}\noptim: {lr: 1, betas: '${a.list}'}") == 1);
}

TEST_CASE("resolvers select, read the environment and decode, with defaults") {
    setenv("ADAMANT_TEST_LR", "0.75", 1);
    unsetenv("ADAMANT_TEST_UNSET");
    CHECK(lr_of("optim: {lr: '${oc.env:ADAMANT_TEST_LR}'}") == 0.75);
    CHECK(lr_of("optim: {lr: '${oc.env:ADAMANT_TEST_UNSET,0.5}'}") == 0.5);
    CHECK(lr_of("optim: {lr: '${oc.select:no.where,1e-5}'}") == 1e-5);
    CHECK(lr_of("a: {b: 2}\noptim: {lr: '${oc.select:a.b,1e-5}'}") == 2);
    CHECK(lr_of("optim: {lr: '${oc.decode:${oc.env:ADAMANT_TEST_UNSET,1e-7}}'}") == 1e-7);
    CHECK(lr_of("optim: {lr: '${oc.select:no.where,null}'}") == 1e-3);
}

TEST_CASE("what a reference found leads on from where it stands") {
    // Values as OmegaConf gives them.
    CHECK(
        lr_of("common: {defaults: {lr: '${..lr}'}, lr: 1e-4}\nactor: {optim: '${common.defaults}', lr: 5e-4}",
              "actor.optim") == 1e-4);
    const auto beta2 = [](const std::string& text) {
        return yaml::resolve(yaml::load_text(text, "f.yaml", "actor.optim")).hyper.beta2;
    };
    CHECK(beta2("defaults: {ov: {adam_beta2: '${..lr}'}, lr: 0.95}\nactor: {optim: "
                "{override_optimizer_config: '${defaults.ov}', lr: 0.5}}") == 0.95);
    const auto r = yaml::resolve(yaml::load_text(
        "actor: {flag: true, optim: {use_precision_aware_optimizer: true, main_grads_dtype: bf16}, megatron: "
        "{flag: false, override_ddp_config: {grad_reduce_in_fp32: '${..flag}'}}}",
        "f.yaml", "actor.optim"));
    CHECK(r.policy.grad_bucket == dtype::bf16);
}

TEST_CASE("a list is a level of its own") {
    const auto r = yaml::resolve(
        yaml::load_text("x: {lr: 0.75, optim: {betas: ['${..lr}', 0.95], lr: 0.25}}", "f.yaml", "x.optim"));
    CHECK(r.hyper.beta1 == 0.25);
}

TEST_CASE("a reference that leads nowhere names the key, the reference and the line") {
    const std::string error = error_of("optim:\n  min_lr: 0\n  lr: ${no.such}\n");
    CHECK(error ==
          "f.yaml:3:3: optim.lr: ${no.such}: [adamant] a reference names a value that is there: there is no "
          "'no.such'.");
    CHECK(error_of("optim: {lr: '${oc.env:ADAMANT_TEST_UNSET}'}")
              .find("set ADAMANT_TEST_UNSET or give a default") != std::string::npos);
    CHECK(error_of("optim: {lr: '${mul:2,3}'}").find("'mul' is unknown here") != std::string::npos);
    CHECK(error_of("optim: {lr: '${a'}").find("ends with a brace") != std::string::npos);
    CHECK(error_of("a: ???\noptim: {lr: '${a}'}").find("there is no 'a'") != std::string::npos);
    CHECK(error_of("a: {b: 1}\noptim: {lr: '${a}'}").find("this is a number") != std::string::npos);
    CHECK(error_of("optim: {lr: '${....x}'}").find("there is no '....x'") != std::string::npos);
}

TEST_CASE("references that go round or explode end in an error") {
    CHECK(error_of("a: ${b}\nb: ${a}\noptim: {lr: '${a}'}").find("leads back to itself") !=
          std::string::npos);
    CHECK(error_of("optim: {lr: '${.lr}'}").find("leads back to itself") != std::string::npos);
    std::string doubling = "x0: ''\n";
    for (int i = 1; i < 60; ++i)
        doubling += "x" + std::to_string(i) + ": ${x" + std::to_string(i - 1) + "}${x" +
                    std::to_string(i - 1) + "}\n";
    CHECK(error_of(doubling + "optim: {lr: '${x59}'}").find("at most 1000 references") != std::string::npos);
}

TEST_CASE("only values that are read are resolved") {
    CHECK(lr_of("other:\n  x: ${no.where}\n  y: ???\noptim: {lr: 1e-3}") == 1e-3);
}
