// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Adam in pieces, as ranks and threads would do it: the flat index is cut into shards that keep their own
//! state, a shard's part of a tensor into chunks that are stepped in any order. It knows read_gradients,
//! constants_of_step and update_chunk, not the optimizer.
#pragma once

#include <adamant/optimizer/adam.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

//! Borders are flat indices, multiples of 128.
struct cut {
    std::vector<std::int64_t> shard_borders;
    std::vector<std::int64_t> chunk_borders;
    std::uint64_t order = 0;  //!< 0: list order; else a shuffle
};

template <class Policy>
class cut_adam {
    using resolved = typename Policy::resolved;
    using param_t = typename resolved::param_t;
    using grad_t = typename resolved::grad_t;
    using main_grad_t = adamant::element_t<typename resolved::main_grads>;
    using slot = adamant::slot;
    template <slot S>
    using codec = adamant::slot_codec_t<resolved, S>;
    template <slot S>
    using code = adamant::slot_code_t<resolved, S>;
    using tensor_view = adamant::tensor_view;

public:
    cut_adam(std::span<const adamant::tensor_info> tensors, const std::vector<tensor_view>& params,
             const adamant::hyperparameters& hyper, const adamant::loss_scaler_settings& scaler, cut how)
        : registry_(tensors, params, adamant::dtype_of<param_t>, {}),
          index_(registry_.sizes()),
          hyper_(hyper),
          scaler_(scaler),
          how_(std::move(how)),
          gathered_(0, index_.size()) {
        how_.shard_borders.push_back(index_.size());
        std::int64_t begin = 0;
        for (const std::int64_t end : how_.shard_borders) {
            shards_.push_back(shard(begin, end));
            for (std::size_t t = 0; t < registry_.size(); ++t)
                add_pieces(shards_.size() - 1, t, std::max(begin, index_.start(t)),
                           std::min(end, index_.start(t) + registry_.sizes()[t]));
            begin = end;
        }
        shuffle();
        for (const piece& p : pieces_)
            with_streams(p, params[p.tensor].data, nullptr,
                         [&]<class Weight>(std::type_identity<Weight>, const auto& streams) {
                             for (std::int64_t first = 0; first < p.end - p.begin;
                                  first += adamant::group_size)
                                 Weight::start(streams.weights, first, group(p, first),
                                               adamant::noise_for<slot::main_params>{
                                                   adamant::noise_of(hyper_.seed, p.begin + first, 0)});
                         });
    }

    double loss_scale() const { return scaler_.scale(); }
    std::int64_t step_count() const { return step_; }

    adamant::step_result step(const std::vector<tensor_view>& params,
                              const std::vector<std::span<const grad_t>>& grads,
                              const adamant::step_options& options) {
        const double unscale = options.grad_scale / scaler_.scale();
        adamant::grad_statistics all;
        for (const piece& p : pieces_) {
            adamant::grad_statistics part;
            adamant::read_gradients<main_grad_t>(grads[p.tensor].data() + p.first, 0, p.end - p.begin,
                                                 registry_.in_norm(p.tensor), part);
            all.add(part);
        }
        adamant::step_result result{.lr = *options.lr};
        result.grad_norm = adamant::rounded(all.norm() * unscale);
        result.clip_coefficient = adamant::clip_coefficient(result.grad_norm, hyper_.clip_grad);
        const bool found_inf = !std::isfinite(result.grad_norm);
        if (found_inf || result.grad_norm > hyper_.grad_norm_skip_threshold) {
            result.clip_coefficient = 1;
        } else {
            ++step_;
            const double factor = adamant::rounded(unscale * result.clip_coefficient);
            for (const piece& p : pieces_) update(p, params, grads, *options.lr, factor);
        }
        scaler_.update(found_inf);
        result.loss_scale = scaler_.scale();
        return result;
    }

    //! As adam's: a tensor's codes and scales, put together from the shards.
    template <slot S>
    std::span<const code<S>> state(std::size_t tensor) {
        if (!keeps<S>(tensor)) return {};
        return {gather<S>().at(index_.start(tensor)).codes, size(tensor)};
    }
    template <slot S>
    std::span<const std::uint8_t> scales(std::size_t tensor) {
        if (!keeps<S>(tensor) || !adamant::has_scales<resolved, S>) return {};
        return {gather<S>().at(index_.start(tensor)).scales, (size(tensor) + 31) / 32};
    }

private:
    //! Elements [begin, end) of the flat index, in one tensor, whose element number `first` is at begin.
    struct piece {
        std::size_t shard, tensor;
        std::int64_t begin, end, first;
    };
    template <slot S>
    struct buffers {
        std::vector<code<S>> codes;
        std::vector<std::uint8_t> scales;

