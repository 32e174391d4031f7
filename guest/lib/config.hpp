#pragma once
// What the host says about a sandbox, as JSON: limits, user, environment, the system call filter.
//
// The same object serves at the start (from the zygote's socket, or a descriptor) and in a claim,
// where only the keys that are there change something.
#include "guest/lib/surroundings.hpp"

#include <boost/json/object.hpp>

namespace atl::guest {

void apply_config(const boost::json::object& config, Surroundings& surroundings);

// The limits and the user, in the same words: what PID 1 tells a kernel.
[[nodiscard]] boost::json::object describe_limits(const Surroundings& surroundings);

}  // namespace atl::guest
