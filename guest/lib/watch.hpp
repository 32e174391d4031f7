#pragma once
// The operation file.watch: changes below a path, by inotify, until it is cancelled.
//
// Folders that appear later are watched too. A burst that overflows the kernel's queue is said in
// an event of its own, so that a client knows to list again.
#include "guest/lib/operation.hpp"
#include "sys/confine.hpp"

#include <memory>

namespace atl::guest {

[[nodiscard]] std::unique_ptr<Operation> begin_watch(HostLink& link, std::uint32_t channel,
                                                     const json::object& request,
                                                     const sys::UserIdentity& user);

}  // namespace atl::guest
