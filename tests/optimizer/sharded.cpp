// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! sharded over ranks that are threads: another gradient on every rank against a serial model of the same
//! reduction, what all ranks agree on, ranks that own nothing, and what is refused.
#include "rank_model.hpp"

#include <thrown.hpp>
#include <train/rounded_double.hpp>

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

#include <set>

using namespace adamant;

namespace {

const std::vector<std::int64_t> uneven{1073, 65, 1, 257, 0, 3, 511, 129};
constexpr hyperparameters clipped{
    .lr = 3e-3, .beta2 = 0.95, .weight_decay = 0.1, .clip_grad = 0.5, .seed = 11};

//! adam on the mean of all ranks' gradients, calculated here.
template <class Policy>
std::vector<std::uint64_t> serial_model(int ranks, int steps, const hyperparameters& hyper) {
    using grad_t = typename adam<Policy>::grad_t;
    weights<Policy> w(uneven);
    adam<Policy> optimizer(w.tensors(), w.views(), hyper, unjudged());
    for (int step = 1; step <= steps; ++step) {
        std::vector<std::vector<grad_t>> means;
        for (std::size_t t = 0; t < uneven.size(); ++t) {
            means.emplace_back();
            std::vector<std::vector<grad_t>> of_ranks;
            for (int rank = 0; rank < ranks; ++rank)
                of_ranks.push_back(gradient<grad_t>(rank, step, t, uneven[t]));
            for (std::size_t i = 0; i < of_ranks[0].size(); ++i) {
                double sum = to_float(of_ranks[0][i]);
                for (std::size_t rank = 1; rank < of_ranks.size(); ++rank) sum += to_float(of_ranks[rank][i]);
                means[t].push_back(rounded_double<grad_t>(sum / ranks));
            }
        }
        optimizer.step(w.views(), std::vector<std::span<const grad_t>>(means.begin(), means.end()));
    }
    std::vector<std::uint64_t> digests{w.digest()};
    for (std::size_t t = 0; t < uneven.size(); ++t)
        for (const slot s : {slot::exp_avg, slot::exp_avg_sq})
            digests.push_back(digest_of(optimizer.export_fp32(s, t)));
    return digests;
}

template <class Policy>
void check_serial_model(std::type_identity<Policy>) {
    CAPTURE(Policy::describe());
    using grad_t = typename adam<Policy>::grad_t;
    for (const int count : {1, 2, 3, 4, 8}) {
        CAPTURE(count);
        const auto expected = serial_model<Policy>(count, 5, clipped);
        std::set<std::uint64_t> seen;
        thread_ranks::run(count, [&](thread_ranks::communicator ranks) {
            rank_model<Policy> m(uneven, clipped, std::move(ranks), {.bucket_size = 900});
            for (int step = 1; step <= 5; ++step)
                m.step([&](std::size_t t) {
                    return gradient<grad_t>(m.optimizer.ranks().rank(), step, t, uneven[t]);
                });
            std::vector<std::uint64_t> digests{m.w.digest()};
            for (std::size_t t = 0; t < uneven.size(); ++t)
                for (const slot s : {slot::exp_avg, slot::exp_avg_sq})
                    digests.push_back(digest_of(m.gathered(s, t)));
            CHECK(digests == expected);
        });
    }
}

bool has(const std::string& text, std::initializer_list<const char*> words) {
    for (const char* word : words)
        if (text.find(word) == std::string::npos) return false;
    return true;
}

using plain = presets::full_fp32;
using scaled_bucket = policy<mode<fp16>, grad_reduce_in_fp32<false>>;

std::vector<float> constant(std::int64_t size, float value) {
    return std::vector<float>(static_cast<std::size_t>(size), value);
}

}  // namespace

TEST_CASE("with another gradient on every rank, ranks are a serial model of the same reduction") {
    check_serial_model(std::type_identity<plain>{});
    check_serial_model(std::type_identity<presets::lean_bf16>{});
    check_serial_model(std::type_identity<scaled_bucket>{});
}

