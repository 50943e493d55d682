// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! rank_fingerprint: what all ranks must have alike, line by line, and the comparison at the start of a run.
#pragma once

#include <algorithm>
#include <cinttypes>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <adamant/optimizer/tensor_registry.hpp>
#include <adamant/state/memory.hpp>
#include <adamant/step/hyperparameters.hpp>
#include <adamant/train/communicator.hpp>

namespace adamant::inline v0 {

class rank_fingerprint {
public:
    void add(std::string_view name, std::string_view value) {
        text_ += name;
        text_ += ": ";
        text_ += value;
        text_ += '\n';
    }
    void add(std::string_view name, double value) { add(name, text_of(value)); }
    template <std::integral T>
    void add(std::string_view name, T value) {
        add(name, std::to_string(value));
    }

    void add(const hyperparameters& h) {
        add("lr", h.lr);
        add("beta1", h.beta1);
        add("beta2", h.beta2);
        add("eps", h.eps);
        add("weight_decay", h.weight_decay);
        add("bias_correction", int{h.bias_correction});
        add("decoupled", int{h.decoupled});
        add("clip_grad", h.clip_grad);
        add("grad_norm_skip_threshold", h.grad_norm_skip_threshold);
        add("seed", h.seed);
    }
    void add(const std::optional<loss_scaler_settings>& scaler) {
        if (!scaler) return add("loss scaler", "the policy's");
        if (scaler->loss_scale) return add("loss scaler", "constant " + text_of(*scaler->loss_scale));
        add("loss scaler", "initial " + text_of(scaler->initial_loss_scale) + ", min " +
                               text_of(scaler->min_loss_scale) + ", window " +
                               std::to_string(scaler->loss_scale_window) + ", hysteresis " +
                               std::to_string(scaler->hysteresis));
    }
    void add(const tensor_registry& tensors) {
        add("tensors", tensors.size());
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const param_group& group = tensors.groups()[tensors.group_of(i)];
            std::string is = std::string(to_string(tensors.type(i))) + ", ";
            is += std::to_string(tensors.sizes()[i]) + " elements";
            if (!tensors.info(i).shape.empty()) is += " of shape";
            for (const std::int64_t extent : tensors.info(i).shape) is += ' ' + std::to_string(extent);
            is += ", lr_mult " + text_of(group.lr_mult) + ", wd_mult " + text_of(group.wd_mult);
            if (!tensors.in_norm(i)) is += ", not in the norm";
            add(name_of(i, tensors.infos()), is);
        }
    }
    //! Ranks that start from other weights would compute gradients of other models.
    template <memory Memory>
    void add_weights(const tensor_registry& tensors, std::span<const param_view> params,
                     const Memory& memory) {
        for (std::size_t i = 0; i < params.size(); ++i) {
            char digits[20];
            std::snprintf(digits, sizeof digits, "%016" PRIx64, hash_of(params[i], memory));
            add("weights of " + name_of(i, tensors.infos()), "digest " + std::string(digits));
        }
    }

    //! Throws config_error on every rank if one differs, naming it and the first line that does.
    template <communicator Ranks>
    void require_same(Ranks& ranks) const {
        struct summary {
            std::uint64_t hash;
            std::int64_t bytes;
        };
        const auto bytes = static_cast<std::int64_t>(text_.size());
        const auto all = gather_values(ranks, summary{hash(text_.data(), text_.size()), bytes});
        bool same = true;
        for (const summary& s : all) same = same && s.hash == all[0].hash && s.bytes == all[0].bytes;
        if (same) return;
        std::vector<std::string> texts;
        texts.reserve(all.size());
        for (const summary& s : all) texts.emplace_back(static_cast<std::size_t>(s.bytes), '\0');
        gather(ranks, texts);
        for (std::size_t rank = 1; rank < texts.size(); ++rank) require_same(texts[0], texts[rank], rank);
    }

private:
    static std::string text_of(double value) {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.17g", value);
        return digits;
    }

    template <communicator Ranks>
    void gather(Ranks& ranks, std::vector<std::string>& texts) const {
        std::vector<outgoing> out;
        std::vector<incoming> in;
        for (int rank = 0; rank < ranks.size(); ++rank) {
            std::string& text = texts[static_cast<std::size_t>(rank)];
            if (rank == ranks.rank()) {
                text = text_;
                continue;
            }
            out.push_back({rank, text_.data(), static_cast<std::int64_t>(text_.size())});
            in.push_back({rank, text.data(), static_cast<std::int64_t>(text.size())});
        }
        auto request = ranks.exchange(out, in);
        ranks.wait(request);
    }
    static void require_same(std::string_view first, std::string_view other, std::size_t rank) {
        while (!first.empty() || !other.empty()) {
            const std::string_view a = take_line(first), b = take_line(other);
            if (a != b)
                throw config_error("[adamant] all ranks are built alike: rank " + std::to_string(rank) +
                                   " has '" + std::string(b) + "', rank 0 has '" + std::string(a) + "'.");
        }
    }
    static std::string_view take_line(std::string_view& text) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        return line;
    }

    template <memory Memory>
    static std::uint64_t hash_of(const param_view& weights, const Memory& memory) {
        if constexpr (is_on_host<Memory>) {
            return hash(weights.data, weights.bytes());
        } else {
            std::vector<std::byte> part(std::min(weights.bytes(), std::size_t{1} << 24));
            std::uint64_t result = start_of_hash;
            for (std::size_t begin = 0; begin < weights.bytes(); begin += part.size()) {
                const std::size_t bytes = std::min(part.size(), weights.bytes() - begin);
                memory.copy(part.data(), static_cast<const std::byte*>(weights.data) + begin, bytes);
                result = hash(part.data(), bytes, result);
            }
            return result;
        }
    }

    static constexpr std::uint64_t start_of_hash = 0xCBF29CE484222325ull;
    //! FNV-1a, eight bytes at a time.
    static std::uint64_t hash(const void* data, std::size_t bytes, std::uint64_t result = start_of_hash) {
        for (std::size_t i = 0; i < bytes; i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, static_cast<const char*>(data) + i, std::min<std::size_t>(8, bytes - i));
            result = (result ^ word) * 0x100000001B3ull;
            result ^= result >> 32;
        }
        return result;
    }

    std::string text_;
};

}  // namespace adamant::inline v0
