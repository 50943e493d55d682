// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Measurements as a table, as JSON and as a chart.
#pragma once

#include "measurement.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

inline void print_header() {
    std::printf("%-9s %10s %3s  %6s %7s %6s %7s %6s %7s %6s %7s %6s  %s\n", "list", "elements", "thr",
                "B/par", "ns/par", "GB/s", "twin", "%twin", "L2", "xbare", "L2 all", "%roof", "policy");
}
inline void print(const measurement& m) {
    std::printf("%-9s %10lld %3d  %6.2f %7.3f %6.1f %7.3f %6.0f %7.3f %6.2f %7.3f %6.0f%c %s\n",
                m.list.c_str(), static_cast<long long>(m.elements), m.threads, m.bytes_per_param, m.ns,
                m.gigabytes_per_second(), m.twin_ns, 100 / m.over_twin, m.l2_ns, m.l2_ns / m.bare_ns,
                m.crowd_ns, 100 / m.over_roof, m.quiet ? ' ' : '~', m.policy.c_str());
    std::fflush(stdout);
}

inline std::ofstream open_to_write(const std::string& path) {
    std::ofstream file(path);
    if (!file) throw std::runtime_error(path + " cannot be written");
    return file;
}

inline void write_json(const std::string& path, const std::vector<measurement>& all) {
    nlohmann::json list = nlohmann::json::array();
    for (const measurement& m : all)
        list.push_back({{"policy", m.policy},
                        {"list", m.list},
                        {"elements", m.elements},
                        {"threads", m.threads},
                        {"bytes_per_param", m.bytes_per_param},
                        {"ns_per_param", m.ns},
                        {"twin_ns_per_param", m.twin_ns},
                        {"over_twin", m.over_twin},
                        {"norm_ns_per_param", m.norm_ns},
                        {"norm_twin_ns_per_param", m.read_ns},
                        {"norm_over_twin", m.norm_over_read},
                        {"l2_ns_per_param", m.l2_ns},
                        {"l2_narrow_ns_per_param", m.narrow_ns},
                        {"sqrt_div_ns", m.bare_ns},
                        {"l2_all_ns_per_param", m.crowd_ns},
                        {"over_roof", m.over_roof},
                        {"quiet", m.quiet}});
    open_to_write(path) << list.dump(1) << '\n';
}

//! What gnuplot draws: see chart.gp.
inline void write_chart_data(const std::string& path, const std::vector<measurement>& all) {
    std::ofstream file = open_to_write(path);
    for (const measurement& m : all) file << '"' << m.policy << "\" " << m.ns << ' ' << m.roof_ns() << '\n';
}

}  // namespace bench