TEST_CASE("the bucket has main_grads' dtype, and what is said explicitly wins") {
    static_assert(std::is_same_v<sharded<presets::megatron_bf16>::grad_t, float>);
    static_assert(std::is_same_v<sharded<presets::lean_bf16>::grad_t, bfloat16>);
    static_assert(std::is_same_v<sharded<policy<mode<bf16>, grad_reduce_in_fp32<false>>>::grad_t, bfloat16>);
    static_assert(
        std::is_same_v<sharded<policy<mode<bf16>, precision_aware, main_grads<bf16>, bucket<fp32>>>::grad_t,
                       float>);
}

TEST_CASE("a single process is a shard of one") {
    weights<plain> a(uneven), b(uneven);
    sharded<plain> alone(a.tensors(), a.views(), clipped, single{});
    adam<plain> optimizer(b.tensors(), b.views(), clipped);
    for (int step = 1; step <= 3; ++step) {
        std::vector<std::vector<float>> grads;
        for (std::size_t t = 0; t < uneven.size(); ++t) {
            grads.push_back(gradient<float>(0, step, t, uneven[t]));
            std::ranges::copy(grads[t], alone.grad(t).begin());
        }
        const auto result = alone.step(a.views());
        CHECK(result.grad_norm ==
              optimizer.step(b.views(), std::vector<std::span<const float>>(grads.begin(), grads.end()))
                  .grad_norm);
    }
    CHECK(a.digest() == b.digest());
    CHECK(alone.bytes().transfers == 0);
    CHECK(alone.bytes().state == optimizer.state_bytes());
}

TEST_CASE("norm, clipping, loss scale and skips are those of all ranks") {
    for (const int count : {2, 3})
        thread_ranks::run(count, [&](thread_ranks::communicator ranks) {
            const int rank = ranks.rank();
            rank_model<scaled_bucket> m(
                {400, 3}, {.clip_grad = 1, .grad_norm_skip_threshold = 1000}, std::move(ranks),
                {.optimizer = {.loss_scaler =
                                   loss_scaler_settings{.initial_loss_scale = 8, .hysteresis = 1}}});
            const auto step = [&](float value, int of_rank) {
                return m.step([&](std::size_t t) {
                    const float mine = t == 1 && rank == of_rank ? value : 8.0f;
                    return std::vector<float16>(t == 1 ? 3 : 400, to_float16(mine));
                });
            };
            const std::uint64_t before = m.w.digest();
            // An infinity on one rank, in a tensor that one rank owns: all skip, and all scales fall.
            const step_result infinite = step(std::numeric_limits<float>::infinity(), count - 1);
            CHECK(infinite.status == step_status::skipped_found_inf);
            CHECK(m.optimizer.loss_scale() == 4);
            CHECK(m.w.digest() == before);
            CHECK(m.optimizer.step_count() == 0);
            // Unscaled gradients are 2: a norm of 2 sqrt(403), on every rank.
            const step_result applied = step(8, 0);
            CHECK(applied.status == step_status::applied);
            CHECK(applied.grad_norm == doctest::Approx(2 * std::sqrt(403.0)).epsilon(1e-12));
            CHECK(applied.clip_coefficient ==
                  doctest::Approx(1 / (2 * std::sqrt(403.0) + 1e-6)).epsilon(1e-12));
            CHECK(m.optimizer.step_count() == 1);
            const std::uint64_t after = m.w.digest();
            CHECK(after != before);
            const step_result too_large = step(60000, 0);
            CHECK(too_large.status == step_status::skipped_norm);
            CHECK(m.w.digest() == after);
        });
}

