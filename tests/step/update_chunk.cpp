// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! update_chunk: an element's result does not depend on the chunk it is in, and nothing else is touched.
#include "guarded_tensor.hpp"

using namespace adamant;
using adamant_test::tensor;

namespace {

const step_constants constants = constants_of_step({.lr = 0.01, .seed = 99}, 3, 0.01, 0.1, 0.7);

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

//! What has scales or noise is keyed to groups: a group updated by a call of its own is the reference.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void check_groups() {
    using tensor_type = tensor<Weight, Grad, ExpAvg, ExpAvgSq>;
    constexpr std::size_t longest = 4 * group_size + 1;
    const auto alone = [](std::size_t size, std::size_t first) {
        tensor_type result(size, 0, first);
        update_chunk<MainGrad>(result.streams(), 0, static_cast<std::int64_t>(size), constants);
        REQUIRE(result.guards_are_whole());
        return result;
    };
    std::vector<tensor_type> full;
    for (std::size_t first = 0; first + group_size <= longest; first += group_size)
        full.push_back(alone(group_size, first));
    for (std::size_t size = 1; size <= longest; ++size)
        for (const std::size_t offset : {size % 8, (size + 3) % 8}) {
            const std::size_t tail = size / group_size * group_size;
            std::vector<tensor_type> last;
            if (tail != size) last.push_back(alone(size - tail, tail));
            // In one chunk; as chunks of a group, from the last to the first; as chunks of two and one.
            for (const int way : {0, 1, 2}) {
                tensor_type whole(size, offset);
                const auto end = static_cast<std::int64_t>(size);
                const auto update = [&](std::int64_t begin, std::int64_t until) {
                    update_chunk<MainGrad>(whole.streams(), begin, std::min(until, end), constants);
                };
                if (way == 0) update(0, end);
                if (way == 1)
                    for (auto begin = static_cast<std::int64_t>((size - 1) / group_size * group_size);
                         begin >= 0; begin -= group_size)
                        update(begin, begin + group_size);
                if (way == 2) {
                    for (std::int64_t begin = 0; begin < end; begin += 3 * group_size) {
                        update(begin, begin + 2 * group_size);
                        if (begin + 2 * group_size < end)
                            update(begin + 2 * group_size, begin + 3 * group_size);
                    }
                }
                bool same = true;
                for (std::size_t i = 0; i < size; ++i)
                    same = same && (i < tail ? whole.same(i, full[i / group_size], i % group_size)
                                             : whole.same(i, last[0], i - tail));
                CAPTURE(size);
                CAPTURE(offset);
                CAPTURE(way);
                CHECK(same);
                CHECK(whole.guards_are_whole());
            }
        }
    // A chunk in the middle: groups on both sides stay as they were, with their scales.
    for (std::int64_t begin = 0; begin < 128; begin += 32)
        for (const std::int64_t end : {begin + 32, begin + 64, begin + 96}) {
            tensor_type part(300, 1), before(300, 1), whole(300, 0);
            update_chunk<MainGrad>(part.streams(), begin, end, constants);
            update_chunk<MainGrad>(whole.streams(), 0, 300, constants);
            bool same = true;
            for (std::size_t i = 0; i < 300; ++i) {
                const bool inside =
                    static_cast<std::int64_t>(i) >= begin && static_cast<std::int64_t>(i) < end;
                same = same && part.same(i, inside ? whole : before, i);
            }
            CHECK(same);
            CHECK(part.guards_are_whole());
        }
}

template <class Tensor>
int differing(Tensor& a, Tensor& b, std::size_t size) {
    int result = 0;
    for (std::size_t i = 0; i < size; ++i) result += !a.same(i, b, i);
    return result;
}

//! Seed, step and place of a tensor each give other bits; the same ones give the same bits.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void check_noise() {
    using tensor_type = tensor<Weight, Grad, ExpAvg, ExpAvgSq>;
    const auto updated = [](const step_constants& c, std::int64_t start) {
        tensor_type result(1000, 0, 0, start);
        update_chunk<MainGrad>(result.streams(), 0, 1000, c);
        return result;
    };
    tensor_type expected = updated(constants, 1280), again = updated(constants, 1280);
    step_constants other_seed = constants, other_step = constants;
    other_seed.seed = 100;
    other_step.step = 4;
    tensor_type of_seed = updated(other_seed, 1280), of_step = updated(other_step, 1280),
                of_place = updated(constants, 1280 + 128);
    CHECK(differing(expected, again, 1000) == 0);
    CHECK(differing(expected, of_seed, 1000) > 10);
    CHECK(differing(expected, of_step, 1000) > 10);
    CHECK(differing(expected, of_place, 1000) > 10);
}

