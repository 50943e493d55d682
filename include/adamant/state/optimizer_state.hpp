// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! optimizer_state: the buffers of a policy's slots, one allocation each, laid out by the flat index.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <adamant/state/flat_index.hpp>
#include <adamant/state/memory.hpp>
#include <adamant/state/slots.hpp>

namespace adamant::inline v0 {

//! A slot's codes and, where its codec has them, the scale byte of every group of 32.
template <class Resolved, slot S, memory Memory>
class slot_buffers {
public:
    using code = slot_code_t<Resolved, S>;

    slot_buffers(const flat_index& index, const Memory& memory)
        : codes_(codes(index), memory), scales_(scales(index), memory) {}

    //! Those of a tensor that starts at this flat index; null pointers where the slot keeps nothing.
    coded<code> at(std::int64_t start) {
        return {codes_.data() == nullptr ? nullptr : codes_.data() + start,
                scales_.data() == nullptr ? nullptr : scales_.data() + start / group_size};
    }
    static std::size_t bytes(const flat_index& index) { return codes(index) * sizeof(code) + scales(index); }
    std::size_t bytes() const { return codes_.bytes() + scales_.bytes(); }

private:
    static std::size_t codes(const flat_index& index) {
        return has_slot<Resolved, S> ? static_cast<std::size_t>(index.size()) : 0;
    }
    static std::size_t scales(const flat_index& index) {
        return has_scales<Resolved, S> ? static_cast<std::size_t>(index.size() / group_size) : 0;
    }

    buffer<code, Memory> codes_;
    buffer<std::uint8_t, Memory> scales_;
};

template <class Resolved, memory Memory = host_memory>
class optimizer_state {
public:
    //! Zeros for tensors of these sizes. A tensor that is fp32 in a lower mode is its own master: its
    //! entry of has_master is false.
    optimizer_state(std::span<const std::int64_t> sizes, const std::vector<bool>& has_master, Memory memory)
        : moments_(sizes),
          masters_(master_sizes(sizes, has_master)),
          main_params_(masters_, memory),
          exp_avg_(moments_, memory),
          exp_avg_sq_(moments_, memory) {}

    //! What a slot keeps of a tensor, from its first element.
    template <slot S>
    coded<slot_code_t<Resolved, S>> at(std::size_t tensor) {
        return buffers<S>().at((S == slot::main_params ? masters_ : moments_).start(tensor));
    }
    template <slot S>
    coded<const slot_code_t<Resolved, S>> at(std::size_t tensor) const {
        const auto found = const_cast<optimizer_state*>(this)->at<S>(tensor);
        return {found.codes, found.scales};
    }

    //! All of a slot, from flat index 0 of the index below: of masters() for main_params.
    template <slot S>
    coded<slot_code_t<Resolved, S>> all() {
        return buffers<S>().at(0);
    }

    const flat_index& index() const { return moments_; }
    const flat_index& masters() const { return masters_; }
    std::size_t bytes() const { return main_params_.bytes() + exp_avg_.bytes() + exp_avg_sq_.bytes(); }

    //! What the state of tensors of these sizes will allocate, to the byte.
    static std::size_t bytes(std::span<const std::int64_t> sizes) {
        const flat_index index(sizes);
        return slot_buffers<Resolved, slot::main_params, Memory>::bytes(index) +
               slot_buffers<Resolved, slot::exp_avg, Memory>::bytes(index) +
               slot_buffers<Resolved, slot::exp_avg_sq, Memory>::bytes(index);
    }

private:
    static std::vector<std::int64_t> master_sizes(std::span<const std::int64_t> sizes,
                                                  const std::vector<bool>& has_master) {
        std::vector<std::int64_t> result(sizes.begin(), sizes.end());
        for (std::size_t i = 0; i < result.size(); ++i)
            if (!has_master[i]) result[i] = 0;
        return result;
    }
    template <slot S>
    auto& buffers() {
        if constexpr (S == slot::main_params) return main_params_;
        else if constexpr (S == slot::exp_avg) return exp_avg_;
        else return exp_avg_sq_;
    }

    flat_index moments_;
    flat_index masters_;
    slot_buffers<Resolved, slot::main_params, Memory> main_params_;
    slot_buffers<Resolved, slot::exp_avg, Memory> exp_avg_;
    slot_buffers<Resolved, slot::exp_avg_sq, Memory> exp_avg_sq_;
};

}  // namespace adamant::inline v0