TEST_CASE("a norm that is known from outside saves the reading pass on all ranks") {
    thread_ranks::run(2, [&](thread_ranks::communicator ranks) {
        rank_model<plain> m({500}, {.clip_grad = 1}, std::move(ranks));
        const auto grads = [](std::size_t) { return constant(500, 1); };
        CHECK(m.step(grads, {.grad_norm = 4.0}).clip_coefficient == doctest::Approx(0.25).epsilon(1e-6));
        CHECK(m.step(grads, {.grad_norm = std::numeric_limits<double>::infinity()}).status ==
              step_status::skipped_found_inf);
    });
}

TEST_CASE("ranks that own nothing step, count and end with the same parameters") {
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{5}, {1, 2, 0}, {0}, {}})
        thread_ranks::run(8, [&](thread_ranks::communicator ranks) {
            const int rank = ranks.rank();
            rank_model<presets::lean_bf16> m(sizes, {.beta2 = 0.95}, std::move(ranks));
            for (int step = 0; step < 3; ++step)
                CHECK(m.step([&](std::size_t t) {
                           return std::vector<bfloat16>(static_cast<std::size_t>(sizes[t]), to_bfloat16(1));
                       }).status == step_status::applied);
            CHECK(m.optimizer.step_count() == 3);
            if (rank == 7) CHECK(m.optimizer.pieces().empty());
            if (rank == 7) CHECK(m.optimizer.bytes().state == 0);
            for (const std::uint64_t digest : gather_values(m.optimizer.ranks(), m.w.digest()))
                CHECK(digest == m.w.digest());
        });
}

TEST_CASE("state is shared out: bytes add up to those of one rank, with a group's padding for each") {
    using policy_type = presets::lean_bf16;
    const std::vector<std::int64_t> sizes{128 * 64};
    thread_ranks::run(4, [&](thread_ranks::communicator ranks) {
        rank_model<policy_type> m(sizes, {.beta2 = 0.95}, std::move(ranks));
        CHECK(m.optimizer.bytes().state == adam<policy_type>::state_bytes(sizes) / 4);
        CHECK(m.optimizer.bytes().gradients == 2 * 128 * 64);
        CHECK(m.optimizer.bytes().transfers == 2 * 128 * 64 / 4 * 3 + 2 * 128 * 64);
        CHECK(m.optimizer.bytes().all() ==
              m.optimizer.bytes().state + 2 * 128 * 64 + 2 * 128 * 48 + 2 * 128 * 64);
    });
}

TEST_CASE("groups, fp32 tensors and tensors outside the norm are those of whole tensors") {
    const auto build = [](auto&& make) {
        weights<presets::lean_bf16> w({3000, 700});
        std::vector<float> router(400, 0.5f);
        std::vector<tensor_view> views = w.views();
        views.emplace_back(std::span(router));
        const std::vector<tensor_info> tensors{{.name = "matrix", .shape = {30, 100}},
                                               {.name = "free", .shape = {7, 100}, .in_norm = false},
                                               {.name = "router.bias", .shape = {400}}};
        const double norm = make(tensors, views);
        ::adamant_test::digest all;
        all.add(static_cast<double>(w.digest()));
        all.add(std::span(router));
        all.add(norm);
        return all.value();
    };
    const optimizer_options options =
        unjudged({.groups = {{.lr_mult = 1}, {.lr_mult = 3, .wd_mult = 0, .names = "*.bias"}}});
    for (const bool by_default : {true, false}) {
        optimizer_options chosen = options;
        if (by_default) chosen.groups.clear();
        const std::uint64_t expected = build([&](const auto& tensors, const auto& views) {
            adam<presets::lean_bf16> optimizer(tensors, views, clipped, chosen);
            std::vector<std::vector<bfloat16>> grads;
            for (std::size_t t = 0; t < 3; ++t) grads.push_back(gradient<bfloat16>(0, 1, t, views[t].size));
            return optimizer.step(views, std::vector<std::span<const bfloat16>>(grads.begin(), grads.end()))
                .grad_norm;
        });
        thread_ranks::run(3, [&](thread_ranks::communicator ranks) {
            CHECK(expected == build([&](const auto& tensors, const auto& views) {
                      sharded<presets::lean_bf16, thread_ranks::communicator> optimizer(
                          tensors, views, clipped, std::move(ranks), {.optimizer = chosen});
                      for (std::size_t t = 0; t < 3; ++t)
                          std::ranges::copy(gradient<bfloat16>(0, 1, t, views[t].size),
                                            optimizer.grad(t).begin());
                      return optimizer.step(views).grad_norm;
                  }));
        });
    }
}