//! The update by hand, with the words that the definition gives element i of a tensor.
template <class MainGrad, class Weight, class Grad, class ExpAvg, class ExpAvgSq>
void check_words() {
    using tensor_type = tensor<Weight, Grad, ExpAvg, ExpAvgSq>;
    constexpr bool bounded = sizeof(typename ExpAvg::stored) == 1 || sizeof(typename ExpAvgSq::stored) == 1;
    constexpr std::size_t size = 5 * group_size - 7;
    const std::int64_t start = (std::int64_t{1} << 40) + 256;
    tensor_type got(size, 0, 0, start), by_hand(size, 0, 0, start);
    update_chunk<MainGrad>(got.streams(), 0, size, constants);
    const auto streams = by_hand.streams();
    for (std::int64_t first = 0; first < std::int64_t{size}; first += group_size) {
        const int count = static_cast<int>(std::min<std::int64_t>(group_size, std::int64_t{size} - first));
        float p[group_size], m[group_size], v[group_size];
        Weight::load(streams.weights, first, count, p);
        ExpAvg::load(streams.exp_avg, first, count, m);
        ExpAvgSq::load(streams.exp_avg_sq, first, count, v);
        for (int e = 0; e < count; ++e)
            adam_update<bounded>(constants, main_grad<MainGrad>(streams.grads[first + e]), p[e], m[e], v[e]);
        const auto k = philox(99, static_cast<std::uint64_t>(start + first) / 32, 3);
        const auto first_word = [&](int e) { return k[0] + static_cast<std::uint32_t>(e) * k[1]; };
        const auto second_word = [&](int e) { return k[2] + static_cast<std::uint32_t>(e) * k[3]; };
        Weight::store(streams.weights, first, count, p, [&](int e) { return first_word(e) >> 16; });
        ExpAvg::store(streams.exp_avg, first, count, m, [&](int e) { return second_word(e) & 0xFFFFu; });
        ExpAvgSq::store(streams.exp_avg_sq, first, count, v, [&](int e) { return second_word(e) >> 16; });
    }
    CHECK(differing(got, by_hand, size) == 0);
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
using sb = stochastic_bfloat16_codec;
constexpr rounding up_or_down = rounding::stochastic;
using half = group_codec<scaled_half<up_or_down>>;
using half_sq = group_codec<scaled_half_sq<up_or_down>>;
using wide = group_codec<e4m3<up_or_down>>;
using wide_sq = group_codec<ue5m3<up_or_down>>;
using fine = group_codec<e3m4<up_or_down>>;
using fine_sq = group_codec<ue4m4<up_or_down>>;

#define CHECK_NOISY(check)                                                            \
    check<float, remainder16_codec, float, wide, wide_sq>();                          \
    check<bfloat16, remainder8_codec<up_or_down>, bfloat16, wide, wide_sq>();         \
    check<bfloat16, stochastic_weight_codec, bfloat16, fine, fine_sq>();              \
    check<float, half_master_codec<bfloat16, up_or_down>, bfloat16, half, half_sq>(); \
    check<float, half_master_codec<float16, up_or_down>, float16, sb, sb>();          \
    check<float, fp32_master_codec<bfloat16>, float, f, wide_sq>();                   \
    check<float, weight_only_codec<float>, float, fine, f>()

}  // namespace

TEST_CASE("an element's bits do not depend on length, start or neighbours") {
    check_chunks<float, weight_only_codec<float>, float, f, f>();
    check_chunks<float, fp32_master_codec<bfloat16>, float, f, b>();
    check_chunks<bfloat16, remainder16_codec, bfloat16, b, b>();
    check_chunks<float, fp32_master_codec<float16>, float, f, f>();
}

TEST_CASE("a group's bits do not depend on the chunks that it is in, and its neighbours stay as they are") {
    CHECK_NOISY(check_groups);
    check_groups<float, remainder8_codec<rounding::nearest>, float, group_codec<e4m3<rounding::nearest>>,
                 group_codec<scaled_half_sq<rounding::nearest>>>();
}

TEST_CASE("noise is keyed to seed, step and flat index") { CHECK_NOISY(check_noise); }

TEST_CASE("each stream is rounded with the words of its field") { CHECK_NOISY(check_words); }

TEST_CASE("the path with fused instructions has the bits of the path without") {
    check_paths<float, weight_only_codec<float>, float, f, f>();
    check_paths<bfloat16, remainder16_codec, bfloat16, b, b>();
    check_paths<float, fp32_master_codec<float16>, float, f, f>();
    CHECK_NOISY(check_paths);
}

TEST_CASE("a gradient wider than main_grads is rounded on its way") {
    CHECK(main_grad<bfloat16>(0x1.01p0f) == 1.0f);       // a tie, to even
    CHECK(main_grad<bfloat16>(0x1.03p0f) == 0x1.04p0f);  // a tie, to even
    CHECK(main_grad<float>(0x1.01p0f) == 0x1.01p0f);
    CHECK(main_grad<float>(bfloat16{0x3F81}) == 0x1.02p0f);
    CHECK(main_grad<bfloat16>(bfloat16{0x3F81}) == 0x1.02p0f);
}
