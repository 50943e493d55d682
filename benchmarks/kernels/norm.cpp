// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The reading pass over the gradients: the sums of squares of blocks, all of the pass (their exact sum and
//! found_inf), and a pass that only reads.
#include "kernels.hpp"

#include <adamant/state/memory.hpp>
#include <adamant/train/grad_norm.hpp>

namespace {

using namespace adamant;

template <class T>
class gradients {
public:
    gradients() : size_(bench::elements_in_cache(sizeof(T))), values_(static_cast<std::size_t>(size_), {}) {
        for (std::int64_t i = 0; i < size_; ++i) {
            const auto word = philox(2, static_cast<std::uint64_t>(i), 0)[0];
            values_.data()[i] = round_to<T>(static_cast<float>(static_cast<std::int32_t>(word)) * 0x1p-41f);
        }
    }
    std::int64_t size() const { return size_; }
    const T* data() const { return values_.data(); }

private:
    std::int64_t size_;
    buffer<T, host_memory> values_;
};

struct total {
    double sum = 0;
    void operator()(double of_block) { sum += of_block; }
};

template <class T>
total block_sums_with(instruction_set set, const T* grads, std::int64_t blocks) {
#if defined(__x86_64__)
    switch (set) {
        case instruction_set::avx512: return avx512::block_sums<T>(grads, blocks, total{});
        case instruction_set::avx2: return avx2::block_sums<T>(grads, blocks, total{});
        default: break;
    }
#elif defined(__aarch64__)
    if (set == instruction_set::neon) return neon::block_sums<T>(grads, blocks, total{});
#endif
    total result;
    for (std::int64_t block = 0; block < blocks; ++block)
        result(block_sum_scalar<T>(grads + block * block_size, block_size));
    return result;
}

template <class T>
void time_block_sums(benchmark::State& state, instruction_set set) {
    const gradients<T> grads;
    const std::int64_t blocks = grads.size() / block_size;
    for (auto _ : state) benchmark::DoNotOptimize(block_sums_with(set, grads.data(), blocks));
    bench::report(state, blocks * block_size);
}

template <class T>
void time_norm_pass(benchmark::State& state) {
    const gradients<T> grads;
    for (auto _ : state) {
        grad_statistics statistics;
        read_gradients<T>(grads.data(), 0, grads.size(), true, statistics);
        benchmark::DoNotOptimize(statistics);
    }
    bench::report(state, grads.size());
}

typedef std::uint64_t vector_of_longs __attribute__((vector_size(32)));

ADAMANT_ALWAYS_INLINE void see(vector_of_longs& seen, const unsigned char* bytes) {
    vector_of_longs x;
    __builtin_memcpy(&x, bytes, sizeof x);
    seen |= x;
}
ADAMANT_ALWAYS_INLINE void read(const unsigned char* bytes, std::int64_t count) {
    vector_of_longs a{}, b{}, c{}, d{};
    for (std::int64_t i = 0; i < count; i += 128) {
        see(a, bytes + i);
        see(b, bytes + i + 32);
        see(c, bytes + i + 64);
        see(d, bytes + i + 96);
    }
    a |= b | c | d;
    asm volatile("" : : "m"(a));
}
void read_plain(const unsigned char* bytes, std::int64_t count) { read(bytes, count); }
#if defined(__x86_64__)
__attribute__((target("avx2"))) void read_avx2(const unsigned char* bytes, std::int64_t count) {
    read(bytes, count);
}
#endif

auto* read_pass() {
#if defined(__x86_64__)
    if (best_instruction_set() >= instruction_set::avx2) return read_avx2;
#endif
    return read_plain;
}

template <class T>
void time_read_only(benchmark::State& state) {
    const gradients<T> grads;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(grads.data());
    const std::int64_t count = grads.size() * std::int64_t{sizeof(T)};
    auto* const pass = read_pass();  // found once: a virtual machine is asked for its instructions in 20 us
    for (auto _ : state) pass(bytes, count);
    bench::report(state, grads.size());
}

template <class T>
void register_for(const std::string& dtype) {
    for (const instruction_set set : bench::instruction_sets())
        bench::add_kernel("block_sums", set, dtype, time_block_sums<T>, set);
    bench::add_kernel("norm_pass", active_instruction_set(), dtype, time_norm_pass<T>);
    bench::add("read_only/" + dtype, time_read_only<T>);
}

}  // namespace

void bench::register_norm() {
    register_for<float>("fp32");
    register_for<bfloat16>("bf16");
}
