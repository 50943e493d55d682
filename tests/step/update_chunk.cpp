// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! update_chunk: an element's result does not depend on the chunk it is in, and nothing else is touched.
#include <train/inputs.hpp>

#include <adamant/step/step_cpu.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace adamant;

namespace {

//! `size` elements that start `offset` elements into a field of 0xA5 bytes.
template <class T>
class guarded {
public:
    guarded(std::size_t size, std::size_t offset)
        : size_(size), offset_(margin + offset), values_(size + offset_ + margin) {
        std::memset(static_cast<void*>(values_.data()), 0xA5, values_.size() * sizeof(T));
    }
    T* data() { return values_.data() + offset_; }
    bool guards_are_whole() const {
        const auto whole = [&](std::size_t begin, std::size_t end) {
            const auto* const bytes = reinterpret_cast<const unsigned char*>(values_.data());
            return std::all_of(bytes + begin * sizeof(T), bytes + end * sizeof(T),
                               [](unsigned char b) { return b == 0xA5; });
        };
        return whole(0, offset_) && whole(offset_ + size_, values_.size());
    }

private:
    static constexpr std::size_t margin = 40;
    std::size_t size_, offset_;
    std::vector<T> values_;
};

template <class Codec>
using code = std::conditional_t<std::is_void_v<typename Codec::stored>, char, typename Codec::stored>;

//! All streams of a tensor; element i has the same values whatever size and offset are.
template <class Weight, class Grad, class ExpAvg, class ExpAvgSq>
struct tensor {
    guarded<typename Weight::weight> weights;
    guarded<code<Weight>> masters;
    guarded<Grad> grads;
    guarded<typename ExpAvg::stored> exp_avg;
    guarded<typename ExpAvgSq::stored> exp_avg_sq;

    tensor(std::size_t size, std::size_t offset, std::size_t first = 0)
        : weights(size, offset),
          masters(size, offset),
          grads(size, offset),
          exp_avg(size, offset),
          exp_avg_sq(size, offset) {
        for (std::size_t i = 0; i < size; ++i) {
            const auto random = [&](std::uint64_t seed) {
                return static_cast<float>(inputs::uniform(seed, first + i));
            };
            const float p = random(1), m = random(2), v = std::abs(random(3));
            const auto at = static_cast<std::int64_t>(i);
            Weight::store(streams().weights, at, 1, &p);
            ExpAvg::store(exp_avg.data(), at, 1, &m);
            ExpAvgSq::store(exp_avg_sq.data(), at, 1, &v);
            grads.data()[i] = round_to<Grad>(random(4));
        }
    }
    step_streams<Weight, Grad, ExpAvg, ExpAvgSq> streams() {
        if constexpr (std::is_void_v<typename Weight::stored>)
            return {{weights.data(), nullptr}, grads.data(), exp_avg.data(), exp_avg_sq.data()};
        else return {{weights.data(), masters.data()}, grads.data(), exp_avg.data(), exp_avg_sq.data()};
    }
    bool guards_are_whole() const {
        return weights.guards_are_whole() && masters.guards_are_whole() && grads.guards_are_whole() &&
               exp_avg.guards_are_whole() && exp_avg_sq.guards_are_whole();
    }
    //! Whether element `i` has the bits of element `j` of another tensor.
    bool same(std::size_t i, tensor& other, std::size_t j) {
        const auto equal = [&](auto& a, auto& b) {
            return std::memcmp(a.data() + i, b.data() + j, sizeof(*a.data())) == 0;
        };
        return equal(weights, other.weights) &&
               (std::is_void_v<typename Weight::stored> || equal(masters, other.masters)) &&
               equal(grads, other.grads) && equal(exp_avg, other.exp_avg) &&
               equal(exp_avg_sq, other.exp_avg_sq);
    }
};

const step_constants constants = constants_of_step({.lr = 0.01}, 3, 0.01, 0.1, 0.7);

template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void check_chunks() {
    using tensor_type = tensor<Weight, Grad, ExpAvg, ExpAvgSq>;
    constexpr std::size_t longest = 257;
    std::vector<tensor_type> alone;  // element i, updated by a call of its own
    for (std::size_t i = 0; i < longest; ++i) {
        update_chunk<MainGrad>(alone.emplace_back(1, 0, i).streams(), 0, 1, constants);
        REQUIRE(alone.back().guards_are_whole());
    }
    for (std::size_t size = 1; size <= longest; ++size)
        for (const std::size_t offset : {size % 8, (size + 3) % 8}) {
            tensor_type whole(size, offset);
            update_chunk<MainGrad>(whole.streams(), 0, static_cast<std::int64_t>(size), constants);
            bool same = true;
            for (std::size_t i = 0; i < size; ++i) same = same && whole.same(i, alone[i], 0);
            CAPTURE(size);
            CAPTURE(offset);
            CHECK(same);
            CHECK(whole.guards_are_whole());
        }
    // A chunk in the middle: elements on both sides stay as they were.
    for (std::int64_t begin = 0; begin < 257; begin += 32)
        for (const std::int64_t end : {begin + 1, begin + 31, begin + 32, begin + 100}) {
            tensor_type part(400, 1), before(400, 1);
            update_chunk<MainGrad>(part.streams(), begin, end, constants);
            bool same = true;
            for (std::size_t i = 0; i < 400; ++i) {
                const bool inside =
                    static_cast<std::int64_t>(i) >= begin && static_cast<std::int64_t>(i) < end;
                if (!inside) same = same && part.same(i, before, i);
                else if (i < longest) same = same && part.same(i, alone[i], 0);
            }
            CHECK(same);
        }
}

template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void check_paths() {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("fma")) return;
    tensor<Weight, Grad, ExpAvg, ExpAvgSq> generic(10007, 0), fused(10007, 0);
    detail::update_groups<MainGrad>(generic.streams(), 0, 10007, constants);
    detail::update_groups_fma<MainGrad>(fused.streams(), 0, 10007, constants);
    bool same = true;
    for (std::size_t i = 0; i < 10007; ++i) same = same && generic.same(i, fused, i);
    CHECK(same);
#endif
}

using f = plain_codec<float>;
using b = plain_codec<bfloat16>;

}  // namespace

TEST_CASE("an element's bits do not depend on length, start or neighbours") {
    check_chunks<float, weight_only_codec<float>, float, f, f>();
    check_chunks<float, fp32_master_codec<bfloat16>, float, f, b>();
    check_chunks<bfloat16, remainder16_codec, bfloat16, b, b>();
    check_chunks<float, fp32_master_codec<float16>, float, f, f>();
}

TEST_CASE("the path with fused instructions has the bits of the path without") {
    check_paths<float, weight_only_codec<float>, float, f, f>();
    check_paths<bfloat16, remainder16_codec, bfloat16, b, b>();
    check_paths<float, fp32_master_codec<float16>, float, f, f>();
}

TEST_CASE("a gradient wider than main_grads is rounded on its way") {
    CHECK(main_grad<bfloat16>(0x1.01p0f) == 1.0f);       // a tie, to even
    CHECK(main_grad<bfloat16>(0x1.03p0f) == 0x1.04p0f);  // a tie, to even
    CHECK(main_grad<float>(0x1.01p0f) == 0x1.01p0f);
    CHECK(main_grad<float>(bfloat16{0x3F81}) == 0x1.02p0f);
    CHECK(main_grad<bfloat16>(bfloat16{0x3F81}) == 0x1.02p0f);
}
