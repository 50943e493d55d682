// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! One digest for any executor and any floating-point environment of the program.
#include "model.hpp"
#include "narrow_catalogue.hpp"

#include <step/runners.hpp>

#include <adamant/policy/presets.hpp>

#include <doctest/doctest.h>

#include <cfenv>

using namespace adamant;

namespace {

//! The digest after some steps of a model of many tasks, clipped so that the norm counts.
template <class Policy>
std::uint64_t digest_with(const executor& runner, double scale = 0.01) {
    model<Policy> m({.clip_grad = 0.01}, {.executor = runner}, 180000);
    digest norms;
    for (std::uint64_t i = 0; i < 3; ++i) {
        m.new_grads(i, scale);
        const double norm = m.step().grad_norm;
        norms.add(norm);
    }
    return m.digest() ^ norms.value();
}

template <class F, class... Policies>
void for_each(catalogue<Policies...>, F f) {
    (f(std::type_identity<Policies>{}), ...);
}

template <class Policy>
void check_executors() {
    const std::uint64_t serial = digest_with<Policy>(serial_executor{});
    CHECK(digest_with<Policy>({}) == serial);
    for (int threads = 1; threads <= 8; ++threads) {
        CHECK(digest_with<Policy>(thread_pool(threads)) == serial);
        CHECK(digest_with<Policy>(runners::threaded{threads}) == serial);
    }
    CHECK(digest_with<Policy>(runners::reversed{}) == serial);
    CHECK(digest_with<Policy>(runners::interleaved{}) == serial);
}

}  // namespace

TEST_CASE("threads and the order of tasks leave the digest alone") {
    check_executors<presets::lean_bf16>();
    check_executors<presets::megatron_bf16>();
}

TEST_CASE("threads and the order of tasks leave noise and scales alone") {
    for_each(narrow_catalogue{}, []<class Policy>(std::type_identity<Policy>) {
        CAPTURE(Policy::describe());
        const std::uint64_t serial = digest_with<Policy>(serial_executor{});
        for (const int threads : {1, 2, 3, 8}) CHECK(digest_with<Policy>(thread_pool(threads)) == serial);
        CHECK(digest_with<Policy>(runners::threaded{8}) == serial);
        CHECK(digest_with<Policy>(runners::reversed{}) == serial);
        CHECK(digest_with<Policy>(runners::interleaved{}) == serial);
    });
}

TEST_CASE("another seed gives other bits, the same seed the same") {
    for_each(narrow_catalogue{}, []<class Policy>(std::type_identity<Policy>) {
        CAPTURE(Policy::describe());
        const auto digest_of_seed = [](std::uint64_t seed) {
            model<Policy> m({.seed = seed});
            for (std::uint64_t i = 0; i < 3; ++i) m.step_with_new_grads(i);
            return m.digest();
        };
        CHECK(digest_of_seed(1) == digest_of_seed(1));
        CHECK(digest_of_seed(1) != digest_of_seed(2));
        CHECK(digest_of_seed(1) != digest_of_seed(std::uint64_t{1} << 32 | 1));
    });
}

TEST_CASE("where nothing is rounded stochastically a seed changes nothing") {
    model<presets::lean_bf16> one({.seed = 1}), two({.seed = 2});
    for (std::uint64_t i = 0; i < 3; ++i) {
        one.step_with_new_grads(i);
        two.step_with_new_grads(i);
    }
    CHECK(one.digest() == two.digest());
}

TEST_CASE("a broken gradient is found by threads") {
    for (const std::size_t at : {0u, 90000u, 179999u}) {
        model<presets::lean_bf16> m({}, {.executor = thread_pool(4)}, 180000);
        m.grads[4][at] = {0xFF80};
        const std::uint64_t before = m.digest();
        CHECK(m.step().status == step_status::skipped_found_inf);
        CHECK(m.digest() == before);
    }
}

TEST_CASE("a small model stays on the calling thread, a larger one does not") {
    struct recording {
        std::vector<std::int64_t>* counts;
        void run(std::int64_t count, task t) const {
            counts->push_back(count);
            serial_executor{}.run(count, t);
        }
    };
    for (const auto& [head, several] : {std::pair{7000, false}, {9000, true}}) {
        std::vector<std::int64_t> counts;
        model<presets::lean_bf16> m({}, {.executor = recording{&counts}}, static_cast<std::size_t>(head));
        m.step();
        REQUIRE(counts.size() == 3);  // construction, in which a pool starts its threads; norm; update
        for (const std::int64_t count : counts) CHECK((count > 1) == several);
    }
}

