// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Telemetry: it changes nothing, counts what the step then does, and has the values that probability and the
//! formats' ranges say.
#include "model.hpp"
#include "narrow_catalogue.hpp"

#include <step/runners.hpp>

#include <adamant/optimizer/telemetry.hpp>
#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace adamant;

namespace {

template <class F, class... Policies>
void for_each(catalogue<Policies...>, F f) {
    (f(std::type_identity<Policies>{}), ...);
}

const optimizer_options small_scale{.loss_scaler = loss_scaler_settings{.initial_loss_scale = 256}};

template <class Policy>
step_telemetry telemetry_of(const model<Policy>& m, const step_options& options = {}) {
    auto& params = const_cast<model<Policy>&>(m);
    return telemetry(m.optimizer, params.param_spans(), m.grad_spans(), options);
}

template <class Policy>
std::vector<float> master_of(model<Policy>& m, std::size_t tensor) {
    return m.optimizer.export_fp32(slot::main_params, tensor, std::span(m.params[tensor]));
}

//! What a slot's stored codes say after a step, by the definition of step_counts. A code is 1 or, in a signed
//! kind, below; no value of these tests is zero.
template <class Policy, slot S>
std::int64_t smallest_codes(const model<Policy>& m, std::size_t tensor) {
    std::int64_t found = 0;
    if constexpr (has_scales<typename Policy::resolved, S>)
        for (const auto code : m.optimizer.template state<S>(tensor)) {
            const int sign = S == slot::exp_avg_sq ? 0 : sizeof(code) == 1 ? 0x80 : 0x8000;
            found += (code & ~sign) <= 1;
        }
    return found;
}

//! One tensor under an optimizer.
template <class Policy>
struct one_tensor {
    using param_t = typename adam<Policy>::param_t;
    using grad_t = typename adam<Policy>::grad_t;

    std::vector<param_t> weights;
    std::vector<grad_t> grads;
    adam<Policy> optimizer;

    one_tensor(const std::vector<float>& start, const hyperparameters& hyper)
        : weights(round_all<param_t>(start)), grads(start.size()), optimizer(params(), hyper) {}

    std::vector<std::span<param_t>> params() { return {weights}; }
    std::vector<std::span<const grad_t>> gradients() const { return {grads}; }
    void set_grads(const std::vector<float>& values) { grads = round_all<grad_t>(values); }
    step_counts counts(const step_options& options = {}) {
        return telemetry(optimizer, params(), gradients(), options).total;
    }
    step_result step(const step_options& options = {}) {
        return optimizer.step(params(), gradients(), options);
    }

    template <class T>
    static std::vector<T> round_all(const std::vector<float>& values) {
        std::vector<T> result;
        for (const float value : values) result.push_back(round_to<T>(value));
        return result;
    }
};

using no_master_with_fp32_bucket = policy<mode<bf16>, precision_aware, main_params<none>>;

const hyperparameters bare{.weight_decay = 0, .clip_grad = 0};

template <class Policy>
void check_nothing_changes() {
    CAPTURE(Policy::describe());
    model<Policy> watched({}, small_scale), alone({}, small_scale);
    for (std::uint64_t i = 0; i < 4; ++i) {
        watched.new_grads(i, 1);
        alone.new_grads(i, 1);
        const auto grads = watched.grads;
        const std::uint64_t before = watched.digest();
        const step_telemetry first = telemetry_of(watched), again = telemetry_of(watched);
        CHECK(first.status == step_status::applied);
        CHECK(first.tensors == again.tensors);
        CHECK(watched.digest() == before);
        CHECK(watched.grads == grads);
        CHECK(watched.optimizer.step_count() == static_cast<std::int64_t>(i));
        CHECK(watched.optimizer.loss_scale() == alone.optimizer.loss_scale());
        CHECK(watched.step().grad_norm == alone.step().grad_norm);
        CHECK(watched.digest() == alone.digest());
    }
}

template <class Policy>
void check_against_step() {
    CAPTURE(Policy::describe());
    model<Policy> m({.lr = 1e-5}, small_scale);
    for (std::uint64_t i = 0; i < 3; ++i) {
        m.new_grads(i, 1);
        for (const auto& tensor : m.grads)
            for (const auto g : tensor) REQUIRE(to_float(g) != 0);
        std::vector<std::vector<float>> before;
        for (std::size_t t = 0; t < m.sizes.size(); ++t) before.push_back(master_of(m, t));
        const step_telemetry said = telemetry_of(m);
        REQUIRE(m.step().status == step_status::applied);
        step_counts total;
        for (std::size_t t = 0; t < m.sizes.size(); ++t) {
            CAPTURE(t);
            const auto after = master_of(m, t);
            std::int64_t unchanged = 0;
            for (std::size_t k = 0; k < after.size(); ++k)
                unchanged += to_bits(after[k]) == to_bits(before[t][k]);
            const step_counts& counts = said.tensors[t];
            CHECK(counts.elements == static_cast<std::int64_t>(m.sizes[t]));
            CHECK(counts.updated == counts.elements);
            CHECK(counts.lost == unchanged);
            CHECK(counts.smallest(slot::main_params) == smallest_codes<Policy, slot::main_params>(m, t));
            CHECK(counts.smallest(slot::exp_avg) == smallest_codes<Policy, slot::exp_avg>(m, t));
            CHECK(counts.smallest(slot::exp_avg_sq) == smallest_codes<Policy, slot::exp_avg_sq>(m, t));
            total.add(counts);
        }
        CHECK(said.total == total);
        CHECK(total.elements == 300 + 64 + 0 + 1 + 5000);
    }
}

}  // namespace

