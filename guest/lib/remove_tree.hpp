#pragma once
// The operation file.remove: a file, a link, an empty folder, or with `recursive` a whole tree of
// any depth, width and modes.
//
// Goes by descriptors, a slice in each loop iteration. At most a few folders are open at a time:
// what lies deeper is first moved up to the top of the tree. A link is removed, never followed.
#include "guest/lib/operation.hpp"
#include "sys/confine.hpp"

#include <memory>

namespace atl::guest {

[[nodiscard]] std::unique_ptr<Operation> begin_remove(HostLink& link, std::uint32_t channel,
                                                      const std::string& path, bool recursive,
                                                      const sys::UserIdentity& user);

}  // namespace atl::guest
