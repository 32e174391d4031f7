#pragma once
// What the sockets of this process's network namespace hold in the kernel (sock_diag), whoever has
// them: also those in flight through other sockets, or waiting to be accepted.
//
// For hosts whose kernel does not count it for us (a cgroup does). A kernel without sock_diag for a
// kind of socket says nothing about that kind.
#include <cstdint>
#include <map>
#include <sys/types.h>

namespace atl::sys {

struct SocketMemory {
    std::uint64_t bytes = 0;
    std::map<ino_t, std::uint64_t> of;  // those that hold something, by inode
};

[[nodiscard]] SocketMemory socket_memory();

}  // namespace atl::sys