TEST_CASE("telemetry changes nothing, and the step after it has the bits of one without") {
    const auto check = []<class Policy>(std::type_identity<Policy>) { check_nothing_changes<Policy>(); };
    for_each(verl_catalogue{}, check);
    for_each(narrow_catalogue{}, check);
}

TEST_CASE("telemetry counts what the step then does, tensor by tensor") {
    const auto check = []<class Policy>(std::type_identity<Policy>) { check_against_step<Policy>(); };
    for_each(verl_catalogue{}, check);
    for_each(narrow_catalogue{}, check);
}

TEST_CASE("threads count the same") {
    model<remainder8_fp8> serial({}, {}, 180000), threaded({}, {.executor = runners::threaded{3}}, 180000);
    CHECK(telemetry_of(serial).tensors == telemetry_of(threaded).tensors);
}

TEST_CASE("without a master an update is lost with the probability that stochastic rounding says") {
    // From zero state u is 1 - 1e-8 for a gradient of 1. The weight 1.5 stands 2^-7 above its neighbour, so a
    // step of lr is lost with probability 1 - lr / 2^-7; the bounds are four standard deviations.
    const std::size_t count = 32768;
    for (const double lr : {0x1p-8, 0x1p-9, 0x1p-11, 0x1p-14}) {
        CAPTURE(lr);
        hyperparameters hyper = bare;
        hyper.lr = lr;
        one_tensor<policy<mode<bf16>, precision_aware, main_params<none>>> m(std::vector<float>(count, 1.5f),
                                                                             hyper);
        m.set_grads(std::vector<float>(count, 1.0f));
        const double lost = 1 - lr / 0x1p-7;
        const step_counts counts = m.counts();
        CHECK(counts.updated == static_cast<std::int64_t>(count));
        CHECK(std::abs(counts.lost_share() - lost) <=
              4 * std::sqrt(lost * (1 - lost) / static_cast<double>(count)));
        CHECK(counts.lost_share() == static_cast<double>(counts.lost) / static_cast<double>(count));
    }
}

TEST_CASE("a remainder of 16 bits loses nothing where 8 bits to nearest lose all") {
    // 1.5 in a 24-bit float has neighbours 2^-15 away: half of that is the border of rounding to nearest.
    const auto lost_share = []<class Policy>(std::type_identity<Policy>, double lr) {
        hyperparameters hyper = bare;
        hyper.lr = lr;
        std::vector<bfloat16> weights(100, to_bfloat16(1.5f));
        const std::vector<float> grads(100, 1.0f);
        const std::vector<std::span<bfloat16>> params{weights};
        const std::vector<std::span<const float>> gradients{grads};
        const adam<Policy> optimizer(params, hyper, optimizer_options{.accept = {"short_remainder"}});
        return telemetry(optimizer, params, gradients).total.lost_share();
    };
    using exact_remainder = policy<mode<bf16>, precision_aware>;
    using near_remainder = policy<mode<bf16>, precision_aware, main_params<remainder8, nearest>>;
    CHECK(lost_share(std::type_identity<near_remainder>{}, 0.4 * 0x1p-15) == 1);
    CHECK(lost_share(std::type_identity<near_remainder>{}, 0.6 * 0x1p-15) == 0);
    CHECK(lost_share(std::type_identity<exact_remainder>{}, 0.4 * 0x1p-15) == 0);
    // 1.5 in fp32 has neighbours 2^-23 away.
    CHECK(lost_share(std::type_identity<exact_remainder>{}, 0.4 * 0x1p-23) == 1);
    CHECK(lost_share(std::type_identity<exact_remainder>{}, 0.6 * 0x1p-23) == 0);
}

