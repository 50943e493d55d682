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

template <class Resolved, memory Memory = host_memory>
class optimizer_state {
public:
    //! Zeros for tensors of these sizes. A tensor that is fp32 in a lower mode is its own master: its
    //! entry of has_master is false.
    optimizer_state(std::span<const std::int64_t> sizes, const std::vector<bool>& has_master, Memory memory)
        : moments_(sizes),
          masters_(master_sizes(sizes, has_master)),
          main_params_(count<slot::main_params>(masters_), memory),
          exp_avg_(count<slot::exp_avg>(moments_), memory),
          exp_avg_sq_(count<slot::exp_avg_sq>(moments_), memory) {}

    //! The first stored element of a tensor, or nullptr where the slot stores nothing.
    template <slot S>
    auto* at(std::size_t tensor) {
        auto* const first = buffer_of<S>(*this).data();
        return first == nullptr ? first : first + index<S>().start(tensor);
    }
    template <slot S>
    const auto* at(std::size_t tensor) const {
        const auto* const first = buffer_of<S>(*this).data();
        return first == nullptr ? first : first + index<S>().start(tensor);
    }

    const flat_index& index() const { return moments_; }
    std::size_t bytes() const { return main_params_.bytes() + exp_avg_.bytes() + exp_avg_sq_.bytes(); }

    //! What the state of tensors of these sizes will allocate, to the byte.
    static std::size_t bytes(std::span<const std::int64_t> sizes) {
        const flat_index index(sizes);
        return count<slot::main_params>(index) * sizeof(code<slot::main_params>) +
               count<slot::exp_avg>(index) * sizeof(code<slot::exp_avg>) +
               count<slot::exp_avg_sq>(index) * sizeof(code<slot::exp_avg_sq>);
    }

private:
    template <slot S>
    using code = slot_code_t<Resolved, S>;

    template <slot S>
    static std::size_t count(const flat_index& index) {
        return has_slot<Resolved, S> ? static_cast<std::size_t>(index.size()) : 0;
    }
    static std::vector<std::int64_t> master_sizes(std::span<const std::int64_t> sizes,
                                                  const std::vector<bool>& has_master) {
        std::vector<std::int64_t> result(sizes.begin(), sizes.end());
        for (std::size_t i = 0; i < result.size(); ++i)
            if (!has_master[i]) result[i] = 0;
        return result;
    }
    template <slot S>
    const flat_index& index() const {
        return S == slot::main_params ? masters_ : moments_;
    }
    template <slot S, class Self>
    static auto& buffer_of(Self& self) {
        if constexpr (S == slot::main_params) return self.main_params_;
        else if constexpr (S == slot::exp_avg) return self.exp_avg_;
        else return self.exp_avg_sq_;
    }

    flat_index moments_;
    flat_index masters_;
    buffer<code<slot::main_params>, Memory> main_params_;
    buffer<code<slot::exp_avg>, Memory> exp_avg_;
    buffer<code<slot::exp_avg_sq>, Memory> exp_avg_sq_;
};

}  // namespace adamant::inline v0