TEST_CASE("masters start from fp32 values on every rank, and weights follow") {
    const auto values = inputs::spread(1000, 5);
    const std::vector<std::span<const float>> lists{std::span(values)};
    weights<presets::lean_bf16> one({1000});
    adam<presets::lean_bf16> optimizer(one.tensors(), one.views(), clipped, unjudged());
    optimizer.init_masters(one.views(), lists);
    thread_ranks::run(3, [&](thread_ranks::communicator ranks) {
        rank_model<presets::lean_bf16> m({1000}, clipped, std::move(ranks));
        m.optimizer.init_masters(m.w.views(), lists);
        CHECK(m.w.digest() == one.digest());
        CHECK(m.gathered(slot::main_params, 0) ==
              optimizer.export_fp32(slot::main_params, 0, one.views()[0]));
        for (auto& tensor : m.w.values) std::ranges::fill(tensor, to_bfloat16(3));
        m.optimizer.reload_masters(m.w.views());
        CHECK(m.gathered(slot::main_params, 0) == std::vector<float>(1000, 3.0f));
    });
}

TEST_CASE("ranks that are not alike say so, each of them") {
    const auto built = [](auto&& change) {
        std::vector<std::string> texts(3);
        thread_ranks::run(3, [&](thread_ranks::communicator ranks) {
            const auto rank = static_cast<std::size_t>(ranks.rank());
            weights<plain> w({100, 20});
            std::vector<tensor_info> tensors{{.name = "a"}, {.name = "b", .shape = {20}}};
            hyperparameters hyper;
            sharded_options options;
            if (rank == 2) change(w, tensors, hyper, options);
            texts[rank] = thrown<config_error>([&] {
                sharded<plain, thread_ranks::communicator>(tensors, w.views(), hyper, std::move(ranks),
                                                           options);
            });
        });
        CHECK(texts[0] == texts[1]);
        CHECK(texts[0] == texts[2]);
        return texts[0];
    };
    using infos = std::vector<tensor_info>;
    CHECK(has(built([](auto&, auto&, auto&, auto&) {}), {"nothing was thrown"}));
    CHECK(has(built([](auto&, auto&, hyperparameters& h, auto&) { h.seed = 9; }),
              {"rank 2", "seed: 9", "rank 0", "seed: 0"}));
    CHECK(
        has(built([](auto&, auto&, hyperparameters& h, auto&) { h.beta2 = 0.9; }), {"beta2: 0.9", "0.999"}));
    CHECK(
        has(built([](auto&, infos& t, auto&, auto&) { t[1].name = "c"; }), {"tensor 1 'c'", "tensor 1 'b'"}));
    CHECK(has(built([](auto&, infos& t, auto&, auto&) {
                  t[1].shape = {4, 5};
              }),
              {"of shape 4 5", "of shape 20"}));
    CHECK(has(built([](auto&, infos& t, auto&, auto&) { t[0].in_norm = false; }), {"not in the norm"}));
    CHECK(has(built([](auto& w, auto&, auto&, auto&) { w.values[1][3] += 1; }), {"weights of tensor 1 'b'"}));
    CHECK(has(built([](auto& w, auto&, auto&, auto&) { w.values[0].resize(99); }),
              {"100 elements", "99 elements"}));
    CHECK(has(built([](auto&, auto&, auto&, sharded_options& o) { o.bucket_size = 500; }),
              {"bucket_size: 500"}));
    CHECK(
        has(built([](auto&, auto&, auto&, sharded_options& o) { o.reduce = reduction::sum; }), {"reduce: "}));
    CHECK(has(built([](auto&, auto&, auto&, sharded_options& o) { o.optimizer.loss_scaler.emplace(); }),
              {"loss scaler: initial 4294967296", "the policy's"}));
    CHECK(
        has(built([](auto&, auto&, auto&, sharded_options& o) { o.optimizer.groups = {{.lr_mult = 1e-9}}; }),
            {"lr_mult 1.0000000000000001e-09"}));
}