TEST_CASE("an fp32 tensor of a bf16 model counts as fp32") {
    std::vector<float> router(64, 1.5f);
    std::vector<bfloat16> weight(64, to_bfloat16(1.5f));
    const std::vector<tensor_view> params{std::span(router), std::span(weight)};
    const std::vector<float> ones(64, 1.0f);
    const std::vector<tensor_view> grads{std::span(ones), std::span(ones)};
    hyperparameters hyper = bare;
    hyper.lr = 0x1p-20;
    const adam<no_master_with_fp32_bucket> optimizer(params, hyper);
    const step_telemetry said = telemetry(optimizer, params, grads);
    CHECK(said.tensors[0].lost == 0);
    CHECK(said.tensors[1].lost >= 62);  // each moves with probability 2^-13
    CHECK(said.total.lost == said.tensors[1].lost);
    hyper.lr = 0x1p-26;
    const adam<no_master_with_fp32_bucket> slower(params, hyper);
    CHECK(telemetry(slower, params, grads).tensors[0].lost == 64);
}

TEST_CASE("no update is no loss") {
    one_tensor<presets::megatron_bf16> m(std::vector<float>(50, 1.0f), bare);
    CHECK(m.counts() == step_counts{.elements = 50});  // zero gradients
    CHECK(m.counts().lost_share() == 0);
    m.set_grads(std::vector<float>(50, 1.0f));
    CHECK(m.counts().updated == 50);
    CHECK(m.counts({.lr = 0}) == step_counts{.elements = 50});
    m.set_grads(std::vector<float>(50));
    CHECK(m.counts({.weight_decay = 0.1}).updated == 50);
}

TEST_CASE("elements far below their group's largest are on the smallest code") {
    // exp_avg_sq reaches 46341:1 in the gradient (fp8) and 250:1 (fp8_fine); exp_avg in fp8 reaches
    // 448 * 2^9 : 1, in fp8_fine 31 * 2^6 : 1.
    const auto counts = []<class Policy>(std::type_identity<Policy>, float largest) {
        one_tensor<Policy> m(std::vector<float>(32, 1.0f), bare);
        std::vector<float> grads(32, 1.0f);
        grads[7] = largest;
        m.set_grads(grads);
        return m.counts();
    };
    using wide = policy<mode<bf16>, precision_aware, exp_avg<fp8>, exp_avg_sq<fp8>>;
    using fine = policy<mode<bf16>, precision_aware, exp_avg<fp8_fine>, exp_avg_sq<fp8_fine>>;
    using halves = policy<mode<bf16>, precision_aware, exp_avg<fp16>, exp_avg_sq<fp16>>;
    const std::type_identity<wide> in_wide;
    const std::type_identity<fine> in_fine;
    CHECK(counts(in_wide, 1e4f).smallest(slot::exp_avg_sq) == 0);
    CHECK(counts(in_wide, 1e5f).smallest(slot::exp_avg_sq) == 31);
    CHECK(counts(in_wide, 1e4f).smallest(slot::exp_avg) == 0);
    CHECK(counts(in_wide, 1e6f).smallest(slot::exp_avg) == 31);
    CHECK(counts(in_fine, 100.0f).smallest(slot::exp_avg_sq) == 0);
    CHECK(counts(in_fine, 1e4f).smallest(slot::exp_avg_sq) == 31);
    CHECK(counts(in_fine, 100.0f).smallest(slot::exp_avg) == 0);
    CHECK(counts(in_fine, 1e4f).smallest(slot::exp_avg) == 31);
    CHECK(counts(in_fine, 1e4f).smallest_share(slot::exp_avg_sq) == 31.0 / 32);
    // Halves reach 65504 * 2^24 : 1 in exp_avg_sq, the root of which is a million.
    CHECK(counts(std::type_identity<halves>{}, 1e5f).smallest(slot::exp_avg_sq) == 0);
    CHECK(counts(std::type_identity<halves>{}, 1e7f).smallest(slot::exp_avg_sq) == 31);
    // Zeros are on no code, and kinds without scales have none.
    one_tensor<wide> zeros(std::vector<float>(32, 1.0f), bare);
    CHECK(zeros.counts().on_smallest_code == step_counts{}.on_smallest_code);
    CHECK(counts(std::type_identity<presets::megatron_bf16>{}, 1e9f).on_smallest_code ==
          step_counts{}.on_smallest_code);
}

