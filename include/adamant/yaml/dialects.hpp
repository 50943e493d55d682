// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! read_settings: a configuration read in its dialect.
#pragma once

#include <adamant/yaml/adamant.hpp>
#include <adamant/yaml/megatron.hpp>
#include <adamant/yaml/verl.hpp>

namespace adamant::inline v0::yaml {

//! What a configuration says. Throws located_error for a key or value that is not allowed.
inline settings read_settings(const config& c) {
    switch (c.options.dialect) {
        case dialect::verl: return detail::read_verl(c);
        case dialect::megatron: return detail::read_megatron(c);
        default: return detail::read_adamant(c);
    }
}

}  // namespace adamant::inline v0::yaml
