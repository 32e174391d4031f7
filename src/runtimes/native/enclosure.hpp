#pragma once
// The outer walls: a process in namespaces of its own, on a minimal read-only tree, that becomes
// atoll-guest.
//
//     host --clone3--> child: opens trees, waits for its ids, builds /, pivots, drops, execs
//          <--pipe---- the step that failed, or the end of the pipe when exec succeeded
//
// It holds a nest (a zygote and its sandboxes, each behind a second wall), or a single sandbox.
//
// Owns      nothing after it returns but the process's pidfd, which the caller gets.
// Threads   any; the child does nothing that needs another thread or the heap.
// Trusts    the plan: its paths are ours or were granted by the host's user.
// The enclosure dies with the OS thread that created it (a parent-death signal is bound to the
// thread, not to the process): create it from one that lives as long as the server.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <linux/filter.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace atl::native {

// A tree of the host, shown inside. Opened while the child still has its creator's identity, so a
// folder that only its owner may enter can be shown.
struct Tree {
    std::string source;
    std::string target;  // absolute, inside
    bool writable = false;
    bool device = false;    // a device file: everything else has devices switched off
    bool optional = false;  // left out when the host does not have it
    int mount_fd = -1;      // a mount made ahead instead of a source; borrowed
};

struct Entry {
    enum class Kind { Folder, File, Link };
    Kind kind = Kind::Folder;
    std::string path;     // absolute, inside
    std::string content;  // of a file; where a link leads
    unsigned mode = 0755;
};

// Which ids exist inside. Root gets a range of its own for each sandbox; an ordinary user has only
// the own id to give.
struct IdMap {
    std::uint32_t inside = 0;
    std::uint32_t outside = 0;
    std::uint32_t count = 1;
    std::uint32_t outside_group = 0;  // where it differs, for an ordinary user
    [[nodiscard]] bool single() const noexcept { return count == 1; }
};

struct Plan {
    std::vector<Entry> entries;  // made in this order, before the trees are attached
    std::vector<Tree> trees;
    IdMap ids;
    std::vector<int> cgroup_doors;  // entered first (sys::Cgroup::doors); borrowed
    bool own_tmp = false;  // a small /tmp for the program itself; sandboxes lay their own over it
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    struct Descriptor {
        int here = -1;
        int inside = -1;
    };
    std::vector<Descriptor> descriptors;  // the only ones that stay open; 3 and up
    int output_fd = -1;                   // stdout and stderr of the program, or -1 for none
    std::vector<sock_filter> filter;
};

struct Enclosure {
    pid_t pid = -1;
    UniqueFd pidfd;
};

[[nodiscard]] Result<Enclosure> raise_enclosure(const Plan& plan);

}  // namespace atl::native
