#pragma once
// Resolves paths that untrusted code can change, for PID 1.
//
// A link in the sandbox leads nowhere but inside, save one kind: the links of /proc
// (`/proc/self/fd`, `cwd`, `root`) lead to what *PID 1* holds open when PID 1 follows them. So
// every path that a request names, and every folder that untrusted code fills, is opened by these
// functions only. They follow ordinary links and refuse those (ELOOP).
#include "base/fd.hpp"

#include <string>
#include <sys/stat.h>

namespace atl::guest {

// As open(2), close-on-exec. `flags` may not create.
[[nodiscard]] UniqueFd open_path(const std::string& path, int flags);

// lstat(2).
[[nodiscard]] bool look_at_path(const std::string& path, struct stat& info);

// The folder that a path's last part lies in, for the *at calls, which then walk no further.
struct DirectoryEntry {
    UniqueFd folder;  // O_PATH; below 0, with errno, when it is not there
    std::string name;
};
[[nodiscard]] DirectoryEntry entry_of(const std::string& path);
// Below `root`, which a link or ".." does not leave either.
[[nodiscard]] DirectoryEntry entry_below(int root, const std::string& path);
// Makes the folders on the way that are missing.
[[nodiscard]] DirectoryEntry entry_with_parents(const std::string& path);

// inotify_add_watch(2) on an open folder.
[[nodiscard]] int watch_folder(int inotify, int folder, std::uint32_t events);

// What opens `fd` again, for calls that take a path only. Nobody can redirect it: it has no other
// component.
[[nodiscard]] std::string name_of_descriptor(int fd);

}  // namespace atl::guest
