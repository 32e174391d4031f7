#pragma once
// File operations: read, write, list, stat, mkdir, move, remove.
//
// Run by PID 1 in the sandbox's own mount namespace, so a symlink leads nowhere but inside (what it
// could reach through /proc, guest_path.hpp refuses); and with the user's file-system identity, so
// that the owner's rights hold and what is made is the user's. Reads and writes move a piece per
// loop iteration and never wait: a FIFO or device is refused, not opened.
#include "guest/lib/operation.hpp"
#include "guest/lib/surroundings.hpp"
#include "sys/confine.hpp"

#include <memory>

namespace atl::guest {

[[nodiscard]] std::unique_ptr<Operation> begin_file_operation(HostLink& link, std::uint32_t channel,
                                                              const std::string& op,
                                                              const json::object& request,
                                                              const Surroundings& surroundings);

// Puts a mount that the host made at `target`, making the folder first where needed.
bool attach_mount(int tree_fd, const char* target, const sys::UserIdentity& user,
                  sys::StepFailure& failure);

}  // namespace atl::guest
