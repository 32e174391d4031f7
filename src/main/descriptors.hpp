#pragma once
// How many files the server may open, and how many of them may be connections.
//
// Strangers' connections must not use up what sandboxes and downloads of others need: at the usual
// soft limit of 1,024 that took one client with a loop. So the soft limit is raised to the hard
// one (sys/open_files.hpp), and a part of it is never a connection's.
#include "base/result.hpp"
#include "main/settings.hpp"

#include <cstddef>
#include <cstdint>

namespace atl::main {

struct DescriptorPlan {
    std::size_t connections_max = 0;
    std::size_t connections_per_address_max = 0;
    int connections_end = 0;  // no connection has a descriptor of this number or above
};

// `files` is what this process may open. InvalidArgument where the settings ask for more.
[[nodiscard]] Result<DescriptorPlan> plan_descriptors(std::uint64_t files,
                                                      const SettingsInForce& settings);

}  // namespace atl::main
