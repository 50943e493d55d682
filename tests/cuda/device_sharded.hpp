// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! sharded_run with tensors and state on a device.
#pragma once

#include "device_adam.hpp"

#include <optimizer/sharded_run.hpp>

//! On the device, every other tensor at an odd element.
template <>
struct placed_tensors<adamant::cuda::memory> {
    template <class List>
    explicit placed_tensors(const List& list) : tensors(list, true), views(tensors.views()) {
        tensors.upload();
    }
    void bring_back() const { tensors.download(); }

    device_tests::device_tensors tensors;
    std::vector<adamant::tensor_view> views;
};

template <class Policy, adamant::communicator Ranks>
using device_sharded_run = sharded_run<Policy, Ranks, adamant::cuda::memory>;
