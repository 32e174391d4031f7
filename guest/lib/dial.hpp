#pragma once
// The operation dial: a connection to a port on the sandbox's loopback, carried over the channel.
//
// The way in for web servers that a program inside started; nothing else can reach them.
#include "guest/lib/operation.hpp"

#include <memory>

namespace atl::guest {

[[nodiscard]] std::unique_ptr<Operation> begin_dial(HostLink& link, std::uint32_t channel,
                                                    const json::object& request);

}  // namespace atl::guest
