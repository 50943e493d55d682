// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! sharded: adam on the ranks of a data-parallel run, each of which keeps the state of its part (ZeRO-1:
//! Rajbhandari et al., 2020). The same bits as adam on one rank, for any number of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <adamant/optimizer/adam.hpp>
#include <adamant/optimizer/rank_fingerprint.hpp>
#include <adamant/train/param_gather.hpp>
#include <adamant/train/shared_buckets.hpp>

namespace adamant::inline v0 {

struct sharded_options {
    optimizer_options optimizer{};
    std::int64_t bucket_size = 0;  //!< elements; 0: Megatron-Core's max(40e6, 1e6 * ranks)
    reduction reduce = reduction::mean;
};

//! What a rank keeps, in bytes.
struct rank_bytes {
    std::size_t state;      //!< masters and moments of what the rank owns
    std::size_t gradients;  //!< the buckets, of all tensors
    std::size_t transfers;  //!< what arrives from other ranks

    std::size_t all() const { return state + gradients + transfers; }
};

namespace detail {

//! What the ranks tell each other in a step.
struct step_report {
    grad_statistics statistics{};
    double lr = 0, weight_decay = 0, grad_scale = 1, grad_norm = 0;
    std::int64_t step = 0;
    bool has_norm = false;

    bool is_like(const step_report& other) const {
        return lr == other.lr && weight_decay == other.weight_decay && grad_scale == other.grad_scale &&
               has_norm == other.has_norm && step == other.step &&
               (grad_norm == other.grad_norm ||
                (grad_norm != grad_norm && other.grad_norm != other.grad_norm));
    }
};

}  // namespace detail

//! All ranks have the same parameters and call the same functions in the same order; each has gradients of
//! its own micro-batches. An iteration is zero_grads(); per micro-batch accumulate(), or grad() written;
//! mark_ready() as gradients are complete, which starts their reduction; step(), on which every rank ends
//! with the same parameters. Errors beside adam's: communication_error. After it, or cuda_error, out of a
//! step an optimizer is only good to be destroyed.
//!
//! With cuda::memory tensors and buckets are on a GPU, and calls that move parameters wait for it. The
//! communicator is handed device memory then, besides the host's: NCCL, or an MPI that is built for CUDA.
//! Where it has follow(stream), exchanges come after what the memory's stream was given before; else that
//! stream is waited for.
template <class Policy, communicator Ranks = single, memory Memory = host_memory>
class sharded {
public:
    using optimizer_type = adam<Policy, Memory>;
    using param_t = typename optimizer_type::param_t;
    using grad_t = typename optimizer_type::grad_t;
    static constexpr policy_spec spec = Policy::resolved::spec;

    //! Throws config_error on every rank if policy, hyperparameters, options, tensors or weights of one
    //! differ from those of rank 0.
    template <parameter_list Params>
    sharded(std::span<const tensor_info> tensors, const Params& params, const hyperparameters& hyper,
            Ranks ranks, sharded_options options = {}, Memory memory = {})
        : ranks_(std::move(ranks)),
          params_(std::ranges::begin(params), std::ranges::end(params)),
          tensors_(tensors, params_, dtype_of<param_t>, options.optimizer.groups),
          buckets_((require_same(hyper, options, memory),
                    bucket_plan(tensors_.sizes(), ranks_.size(), options.bucket_size)),
                   ranks_.rank(), options.reduce, work_of(options, memory)),
          gather_(buckets_.plan(), tensors_.types(), ranks_.rank(), work_of(options, memory)),
          pieces_(buckets_.plan().pieces(ranks_.rank())),
          own_grads_(own_gradients()),
          adam_(own_tensors(), own(params_), hyper, own_options(std::move(options.optimizer)), memory) {
        const pointer_loan of_construction(params_, own_params_);
    }

    sharded(sharded&&) noexcept = default;

    Ranks& ranks() { return ranks_; }

    //! The gradient of a tensor in its bucket, to be written before mark_ready().
    std::span<grad_t> grad(std::size_t tensor) {
        tensors_.check_tensor(tensor);
        return buckets_[tensor];
    }
    //! Adds a micro-batch's gradient to it, in fp32, rounded to the bucket's dtype. A mean over n
    //! micro-batches is step_options.grad_scale = 1.0 / n.
    template <class T>
    void accumulate(std::size_t tensor, std::span<T> gradient) {
        buckets_.accumulate(tensor, gradient);
        buckets_.advance(ranks_);
    }
    void accumulate(std::size_t tensor, const tensor_view& gradient) {
        visit_values(gradient, [&](auto values) { accumulate(tensor, values); });
    }
    void zero_grads() { buckets_.zero(); }
    //! No more is added to a tensor's gradient before the step. Its bucket is reduced as soon as all
    //! gradients in it are ready, while the backward pass goes on.
    void mark_ready(std::size_t tensor) { buckets_.mark_ready(ranks_, tensor); }
    //! Drives reductions that are under way; to be called now and then by a backward pass that calls nothing
    //! else.
    void progress() { buckets_.advance(ranks_); }

    //! Reduces what is not yet reduced, steps on what the rank owns, and gathers the parameters. Norm,
    //! found_inf, clipping, loss scale and skips are those of all ranks. The options are the same on every
    //! rank; config_error where they are not.
    template <parameter_list Params>
    step_result step(const Params& params, const step_options& options = {}) {
        const pointer_loan loan(params_, own_params_);
        tensors_.take_params(params, params_);
        buckets_.finish(ranks_);
        const std::vector<tensor_view>& views = own(params_);
        if (options.grad_norm) agree(options, {});
        const step_result result =
            adam_.step(views, own_grads_, options,
                       [&](const grad_statistics& of_shard) { return agree(options, of_shard); });
        buckets_.spend();
        if (result.status == step_status::applied) gather_.run(ranks_, params_);
        return result;
    }

