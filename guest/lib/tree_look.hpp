#pragma once
// All files below some folders, with what tells that one has changed: for when there is no inotify
// to be had. A kernel gives a user 128 of them unless told otherwise
// (fs.inotify.max_user_instances), and all sandboxes of a server are one user's.
#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace atl::guest {

struct FileMark {
    ino_t inode = 0;
    std::uint64_t bytes = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;

    bool operator==(const FileMark&) const = default;
};

struct TreeLook {
    std::map<std::string, FileMark> files;
    bool complete = true;  // false: there is more than was looked at
};

// Links are not followed, and what is mounted below the folders is left out.
[[nodiscard]] TreeLook look_at_trees(const std::vector<std::string>& folders);

// Whether something is mounted on it.
[[nodiscard]] bool is_mount(int folder);

}  // namespace atl::guest
