// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! tensor_registry: the tensors an optimizer was built for, and the checks of every list it is handed later.
#pragma once

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <adamant/optimizer/optimizer_options.hpp>
#include <adamant/state/tensor.hpp>

namespace adamant::inline v0 {

//! Pointers are the caller's: when the call that was handed them ends, however it ends, these lists forget
//! them.
template <class... Lists>
class pointer_loan {
public:
    explicit pointer_loan(Lists&... lists) : lists_(lists...) {}
    pointer_loan(const pointer_loan&) = delete;
    pointer_loan& operator=(const pointer_loan&) = delete;
    ~pointer_loan() {
        std::apply([](Lists&... lists) { (lists.clear(), ...); }, lists_);
    }

private:
    std::tuple<Lists&...> lists_;
};

class tensor_registry {
public:
    //! Parameters are fp32 or of dtype `mode`. Throws shape_error for tensors that do not fit their
    //! tensor_info, share memory or name no group; config_error for groups that cannot work.
    tensor_registry(std::span<const tensor_info> tensors, std::span<const param_view> params, dtype mode,
                    std::vector<param_group> groups)
        : tensors_(tensors.begin(), tensors.end()), groups_(std::move(groups)) {
        if (!tensors_.empty() && tensors_.size() != params.size())
            throw shape_error("[adamant] every tensor has a tensor_info or none has: expected " +
                              std::to_string(tensors_.size()) + " parameters, got " +
                              std::to_string(params.size()) + ".");
        tensors_.resize(params.size());
        for (std::size_t i = 0; i < params.size(); ++i) {
            if (params[i].size < 0) throw shape_error("[adamant] a size is not negative: " + name(i) + ".");
            sizes_.push_back(params[i].size);
            types_.push_back(params[i].type);
            if (params[i].type != dtype::fp32 && params[i].type != mode)
                throw shape_error("[adamant] parameters are fp32 or of the policy's mode: " + name(i) +
                                  ": expected " + std::string(to_string(mode)) + ", got " +
                                  std::string(to_string(params[i].type)) + ".");
            check_view(params[i], i, params[i].type, "parameters");
            check_shape(i);
        }
        check_overlap(params);
        choose_groups();
    }

    std::size_t size() const { return sizes_.size(); }
    const tensor_info& info(std::size_t tensor) const { return tensors_[tensor]; }
    const std::vector<std::int64_t>& sizes() const { return sizes_; }
    dtype type(std::size_t tensor) const { return types_[tensor]; }
    const std::vector<dtype>& types() const { return types_; }
    const std::vector<tensor_info>& infos() const { return tensors_; }
    bool in_norm(std::size_t tensor) const { return tensors_[tensor].in_norm; }
    std::size_t group_of(std::size_t tensor) const { return group_of_[tensor]; }
    const std::vector<param_group>& groups() const { return groups_; }
    //! Whether each tensor is of this dtype.
    std::vector<bool> are(dtype kind) const {
        std::vector<bool> result;
        for (const dtype type : types_) result.push_back(type == kind);
        return result;
    }

    void check_tensor(std::size_t tensor) const {
        if (tensor >= size())
            throw state_error("[adamant] this optimizer has " + std::to_string(size()) +
                              " tensors: there is no tensor " + std::to_string(tensor) + ".");
    }
    void check_size(std::int64_t size, std::size_t tensor, const char* what) const {
        if (size != sizes_[tensor])
            throw shape_error("[adamant] sizes stay as they were at construction: " + std::string(what) +
                              " of " + name(tensor) + ": expected " + std::to_string(sizes_[tensor]) +
                              " elements, got " + std::to_string(size) + ".");
    }
    bool fits(const tensor_view& view, std::size_t tensor, dtype expected) const {
        return view.type == expected && view.size == sizes_[tensor] &&
               (view.data != nullptr || view.size == 0);
    }
    void check_view(const tensor_view& view, std::size_t tensor, dtype expected, const char* what) const {
        if (view.type != expected)
            throw shape_error("[adamant] dtypes stay as they were at construction: " + std::string(what) +
                              " of " + name(tensor) + ": expected " + std::string(to_string(expected)) +
                              ", got " + std::string(to_string(view.type)) + ".");
        check_size(view.size, tensor, what);
        if (view.size > 0 && view.data == nullptr)
            throw shape_error("[adamant] a tensor with elements has a pointer: " + std::string(what) +
                              " of " + name(tensor) + " are at nullptr.");
    }

    template <tensor_list List>
    void check_count(const List& list, const char* what) const {
        const auto count = static_cast<std::size_t>(std::ranges::size(list));
        if (count != size()) refuse(count, what);
    }