    //! As adam's, with whole tensors.
    template <parameter_list Params, tensor_list Values>
    void init_masters(const Params& params, const Values& values) {
        const pointer_loan loan(params_, own_params_);
        tensors_.take_params(params, params_);
        std::vector<tensor_view> views(tensors_.size());
        tensors_.take(values, views, "values", [](std::size_t) { return dtype::fp32; });
        const std::vector<tensor_view> own_values = own(views);
        adam_.init_masters(own(params_), own_values);
        gather_.run(ranks_, params_);
    }
    //! Every rank's part of the parameters to all, where ranks have changed their own from outside.
    template <parameter_list Params>
    void gather_params(const Params& params) {
        const pointer_loan loan(params_, own_params_);
        tensors_.take_params(params, params_);
        gather_.run(ranks_, params_);
    }
    template <parameter_list Params>
    void reload_masters(const Params& params) {
        const pointer_loan loan(params_, own_params_);
        tensors_.take_params(params, params_);
        adam_.reload_masters(own(params_));
    }

    double loss_scale() const { return adam_.loss_scale(); }
    const hyperparameters& hyper() const { return adam_.hyper(); }
    std::int64_t step_count() const { return adam_.step_count(); }
    std::size_t tensor_count() const { return tensors_.size(); }
    //! The whole model's.
    const tensor_registry& tensors() const { return tensors_; }
    //! What this rank owns; piece number i is tensor number i of shard().
    const std::vector<tensor_piece>& pieces() const { return pieces_; }
    optimizer_type& shard() { return adam_; }
    const optimizer_type& shard() const { return adam_; }
    const bucket_plan& plan() const { return buckets_.plan(); }
    rank_bytes bytes() const {
        return {adam_.state_bytes(), buckets_.gradient_bytes(),
                buckets_.transfer_bytes() + gather_.transfer_bytes()};
    }

private:
    static bucket_work<Memory> work_of(const sharded_options& options, const Memory& memory) {
        return bucket_work<Memory>(options.optimizer.executor, memory);
    }
    void require_same(const hyperparameters& hyper, const sharded_options& options, const Memory& memory) {
        rank_fingerprint own;
        own.add("policy", Policy::describe());
        own.add(hyper);
        own.add(options.optimizer.loss_scaler);
        own.add("bucket_size", options.bucket_size);
        own.add("reduce", int{options.reduce == reduction::mean});
        own.add(tensors_);
        own.add_weights(tensors_, params_, memory);
        own.require_same(ranks_);
    }

    //! The rank's pieces of whole tensors.
    const std::vector<tensor_view>& own(std::span<const tensor_view> whole) {
        own_params_.clear();
        for (const tensor_piece& piece : pieces_) {
            const tensor_view& view = whole[piece.tensor];
            own_params_.emplace_back(
                view.type, static_cast<std::byte*>(view.data) + piece.begin * element_bytes(view.type),
                piece.end - piece.begin);
        }
        return own_params_;
    }
    std::vector<tensor_view> own_gradients() {
        std::vector<tensor_view> views;
        for (const tensor_piece& piece : pieces_)
            views.emplace_back(dtype_of<grad_t>, buckets_.at(piece.place), piece.end - piece.begin);
        return views;
    }
    std::vector<tensor_info> own_tensors() const {
        std::vector<tensor_info> infos;
        for (const tensor_piece& piece : pieces_)
            infos.push_back({.name = tensors_.info(piece.tensor).name,
                             .group = static_cast<int>(tensors_.group_of(piece.tensor)),
                             .in_norm = tensors_.in_norm(piece.tensor)});
        return infos;
    }
    //! Groups are those of whole tensors: a piece has no shape to choose by.
    optimizer_options own_options(optimizer_options options) const {
        options.groups = tensors_.groups();
        for (param_group& group : options.groups) group.names.clear();
        const std::vector<std::int64_t> starts = std::move(options.flat_starts);
        if (!starts.empty() && starts.size() != tensors_.size())
            throw shape_error("[adamant] every tensor has a flat start or none has: expected " +
                              std::to_string(tensors_.size()) + ", got " + std::to_string(starts.size()) +
                              ".");
        options.flat_starts.clear();
        for (const tensor_piece& piece : pieces_)
            options.flat_starts.push_back(
                (starts.empty() ? buckets_.plan().flat_start(piece.tensor) : starts[piece.tensor]) +
                piece.begin);
        return options;
    }

    //! What all ranks' gradients say together.
    grad_statistics agree(const step_options& options, const grad_statistics& of_shard) {
        const detail::step_report own{of_shard,
                                      options.lr.value_or(hyper().lr),
                                      options.weight_decay.value_or(hyper().weight_decay),
                                      options.grad_scale,
                                      options.grad_norm.value_or(0),
                                      step_count(),
                                      options.grad_norm.has_value()};
        const auto all = gather_values(ranks_, own);
        grad_statistics total;
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
            if (!all[rank].is_like(all[0]))
                throw config_error(
                    "[adamant] all ranks take the same step: rank " + std::to_string(rank) +
                    " has another lr, weight_decay, grad_scale, grad_norm or step count than rank 0.");
            total.add(all[rank].statistics);
        }
        return total;
    }

    Ranks ranks_;
    std::vector<param_view> params_;
    tensor_registry tensors_;
    shared_buckets<grad_t, Ranks, Memory> buckets_;
    param_gather<Memory> gather_;
    std::vector<tensor_piece> pieces_;
    std::vector<tensor_view> own_params_, own_grads_;
    optimizer_type adam_;
};

}  // namespace adamant::inline v0
