// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Soundness at construction: a policy that trains badly with its numbers is refused, unless that is accepted
//! by name.
#include "model.hpp"

#include <adamant/optimizer/any_optimizer.hpp>
#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

using namespace adamant;

namespace {

template <class... Options>
using aware = policy<mode<bf16>, precision_aware, Options...>;

// A policy and numbers per rule, and what makes the pair sound.
using nearest_square = aware<exp_avg_sq<bf16>>;
using byte_square = aware<exp_avg<fp8>, exp_avg_sq<fp8, nearest>>;
using byte_mean = aware<exp_avg<fp8, nearest>, exp_avg_sq<fp8>>;
using short_mean = aware<exp_avg<fp8_fine>, exp_avg_sq<fp8>>;
using near_remainder = aware<main_params<remainder8, nearest>>;
using all_of_them = catalogue<nearest_square, byte_square, byte_mean, short_mean, near_remainder>;

struct weights {
    std::vector<bfloat16> values = std::vector<bfloat16>(40, to_bfloat16(0.5f));
    std::vector<tensor_view> views{std::span(values)};
};

using names = std::vector<std::string>;

//! What constructing throws, through the type and through the run-time interface alike.
template <class Policy>
std::string built(const hyperparameters& hyper, const names& accept = {}) {
    weights w;
    const auto before = w.values;
    const optimizer_options options{.accept = accept};
    const std::string by_type = thrown<config_error>([&] { adam<Policy>(w.views, hyper, options); });
    const std::string by_spec = thrown<config_error>(
        [&] { (void)make_optimizer<all_of_them>(Policy::spec, {}, w.views, hyper, options); });
    CHECK(by_spec == by_type);
    CHECK(w.values == before);
    return by_type;
}

const std::string nothing = "nothing was thrown";

template <class Rule, class Policy>
void check_rule(const hyperparameters& unsound) {
    const std::string name(Rule::name);
    CAPTURE(name);
    CHECK(built<Policy>(unsound) ==
          std::string(Rule::sentence) + " To train so all the same: .accept = {\"" + name + "\"}.");
    CHECK(built<Policy>(unsound, {name}) == nothing);
    for (const std::string_view other : all_soundness_rules::names)
        if (other != name) CHECK(built<Policy>(unsound, {std::string(other)}).starts_with(Rule::sentence));
}

}  // namespace

TEST_CASE("every rule is judged at construction and accepted by its name, no other's") {
    namespace rules = soundness_rules;
    check_rule<rules::square_to_nearest, nearest_square>({});
    check_rule<rules::byte_square_nearest, byte_square>({});
    check_rule<rules::byte_mean_nearest, byte_mean>({});
    check_rule<rules::mean_reaches_square, short_mean>({});
    check_rule<rules::short_remainder, near_remainder>({.lr = 9e-6});
    CHECK(all_soundness_rules::names.size() == 5);
}

TEST_CASE("sound numbers need no name") {
    CHECK(built<nearest_square>({.beta2 = 0.95}) == nothing);
    CHECK(built<near_remainder>({.lr = 1e-5}) == nothing);
    CHECK(built<nearest_square>({.beta2 = 0.95}, {"square_to_nearest"}) == nothing);
}

TEST_CASE("ranges speak before soundness, soundness before tensors") {
    CHECK(built<nearest_square>({.eps = 0}).starts_with("[adamant] eps is"));
    std::vector<float16> half(3);
    const std::vector<tensor_view> wrong{std::span(half)};
    CHECK(thrown<config_error>([&] {
              adam<nearest_square>(wrong, {});
          }).starts_with(soundness_rules::square_to_nearest::sentence));
}

TEST_CASE("two broken rules are accepted by two names") {
    using both = aware<main_params<remainder8, nearest>, exp_avg_sq<bf16>>;
    const weights w;
    const hyperparameters hyper{.lr = 1e-6};
    const auto error_with = [&](names accept) {
        return thrown<config_error>(
            [&] { adam<both>(w.views, hyper, optimizer_options{.accept = std::move(accept)}); });
    };
    CHECK(error_with({}).starts_with(soundness_rules::square_to_nearest::sentence));
    CHECK(error_with({"square_to_nearest"}).starts_with(soundness_rules::short_remainder::sentence));
    CHECK(error_with({"short_remainder", "square_to_nearest"}) == nothing);
}

TEST_CASE("a name that is no rule's is refused with the names that are, sound or not") {
    for (const hyperparameters& hyper : {hyperparameters{}, hyperparameters{.beta2 = 0.95}})
        for (const char* name : {"square", "Square_to_nearest", "", "exp_avg_sq"})
            CHECK(built<nearest_square>(hyper, {"square_to_nearest", name}) ==
                  "[adamant] accept names soundness rules: write one of square_to_nearest, "
                  "byte_square_nearest, byte_mean_nearest, mean_reaches_square, short_remainder, not '" +
                      std::string(name) + "'.");
}

TEST_CASE("the lr of a step is not judged again") {
    weights w;
    adam<near_remainder> optimizer(w.views, {.lr = 1e-4});
    const std::vector<float> grads(40, 0.25f);
    const std::vector<std::span<const float>> gradients{grads};
    CHECK(optimizer.step(w.views, gradients, {.lr = 1e-7}).status == step_status::applied);
}