        explicit buffers(std::int64_t size)
            : codes(static_cast<std::size_t>(size)), scales(static_cast<std::size_t>(size / 32)) {}
        adamant::coded<code<S>> at(std::int64_t i) { return {codes.data() + i, scales.data() + i / 32}; }
    };
    struct shard {
        std::int64_t begin, end;
        buffers<slot::main_params> main_params;
        buffers<slot::exp_avg> exp_avg;
        buffers<slot::exp_avg_sq> exp_avg_sq;

        shard(std::int64_t first, std::int64_t last)
            : begin(first),
              end(last),
              main_params(last - first),
              exp_avg(last - first),
              exp_avg_sq(last - first) {}
        template <slot S>
        buffers<S>& of() {
            if constexpr (S == slot::main_params) return main_params;
            else if constexpr (S == slot::exp_avg) return exp_avg;
            else return exp_avg_sq;
        }
    };

    static int group(const piece& p, std::int64_t first) {
        return static_cast<int>(std::min<std::int64_t>(adamant::group_size, p.end - p.begin - first));
    }

    void add_pieces(std::size_t owner, std::size_t tensor, std::int64_t begin, std::int64_t end) {
        while (begin < end) {
            const auto border = std::ranges::upper_bound(how_.chunk_borders, begin);
            const std::int64_t next = border == how_.chunk_borders.end() ? end : std::min(end, *border);
            pieces_.push_back({owner, tensor, begin, next, begin - index_.start(tensor)});
            begin = next;
        }
    }
    void shuffle() {
        if (how_.order == 0) return;
        for (std::size_t i = pieces_.size(); i > 1; --i)
            std::swap(pieces_[i - 1], pieces_[adamant::philox(how_.order, i, 0)[0] % i]);
    }

    void update(const piece& p, const std::vector<tensor_view>& params,
                const std::vector<std::span<const grad_t>>& grads, double lr, double factor) {
        const adamant::param_group& group = registry_.groups()[registry_.group_of(p.tensor)];
        const adamant::step_constants constants =
            adamant::constants_of_step(hyper_, step_, adamant::rounded(lr * group.lr_mult),
                                       adamant::rounded(hyper_.weight_decay * group.wd_mult), factor);
        with_streams(p, params[p.tensor].data, grads[p.tensor].data(), [&](auto, const auto& streams) {
            adamant::update_chunk<main_grad_t>(streams, 0, p.end - p.begin, constants);
        });
    }

    //! Calls f with the codec of a piece's weights and its streams, each of which starts at the piece.
    template <class F>
    void with_streams(const piece& p, void* weights, const grad_t* grads, F&& f) {
        shard& s = shards_[p.shard];
        const std::int64_t here = p.begin - s.begin;
        const grad_t* const own_grads = grads == nullptr ? nullptr : grads + p.first;
        const auto call = [&]<class Weight>(std::type_identity<Weight> type, typename Weight::view view) {
            f(type, adamant::step_streams<Weight, grad_t, codec<slot::exp_avg>, codec<slot::exp_avg_sq>>{
                        view, own_grads, s.exp_avg.at(here), s.exp_avg_sq.at(here), p.begin});
        };
        if constexpr (!std::is_same_v<param_t, float>)
            if (registry_.type(p.tensor) == adamant::dtype::fp32)
                return call(std::type_identity<adamant::weight_only_codec<float>>{},
                            {static_cast<float*>(weights) + p.first});
        call(std::type_identity<codec<slot::main_params>>{},
             {static_cast<param_t*>(weights) + p.first, s.main_params.at(here)});
    }

    template <slot S>
    bool keeps(std::size_t tensor) const {
        return adamant::has_slot<resolved, S> &&
               (S != slot::main_params || registry_.type(tensor) == adamant::dtype_of<param_t>);
    }
    template <slot S>
    buffers<S>& gather() {
        buffers<S>& whole = gathered_.template of<S>();
        for (shard& s : shards_) {
            const buffers<S>& part = s.template of<S>();
            std::ranges::copy(part.codes, whole.at(s.begin).codes);
            std::ranges::copy(part.scales, whole.at(s.begin).scales);
        }
        return whole;
    }
    std::size_t size(std::size_t tensor) const { return static_cast<std::size_t>(registry_.sizes()[tensor]); }

    adamant::tensor_registry registry_;
    adamant::flat_index index_;
    adamant::hyperparameters hyper_;
    adamant::loss_scaler scaler_;
    cut how_;
    std::vector<shard> shards_;
    std::vector<piece> pieces_;
    shard gathered_;
    std::int64_t step_ = 0;
};
