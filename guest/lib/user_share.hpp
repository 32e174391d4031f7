#pragma once
// What the Linux kernel counts per user of the host, if all sandboxes are that one user: epoll
// watches, and descriptors in flight through sockets. No limit of a process bounds either (a
// descriptor can be watched under many numbers, by many), so PID 1 looks, and ends the process that
// has most of them when a sandbox passes its share.
//
// Not seen: what lies in a socket that is on its way itself. For these the server keeps its
// distance (sys/open_files.hpp).
#include <cstdint>
#include <sys/types.h>

namespace atl::guest {

struct UserShare {
    std::uint64_t epoll_watches = 0;
    std::uint64_t descriptors_in_flight = 0;
};

// A sandbox's share of what this host gives its user.
[[nodiscard]] UserShare user_share_max();

struct UserShareUse {
    UserShare all;
    bool beyond = false;
    pid_t most = 0;  // who has most of what is beyond
};

// Of all processes but PID 1. What is shared by two counts for both: too much rather than nothing.
[[nodiscard]] UserShareUse measure_user_share(const UserShare& most);

}  // namespace atl::guest
