// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! nccl::communicator with memory of the host and of the device; NCCL and CUDA are emulated, or real in
//! tests/gpu/.
#include "world.hpp"

#include <cuda/device_sharded.hpp>
#include <same_bits/run.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

using namespace adamant;

static_assert(communicator<nccl::communicator> && !reducing_communicator<nccl::communicator, float>);
static_assert(communicator<nccl::reducing_communicator> &&
              reducing_communicator<nccl::reducing_communicator, bfloat16>);

TEST_CASE("memory of the host and of the device goes from rank to rank") {
    all_ranks w;
    nccl::communicator ranks = w.ranks();
    constexpr std::size_t count = 1000;
    for (const bool on_device : {false, true}) {
        CAPTURE(on_device);
        std::vector<std::vector<int>> sent, received;
        std::vector<outgoing> out;
        std::vector<incoming> in;
        std::vector<void*> blocks;
        const auto memory = [&](std::vector<int>& host) -> void* {
            if (!on_device) return host.data();
            void* block = nullptr;
            REQUIRE(cudaMalloc(&block, 4 * count) == cudaSuccess);
            REQUIRE(cudaMemcpy(block, host.data(), 4 * count, cudaMemcpyHostToDevice) == cudaSuccess);
            blocks.push_back(block);
            return block;
        };
        const auto peers = static_cast<std::size_t>(ranks.size());
        sent.resize(peers, std::vector<int>(count));
        received.resize(peers, std::vector<int>(count));
        for (int rank = 0; rank < ranks.size(); ++rank) {
            if (rank == ranks.rank()) continue;
            const auto r = static_cast<std::size_t>(rank);
            std::iota(sent[r].begin(), sent[r].end(), 1000 * ranks.rank() + rank);
            out.push_back({rank, memory(sent[r]), 4 * count});
            in.push_back({rank, memory(received[r]), 4 * count});
        }
        auto request = ranks.exchange(out, in);
        ranks.wait(request);
        CHECK(ranks.test(request));
        for (const incoming& i : in) {
            auto& got = received[static_cast<std::size_t>(i.rank)];
            if (on_device)
                REQUIRE(cudaMemcpy(got.data(), i.data, 4 * count, cudaMemcpyDeviceToHost) == cudaSuccess);
            std::vector<int> expected(count);
            std::iota(expected.begin(), expected.end(), 1000 * i.rank + ranks.rank());
            CHECK(got == expected);
        }
        for (void* block : blocks) CHECK(cudaFree(block) == cudaSuccess);
    }
}

namespace {

template <class Policy>
std::uint64_t serial_digest() {
    return same_bits::digest_of<Policy>([](const auto& tensors, const auto& params) {
        return adam<Policy>(tensors, params, same_bits::hyper,
                            unjudged({.executor = serial_executor{}, .loss_scaler = same_bits::scaler}));
    });
}
//! With tensors in this memory.
template <class Policy, class Memory>
std::uint64_t sharded_digest(std::int64_t bucket_size, Memory memory) {
    all_ranks w;
    return same_bits::digest_of<Policy>([&](const auto& tensors, const auto& params) {
        return sharded_run<Policy, nccl::communicator, Memory>(
            tensors, params, same_bits::hyper, same_bits::scaler, w.ranks(), bucket_size, memory);
    });
}

}  // namespace

TEST_CASE("a sharded run over it has the digest of the serial run") {
    using policy_type = presets::lean_bf16;
    const std::uint64_t serial = serial_digest<policy_type>();
    for (const std::int64_t bucket_size : {0, 600})
        CHECK(serial == sharded_digest<policy_type>(bucket_size, host_memory{}));
}

TEST_CASE("so has one on the device, on the stream of exchanges or another") {
    const auto check = []<class Policy>(std::type_identity<Policy>) {
        CAPTURE(Policy::describe());
        const std::uint64_t serial = serial_digest<Policy>();
        cudaStream_t stream = nullptr;
        REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
        for (const std::int64_t bucket_size : {0, 600})
            CHECK(serial == sharded_digest<Policy>(bucket_size, cuda::memory(stream)));
        CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    };
    check(std::type_identity<presets::lean_bf16>{});      // bf16 buckets
    check(std::type_identity<presets::megatron_bf16>{});  // fp32 buckets, fp32 tensors of their own dtype
    check(std::type_identity<policy<mode<fp16>, precision_aware, exp_avg<fp8>, exp_avg_sq<fp8>>>{});
}