TEST_CASE("the constructor that takes an executor alone is the same") {
    const hyperparameters sound{.beta2 = 0.95};
    model<presets::lean_bf16> m(sound, {}, 180000), other(sound, {}, 180000);
    other.optimizer =
        adam<presets::lean_bf16>(other.tensors, other.param_spans(), sound, executor(runners::threaded{3}));
    m.step();
    other.step();
    CHECK(m.digest() == other.digest());
}

TEST_CASE("a rounding mode of the program changes nothing, and is kept") {
    const std::uint64_t expected = digest_with<presets::full_fp32>(serial_executor{});
    model<presets::full_fp32> m({.clip_grad = 0.01}, {}, 180000);  // inputs are made before the mode changes
    digest norms;
    for (std::uint64_t i = 0; i < 3; ++i) {
        m.new_grads(i);
        std::fesetround(FE_UPWARD);
        const double norm = m.step().grad_norm;
        const int after = std::fegetround();
        std::fesetround(FE_TONEAREST);
        CHECK(after == FE_UPWARD);
        norms.add(norm);
    }
    CHECK((m.digest() ^ norms.value()) == expected);
}

#if defined(__x86_64__)
namespace {

constexpr unsigned flush = 0x8040;  // FTZ and DAZ

//! A pool whose threads were set up by someone else.
struct flushing {
    void run(std::int64_t count, task t) const {
        std::thread([&] {
            _mm_setcsr(_mm_getcsr() | flush);
            for (std::int64_t i = 0; i < count; ++i) t(i);
        }).join();
    }
};

//! The digest after three steps whose gradients have this scale, with FTZ and DAZ set around each or not.
std::uint64_t digest_with_flush(bool on, const executor& runner, double scale) {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(on ? before | flush : before);
    model<presets::full_fp32> m({.eps = 1e-40}, {.executor = runner}, 70000);
    m.optimizer.set_step_count(1);  // works out the next step's eps, a subnormal number
    _mm_setcsr(before);
    for (std::uint64_t i = 0; i < 3; ++i) {
        m.new_grads(i, scale);
        _mm_setcsr(on ? before | flush : before);
        m.step();
        const unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        CHECK((after & flush) == (on ? flush : 0));
    }
    const auto is_subnormal = [](float x) {
        return x != 0 && std::abs(x) < std::numeric_limits<float>::min();
    };
    const slot small = scale < 1e-30 ? slot::exp_avg : slot::exp_avg_sq;
    CHECK(std::ranges::count_if(m.optimizer.export_fp32(small, 4), is_subnormal) > 1000);
    return m.digest();
}

}  // namespace

TEST_CASE("a runner of one thread is given a pass as one task") {
    struct counting {
        std::int64_t* most;
        int count;
        int threads() const { return count; }
        void run(std::int64_t tasks, task t) const {
            *most = std::max(*most, tasks);
            serial_executor{}.run(tasks, t);
        }
    };
    for (const int threads : {1, 2}) {
        std::int64_t most = 0;
        model<presets::full_fp32> m({}, {.executor = counting{&most, threads}}, 70000);
        m.step();
        CHECK((most == 1) == (threads == 1));
    }
}

TEST_CASE("hyperparameters are judged to nearest") {
    const volatile double almost_one = 0.99999999;  // 1 in fp32
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x2000);  // downwards
    CHECK_THROWS_AS(model<presets::full_fp32>({.beta1 = almost_one}, {}, 10), config_error);
    _mm_setcsr(before);
}

TEST_CASE("FTZ and DAZ of the program or of a pool's threads change nothing, and are kept") {
    for (const double scale : {1e-40, 1e-20}) {  // subnormal gradients; subnormal exp_avg_sq
        const std::uint64_t expected = digest_with_flush(false, serial_executor{}, scale);
        CHECK(digest_with_flush(true, {}, scale) == expected);
        CHECK(digest_with_flush(true, runners::threaded{4}, scale) == expected);
        CHECK(digest_with_flush(true, thread_pool(4), scale) == expected);
        CHECK(digest_with_flush(false, flushing{}, scale) == expected);
    }
}
#endif