TEST_CASE("moments that are too far apart are cut, as the bound says") {
    // After very many steps B = 1.001 * (1-b1)/sqrt(1-b2) / sqrt(1 - b1^2/b2): 7.27 with these betas.
    using bytes = policy<mode<bf16>, precision_aware, exp_avg<fp8>, exp_avg_sq<fp8>>;
    const double bound = 1.001 * 0.1 / std::sqrt(0.001) / std::sqrt(1 - 0.81 / 0.999);
    REQUIRE(bound == doctest::Approx(7.27).epsilon(0.001));
    const auto cut = [&]<class Policy>(std::type_identity<Policy>, double square) {
        one_tensor<Policy> m(std::vector<float>(32, 1.0f), bare);
        m.optimizer.set_step_count(1'000'000);
        m.optimizer.import_fp32(slot::exp_avg, 0, std::vector<float>(32, 1.0f));
        m.optimizer.import_fp32(slot::exp_avg_sq, 0, std::vector<float>(32, static_cast<float>(square)));
        return m.counts();
    };
    // Values that fp8 holds. With a gradient of 0 they give u = 0.9 / sqrt(0.999 * square).
    CHECK(cut(std::type_identity<bytes>{}, 0x1p-4).cut == 0);
    CHECK(cut(std::type_identity<bytes>{}, 0x1p-6).cut == 0);     // 7.20
    CHECK(cut(std::type_identity<bytes>{}, 0x1.Cp-7).cut == 32);  // 7.70
    CHECK(cut(std::type_identity<bytes>{}, 0x1p-8).cut == 32);
    CHECK(cut(std::type_identity<bytes>{}, 0x1p-8).cut_share() == 1);
    CHECK(cut(std::type_identity<presets::megatron_bf16>{}, 0x1p-8).cut == 0);  // no bound in fp32
}

TEST_CASE("a spike of growing gradients is cut where noise carries it above the bound") {
    // Gradients that grow by b2/b1 every step reach the bound exactly (Cauchy and Schwarz), but for the
    // thousandth that it has to spare: stored in 8 bits, a good part of the elements is carried above it.
    using bytes = policy<mode<fp32>, precision_aware, exp_avg<fp8>, exp_avg_sq<fp8>>;
    hyperparameters hyper = bare;
    hyper.lr = 1;
    const std::size_t count = 3200;
    one_tensor<bytes> m(std::vector<float>(count), hyper);
    double g = 1;
    for (int step = 1; step <= 40; ++step) {
        m.set_grads(std::vector<float>(count, static_cast<float>(g)));
        std::fill(m.weights.begin(), m.weights.end(), 0.0f);
        const step_counts counts = m.counts();
        REQUIRE(m.step().status == step_status::applied);
        // From zero and with lr 1 the weight is -u.
        const float largest = *std::max_element(m.weights.begin(), m.weights.end(),
                                                [](float a, float b) { return std::abs(a) < std::abs(b); });
        const auto at_bound = std::count(m.weights.begin(), m.weights.end(), largest);
        if (step == 1) CHECK(counts.cut == 0);
        if (step >= 10) {
            CHECK(counts.cut == at_bound);
            CHECK(counts.cut_share() > 0.2);
            CHECK(counts.cut_share() < 0.8);
        }
        g *= 0.999 / 0.9;
    }
}

TEST_CASE("a step that would be skipped counts nothing but elements, and the scaler stays") {
    model<presets::scaled_fp16> m({.grad_norm_skip_threshold = 1e6}, small_scale);
    m.grads[0][3] = static_cast<float>(infinity);
    step_telemetry said = telemetry_of(m);
    CHECK(said.status == step_status::skipped_found_inf);
    CHECK(said.total == step_counts{.elements = 5365});
    CHECK(said.tensors[4] == step_counts{.elements = 5000});
    CHECK(m.optimizer.loss_scale() == 256);
    m.new_grads(1, 1);
    CHECK(telemetry_of(m, {.grad_norm = 2e6}).status == step_status::skipped_norm);
    CHECK(telemetry_of(m).status == step_status::applied);
}

TEST_CASE("lists that do not fit are the errors of step, and change nothing") {
    model<presets::lean_bf16> m;
    const std::uint64_t before = m.digest();
    auto params = m.param_spans();
    params.pop_back();
    CHECK(says(thrown<shape_error>([&] { (void)telemetry(m.optimizer, params, m.grad_spans()); }),
               {"parameters", "expected 5", "got 4"}));
    CHECK(says(thrown<config_error>([&] { (void)telemetry_of(m, {.lr = -1}); }), {"lr is"}));
    CHECK(m.digest() == before);
}