namespace {

//! Weights after steps with gradients that differ from rank to rank.
template <class Ranks, class Memory>
std::vector<std::vector<bfloat16>> weights_after_steps(const all_ranks& w, Memory memory) {
    const auto rank = static_cast<std::uint64_t>(w.ranks().rank());
    std::vector<std::vector<bfloat16>> weights, gradients;
    for (const std::size_t size : {std::size_t{20000}, std::size_t{2047}, std::size_t{3}}) {
        weights.emplace_back(size);
        gradients.emplace_back(size);
    }
    const std::vector<param_view> params = [&] {
        std::vector<param_view> views;
        for (auto& values : weights) views.emplace_back(std::span(values));
        return views;
    }();
    const std::vector<std::span<const bfloat16>> grads(gradients.begin(), gradients.end());
    for (std::size_t t = 0; t < weights.size(); ++t)
        for (std::size_t i = 0; i < weights[t].size(); ++i)
            weights[t][i] = to_bfloat16(adamant_test::random_float(t, i, 0, 8));
    sharded_run<presets::lean_bf16, Ranks, Memory> optimizer({}, params, {.lr = 0.1}, {}, w.ranks<Ranks>(),
                                                             6000, memory);
    for (std::uint64_t step = 1; step < 5; ++step) {
        for (std::size_t t = 0; t < weights.size(); ++t)
            for (std::size_t i = 0; i < weights[t].size(); ++i)
                gradients[t][i] = to_bfloat16(adamant_test::random_float(100 * rank + t, i, step, 30));
        optimizer.step(params, grads, {});
    }
    return weights;
}

}  // namespace

TEST_CASE("different gradients on the device have the bits that they have on the host") {
    const all_ranks w;
    CHECK(weights_after_steps<nccl::communicator>(w, host_memory{}) ==
          weights_after_steps<nccl::communicator>(w, cuda::memory(w.stream())));
    CHECK(weights_after_steps<nccl::reducing_communicator>(w, host_memory{}) ==
          weights_after_steps<nccl::reducing_communicator>(w, cuda::memory(w.stream())));
}

TEST_CASE("calls return when the parameters are there") {
    const all_ranks w;
    std::vector<bfloat16> weights(1000, to_bfloat16(1.0f));
    std::vector<std::span<bfloat16>> list{weights};
    const placed_tensors<cuda::memory> params(list), grads(list);
    sharded<presets::lean_bf16, nccl::communicator, cuda::memory> optimizer(
        {}, params.views, {.beta2 = 0.95}, w.ranks(), {}, cuda::memory(w.stream()));
    optimizer.accumulate(0, grads.views[0]);
    optimizer.step(params.views);
    CHECK(cudaStreamQuery(w.stream()) == cudaSuccess);
    const std::vector<float> masters(1000, 2.0f);
    optimizer.init_masters(params.views, std::vector<std::span<const float>>{masters});
    CHECK(cudaStreamQuery(w.stream()) == cudaSuccess);
    params.bring_back();
    CHECK(weights == std::vector<bfloat16>(1000, to_bfloat16(2.0f)));
}

TEST_CASE("NCCL's own reduction sums and averages, in memory of the host and of the device") {
    const auto check = []<class Grad, class Memory>(Grad, Memory memory) {
        all_ranks w;
        auto ranks = w.ranks<nccl::reducing_communicator>();
        for (const reduction how : {reduction::mean, reduction::sum}) {
            const std::vector<std::int64_t> sizes{300, 5, 1000};
            shared_buckets<Grad, nccl::reducing_communicator, Memory> buckets(
                bucket_plan(sizes, ranks.size(), 400), ranks.rank(), how,
                bucket_work<Memory>(serial_executor{}, memory));
            CHECK(buckets.transfer_bytes() == 0);
            std::int64_t expected = 0;  // of element 0; the next have one more of every rank
            for (int r = 0; r < ranks.size(); ++r) expected += 6 * (r + 1);
            const std::int64_t count = ranks.size(), divisor = how == reduction::mean ? count : 1;
            for (std::size_t t = 0; t < sizes.size(); ++t) {
                std::vector<Grad> values;
                for (int i = 0; i < sizes[t]; ++i)
                    values.push_back(round_to<Grad>(static_cast<float>(6 * (ranks.rank() + 1) + i % 8)));
                const std::vector<std::span<Grad>> list{values};
                const placed_tensors<Memory> placed(list);
                visit_values(placed.views[0], [&](auto span) { buckets.accumulate(t, span); });
                buckets.mark_ready(ranks, t);
                if constexpr (!is_on_host<Memory>) memory.wait();  // `placed` is freed
            }
            buckets.finish(ranks);
            for (const tensor_piece& piece : buckets.plan().pieces(ranks.rank())) {
                const Grad* own = buckets.at(piece.place);
                std::vector<Grad> values(static_cast<std::size_t>(piece.end - piece.begin));
                REQUIRE(cudaMemcpy(values.data(), own, values.size() * sizeof(Grad), cudaMemcpyDefault) ==
                        cudaSuccess);
                for (std::int64_t i = piece.begin; i < piece.end; ++i)
                    REQUIRE(values[static_cast<std::size_t>(i - piece.begin)] ==
                            round_to<Grad>(static_cast<float>(expected + count * (i % 8)) /
                                           static_cast<float>(divisor)));
            }
        }
    };
    const auto check_both = [&](auto grad) {
        check(grad, host_memory{});
        check(grad, cuda::memory{});
    };
    check_both(float{});
    check_both(bfloat16{});
    check_both(float16{});
}
