// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Checkpoints of a sharded optimizer: every rank writes what it holds beside an index, and any number of
//! ranks goes on from it.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include <adamant/optimizer/sharded_state.hpp>
#include <adamant/safetensors/load.hpp>
#include <adamant/safetensors/save.hpp>

namespace adamant::inline v0::safetensors {

namespace detail {

//! Calls f on every rank. Where it throws on one, all ranks throw: that one its own exception, the others a
//! checkpoint_error that names it.
template <communicator Ranks, class F>
void together(Ranks& ranks, const std::string& file, F&& f) {
    std::exception_ptr own;
    try {
        f();
    } catch (...) { own = std::current_exception(); }
    const auto failed = gather_values(ranks, static_cast<char>(own != nullptr));
    if (own) std::rethrow_exception(own);
    for (std::size_t rank = 0; rank < failed.size(); ++rank)
        if (failed[rank] != 0)
            complain("all ranks save or load a checkpoint, or none", file, "",
                     "rank " + std::to_string(rank) + " failed; it says why");
}

}  // namespace detail

//! Writes a checkpoint whose index is `index`, "run/step-1000.json". All ranks call it together, on a file
//! system that they share; when it returns on one, the checkpoint is on the disk. Errors, on all ranks where
//! one has one: those of save and communication_error; the checkpoint that was there stays.
template <class Policy, communicator Ranks, memory Memory, tensor_list Params>
void save(const std::string& index, sharded<Policy, Ranks, Memory>& optimizer, const Params& params,
          const save_options& options = {}) {
    Ranks& ranks = optimizer.ranks();
    const std::uint64_t number = std::random_device{}() * std::uint64_t{0x100000000} + std::random_device{}();
    const std::string id = std::to_string(gather_values(ranks, number).front());
    const rank_part part{ranks.rank(), ranks.size(), id};
    try {
        detail::together(ranks, index,
                         [&] { save_rank(index, part, *access_state(optimizer), params, options); });
    } catch (...) {
        std::error_code ignored;  // no index will name it
        std::filesystem::remove(rank_file(index, part), ignored);
        throw;
    }
    detail::together(ranks, index, [&] {
        if (ranks.rank() == 0) save_index(index, ranks.size(), id);
    });
}

//! Loads a checkpoint that any number of ranks wrote, or one process. All ranks call it together and end with
//! all parameters. Errors, on all ranks where one has one: those of load; another rank may have loaded then,
//! and all load again before the next step.
template <class Policy, communicator Ranks, memory Memory, parameter_list Params>
load_result load(const std::string& path, sharded<Policy, Ranks, Memory>& optimizer, const Params& params,
                 const load_options& options = {}) {
    load_result result;
    detail::together(optimizer.ranks(), path,
                     [&] { result = load(path, *access_state(optimizer), params, options); });
    optimizer.gather_params(params);  // a conversion sets weights of what a rank holds
    return result;
}

}  // namespace adamant::inline v0::safetensors
