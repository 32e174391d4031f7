#include "guest/lib/tree_look.hpp"

#include "base/fd.hpp"
#include "guest/lib/guest_path.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr std::size_t kEntriesMax = 20000;  // folders too: millions of empty ones take time as well
constexpr int kDepthMax = 32;
constexpr std::int64_t kNanoseconds = 1000000000;

std::int64_t time_of(const timespec& time) { return time.tv_sec * kNanoseconds + time.tv_nsec; }

void look(const std::string& folder, UniqueFd fd, int depth, std::size_t& left, TreeLook& into) {
    if (fd.get() < 0) return;
    DIR* directory = depth > kDepthMax ? nullptr : ::fdopendir(fd.get());
    if (directory == nullptr) {
        into.complete = false;
        return;
    }
    [[maybe_unused]] const int owned_by_it = fd.release();
    while (const dirent* entry = ::readdir(directory)) {
        const std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (left == 0) {
            into.complete = false;
            break;
        }
        --left;
        struct stat info {};
        if (::fstatat(::dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        const std::string path = folder + "/" + name;
        if (!S_ISDIR(info.st_mode)) {
            into.files[path] = {info.st_ino, static_cast<std::uint64_t>(info.st_size),
                                time_of(info.st_mtim), time_of(info.st_ctim)};
            continue;
        }
        UniqueFd below(::openat(::dirfd(directory), entry->d_name,
                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!is_mount(below.get())) look(path, std::move(below), depth + 1, left, into);
    }
    ::closedir(directory);
}

}  // namespace

bool is_mount(int folder) {
    struct statx found {};
    return ::statx(folder, "", AT_EMPTY_PATH, STATX_TYPE, &found) == 0 &&
           (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

TreeLook look_at_trees(const std::vector<std::string>& folders) {
    TreeLook found;
    std::size_t left = kEntriesMax;
    for (const auto& folder : folders) {
        look(folder, open_path(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), 0, left, found);
    }
    return found;
}

}  // namespace atl::guest