    //! Checks a list and copies its views; type_of(i) is the dtype that tensor i must have in it.
    template <tensor_list List, class TypeOf>
    void take(const List& list, std::vector<tensor_view>& views, const char* what, TypeOf type_of) const {
        check_count(list, what);
        views.clear();
        for (std::size_t i = 0; i < size(); ++i) {
            views.push_back(view_at(list, i));
            check_view(views.back(), i, type_of(i), what);
        }
    }

    //! The same for parameters, whose dtypes are those of construction.
    template <tensor_list Params>
    void take_params(const Params& params, std::vector<tensor_view>& views) const {
        take(params, views, "parameters", [this](std::size_t i) { return types_[i]; });
    }

    //! For errors.
    std::string name(std::size_t tensor) const { return name_of(tensor, tensors_); }

private:
    [[noreturn]] void refuse(std::size_t count, const char* what) const {
        throw shape_error("[adamant] a list of " + std::string(what) +
                          " has one entry per tensor: expected " + std::to_string(size()) + ", got " +
                          std::to_string(count) + ".");
    }
    void check_shape(std::size_t tensor) const {
        const std::vector<std::int64_t>& shape = tensors_[tensor].shape;
        if (shape.empty()) return;
        std::int64_t elements = 1;
        for (const std::int64_t extent : shape)
            if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements))
                throw shape_error(
                    "[adamant] a shape has extents >= 0 and less than 2^63 elements: " + name(tensor) + ".");
        if (elements != sizes_[tensor])
            throw shape_error("[adamant] a tensor has as many elements as its shape: " + name(tensor) +
                              ": expected " + std::to_string(elements) + ", got " +
                              std::to_string(sizes_[tensor]) + ".");
    }

    //! Tied weights are registered once: two states would pull one weight in two directions.
    void check_overlap(std::span<const param_view> params) const {
        struct extent {
            std::uintptr_t begin, end;
            std::size_t tensor;
        };
        std::vector<extent> extents;
        for (std::size_t i = 0; i < params.size(); ++i) {
            const auto begin = reinterpret_cast<std::uintptr_t>(params[i].data);
            if (params[i].size > 0) extents.push_back({begin, begin + params[i].bytes(), i});
        }
        std::ranges::sort(extents, [](const extent& a, const extent& b) {
            return std::pair(a.begin, a.tensor) < std::pair(b.begin, b.tensor);
        });
        for (std::size_t i = 1; i < extents.size(); ++i)
            if (extents[i].begin < extents[i - 1].end)
                throw shape_error("[adamant] parameters do not share memory: " + name(extents[i - 1].tensor) +
                                  " and " + name(extents[i].tensor) + " do; register tied weights once.");
    }

    void choose_groups() {
        const bool by_default = groups_.empty();
        if (by_default) groups_ = {{}, {.wd_mult = 0}};
        for (const param_group& group : groups_)
            if (!(std::isfinite(group.lr_mult) && group.lr_mult >= 0 && std::isfinite(group.wd_mult) &&
                  group.wd_mult >= 0))
                throw config_error(
                    "[adamant] lr_mult and wd_mult are finite and not negative: write numbers >= 0.");
        for (std::size_t i = 0; i < size(); ++i) {
            const tensor_info& tensor = tensors_[i];
            if (by_default)
                group_of_.push_back(
                    tensor.shape.size() == 1 || tensor.name == "bias" || tensor.name.ends_with(".bias") ? 1
                                                                                                        : 0);
            else group_of_.push_back(chosen_group(i));
        }
    }

    //! The first group whose pattern the name matches, else the group in the tensor's info.
    std::size_t chosen_group(std::size_t tensor) const {
        const tensor_info& info = tensors_[tensor];
        for (std::size_t g = 0; g < groups_.size(); ++g)
            if (!groups_[g].names.empty() && fnmatch(groups_[g].names.c_str(), info.name.c_str(), 0) == 0)
                return g;
        if (info.group < 0 || static_cast<std::size_t>(info.group) >= groups_.size())
            throw shape_error("[adamant] a tensor's group is one of options.groups: " + name(tensor) +
                              " is in group " + std::to_string(info.group) + " of " +
                              std::to_string(groups_.size()) + ".");
        return static_cast<std::size_t>(info.group);
    }

    std::vector<tensor_info> tensors_;
    std::vector<param_group> groups_;
    std::vector<std::int64_t> sizes_;
    std::vector<dtype> types_;
    std::vector<std::size_t> group_of_;
};

}  // namespace adamant::inline v0
