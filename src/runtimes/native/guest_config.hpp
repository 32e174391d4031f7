#pragma once
// What the guest is told about its sandbox, as the JSON that guest/lib/config.cpp reads.
#include "core/spec.hpp"
#include "runtimes/native/template.hpp"

#include <boost/json/object.hpp>
#include <cstdint>
#include <linux/filter.h>
#include <vector>

namespace atl::native {

inline constexpr int kConfigInside = 4;             // the descriptor that a guest reads it from
inline constexpr std::uint32_t kUserInside = 1000;  // who programs in a sandbox are

// `watch_memory`: no cgroup holds the sandbox's memory, so the guest must.
[[nodiscard]] boost::json::object guest_limits(const core::Limits& limits, bool watch_memory);
[[nodiscard]] boost::json::object guest_user(bool own_ids);
[[nodiscard]] std::string hex(const std::vector<sock_filter>& filter);

}  // namespace atl::native
