// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! A tensor whose indices do not fit into 31 bits: its elements on both sides of 2^31 are updated as the
//! scalar reference updates a copy of their groups.
#include <adamant/optimizer/adam.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <string>

using namespace adamant;

namespace {

using lean = policy<precision_aware, main_params<none>, main_grads<bf16>, exp_avg<fp8>, exp_avg_sq<fp8>>;
using weight_codec = slot_codec_t<lean::resolved, slot::main_params>;
using exp_avg_codec_type = slot_codec_t<lean::resolved, slot::exp_avg>;
using exp_avg_sq_codec_type = slot_codec_t<lean::resolved, slot::exp_avg_sq>;

constexpr std::int64_t border = std::int64_t{1} << 31, size = border + 1000;
constexpr hyperparameters hyper{.lr = 0.01, .beta2 = 0.95, .weight_decay = 0.1, .clip_grad = 0, .seed = 5};

//! Word number `index` of a sequence that no power of two repeats (the finalizer of SplitMix64).
constexpr std::uint32_t word(std::uint64_t seed, std::int64_t index) {
    std::uint64_t x = static_cast<std::uint64_t>(index) * 0x9E3779B97F4A7C15u + seed;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return static_cast<std::uint32_t>(x >> 32);
}
bfloat16 number(std::uint64_t seed, std::int64_t index) {
    return to_bfloat16(static_cast<float>(static_cast<std::int32_t>(word(seed, index))) * 0x1p-31f);
}
bfloat16 weight(std::int64_t index) { return number(1, index); }
bfloat16 gradient(std::int64_t index) { return number(2, index); }

//! Gibibytes that may be allocated without swapping; 0 where nobody says.
double available_memory() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("MemAvailable:")) return std::stod(line.substr(13)) / (1 << 20);
    return 0;
}

//! Elements [begin, end) on their own, from the same start and with the noise of their place in the long
//! tensor.
class excerpt {
public:
    excerpt(std::int64_t begin, std::int64_t end)
        : begin_(begin),
          count_(static_cast<std::size_t>(end - begin)),
          exp_avg_(count_),
          exp_avg_sq_(count_),
          exp_avg_scales_(groups()),
          exp_avg_sq_scales_(groups()) {
        for (std::int64_t i = begin; i < end; ++i) {
            weights_.push_back(weight(i));
            grads_.push_back(gradient(i));
        }
    }
    void step(std::int64_t number) {
        const step_streams<weight_codec, bfloat16, exp_avg_codec_type, exp_avg_sq_codec_type> streams{
            {weights_.data()},
            grads_.data(),
            {exp_avg_.data(), exp_avg_scales_.data()},
            {exp_avg_sq_.data(), exp_avg_sq_scales_.data()},
            begin_};
        update_chunk_scalar<bfloat16>(streams, 0, static_cast<std::int64_t>(count_),
                                      constants_of_step(hyper, number, hyper.lr, hyper.weight_decay, 1));
    }
    void check_same(const bfloat16* weights, const adam<lean>& optimizer) const {
        const auto first = static_cast<std::size_t>(begin_), first_group = first / group_size;
        const auto same = [](const auto* all, const auto& part) {
            return std::memcmp(all, part.data(), part.size() * sizeof part[0]) == 0;
        };
        CAPTURE(begin_);
        CHECK(same(weights + first, weights_));
        CHECK(same(&optimizer.state<slot::exp_avg>(0)[first], exp_avg_));
        CHECK(same(&optimizer.state<slot::exp_avg_sq>(0)[first], exp_avg_sq_));
        CHECK(same(&optimizer.scales<slot::exp_avg>(0)[first_group], exp_avg_scales_));
        CHECK(same(&optimizer.scales<slot::exp_avg_sq>(0)[first_group], exp_avg_sq_scales_));
    }

private:
    std::size_t groups() const { return (count_ + group_size - 1) / group_size; }

    std::int64_t begin_;
    std::size_t count_;
    std::vector<bfloat16> weights_, grads_;
    std::vector<slot_code_t<lean::resolved, slot::exp_avg>> exp_avg_;
    std::vector<slot_code_t<lean::resolved, slot::exp_avg_sq>> exp_avg_sq_;
    std::vector<std::uint8_t> exp_avg_scales_, exp_avg_sq_scales_;
};

}  // namespace

TEST_SUITE("exhaustive") {
    TEST_CASE("a tensor of more than 2^31 elements") {
        constexpr double needed = 16;  // 13 for the streams, and room for the rest of the machine
        if (available_memory() < needed) {
            MESSAGE("skipped: needs ", needed, " GiB of free memory, and there are ", available_memory());
            return;
        }
        const std::size_t count = static_cast<std::size_t>(size);
        const auto weights = std::make_unique_for_overwrite<bfloat16[]>(count);
        const auto grads = std::make_unique_for_overwrite<bfloat16[]>(count);
        double sum_of_squares = 0;
        for (std::int64_t i = 0; i < size; ++i) {
            weights[static_cast<std::size_t>(i)] = weight(i);
            const bfloat16 g = grads[static_cast<std::size_t>(i)] = gradient(i);
            sum_of_squares += double{to_float(g)} * double{to_float(g)};
        }
        const std::vector<std::span<bfloat16>> params{{weights.get(), count}};
        const std::vector<std::span<const bfloat16>> gradients{{grads.get(), count}};
        adam<lean> optimizer{params, hyper};

        // The ends, both sides of 2^30 (2^31 bytes of weights) and of 2^31 (2^31 bytes of moments).
        std::vector<excerpt> excerpts;
        excerpts.emplace_back(0, 1024);
        excerpts.emplace_back(border / 2 - 128, border / 2 + 128);
        excerpts.emplace_back(border - 128, border + 128);
        excerpts.emplace_back(border, size);
        for (const std::int64_t number : {1, 2}) {
            // The norm of the first step comes from outside, that of the second from the reading pass.
            const double norm = std::sqrt(sum_of_squares);
            const step_result result = optimizer.step(
                params, gradients, {.grad_norm = number == 1 ? std::optional(norm) : std::nullopt});
            CHECK(result.status == step_status::applied);
            CHECK(result.grad_norm == doctest::Approx(norm).epsilon(1e-9));
            for (excerpt& e : excerpts) {
                e.step(number);
                e.check_same(weights.get(), optimizer);
            }
        }
    }
}