TEST_CASE("a step that is not the same on every rank changes nothing, on any") {
    thread_ranks::run(2, [&](thread_ranks::communicator ranks) {
        const int rank = ranks.rank();
        rank_model<plain> m({300}, {}, std::move(ranks));
        const std::uint64_t before = m.w.digest();
        const auto grads = [](std::size_t) { return constant(300, 1); };
        CHECK(has(thrown<config_error>([&] { m.step(grads, {.lr = 0.5 + rank}); }), {"rank 1", "lr"}));
        CHECK(m.w.digest() == before);
        CHECK(m.optimizer.step_count() == 0);
        CHECK_THROWS_AS(m.optimizer.step(m.w.views(), {.lr = -1}), config_error);
        // What was reduced stays so: the step is taken again, rightly.
        CHECK(m.optimizer.step(m.w.views(), {.lr = 0.5}).status == step_status::applied);
        CHECK(m.w.digest() != before);
    });
}

TEST_CASE("lists are those of construction, as adam's") {
    weights<plain> w({100, 20});
    sharded<plain> optimizer(w.tensors(), w.views(), {}, single{});
    auto views = w.views();
    views.pop_back();
    CHECK_THROWS_AS(optimizer.step(views), shape_error);
    CHECK_THROWS_AS(optimizer.grad(2), state_error);
    std::vector<float> part(99);
    CHECK_THROWS_AS(optimizer.accumulate(0, std::span(part)), shape_error);
    CHECK_THROWS_AS((sharded<plain>(w.tensors(), w.views(), {}, single{}, {.bucket_size = -5})),
                    config_error);
    CHECK_THROWS_AS((sharded<plain>(w.tensors(), w.views(), {.lr = -1}, single{})), config_error);
}

TEST_CASE("a part of a model has the bits of the whole: flat starts") {
    using policy_type = policy<mode<bf16>, precision_aware, main_params<none>, main_grads<bf16>, exp_avg<fp8>,
                               exp_avg_sq<fp8>>;
    weights<policy_type> whole({1000, 384, 100}), part({1000, 384, 100});
    adam<policy_type> all(whole.tensors(), whole.views(), clipped, unjudged());
    // Its last two tensors, and these under their own index.
    std::vector<tensor_view> own{part.views()[1], part.views()[2]};
    optimizer_options options = unjudged();
    options.flat_starts = {1024, 1024 + 384};
    adam<policy_type> tail(own, clipped, options);
    std::vector<std::vector<bfloat16>> grads;
    for (std::size_t t = 0; t < 3; ++t) grads.push_back(gradient<bfloat16>(0, 1, t, whole.views()[t].size));
    const double norm =
        all.step(whole.views(), std::vector<std::span<const bfloat16>>(grads.begin(), grads.end())).grad_norm;
    tail.step(own, std::vector<std::span<const bfloat16>>(grads.begin() + 1, grads.end()),
              {.grad_norm = norm});
    CHECK(part.values[1] == whole.values[1]);
    CHECK(part.values[2] == whole.values[2]);
    for (const auto& wrong : {std::vector<std::int64_t>{0}, {0, 100}, {0, -128}}) {
        options.flat_starts = wrong;
        CHECK_THROWS_AS(adam<policy_type>(own, clipped, options), shape_error);
    }
}
