#include "guest/lib/walls.hpp"

#include "base/fd.hpp"
#include "guest/lib/files.hpp"
#include "guest/lib/limits_view.hpp"
#include "sys/files.hpp"
#include "sys/mounts.hpp"
#include "sys/syscalls.hpp"

#include <cstring>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::guest {

const char* const kWritable[] = {"/session", "/work", "/data", "/tmp", "/var/tmp",
                                 "/home",    "/root", "/dev",  "/run", nullptr};

namespace {

// One tmpfs holds all that a session writes, so that one quota covers it; its folders appear at the
// places that people know.
constexpr const char* kScratch = "/mnt";
constexpr const char* kLimits = "/mnt/limits";  // of files that show programs their limits

// Kept ones are what a session has on disk, once it has an owner who wants that. Temporary folders
// are among them, so that one limit holds for all files, and a large one is not taken from memory.
// An older session has no newer ones on disk.
enum class Kind { Kept, KeptNewer, KeptTemporary, Users, Everyones };
struct Folder {
    const char* inside;   // below kScratch
    const char* appears;  // or null: only made
    mode_t mode;
    Kind kind;
};
constexpr Folder kFolders[] = {
    {"/mnt/session", "/session", 0755, Kind::Kept},
    {"/mnt/session/artifacts", nullptr, 0755, Kind::Kept},
    {"/mnt/data", "/data", 0755, Kind::Kept},
    {"/mnt/data/outputs", nullptr, 0755, Kind::Kept},
    {"/mnt/work", "/work", 0755, Kind::Kept},
    {"/mnt/work/artifacts", nullptr, 0755, Kind::Kept},
    {"/mnt/home", "/home/user", 0750, Kind::Kept},
    {"/mnt/home/.cache", nullptr, 0755, Kind::Kept},
    {"/mnt/home/.cache/matplotlib", nullptr, 0755, Kind::Kept},
    {"/mnt/root", "/root", 0700, Kind::KeptNewer},
    {"/mnt/tmp", "/tmp", 01777, Kind::KeptTemporary},
    {"/mnt/vartmp", "/var/tmp", 01777, Kind::KeptTemporary},
    {"/mnt/shm", "/dev/shm", 01777, Kind::Everyones},
    {"/mnt/run", "/run", 0755, Kind::Users},
};

// For a nest of an ordinary user, who cannot hand a mount over: the folder of all sessions, out of
// sight behind an empty one as soon as PID 1 holds it.
constexpr const char* kAllKept = "/opt/atoll/sessions";
// The same for folders that are shown to those who ask.
constexpr const char* kAllShown = "/opt/atoll/shown";

bool hide_folder(const char* path, int& fd, sys::StepFailure& failure) {
    fd = ::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return true;  // not in this nest
    return sys::mount_tmpfs(path, {4096, 1}, "0555", failure);
}

bool hide_kept_folders(Surroundings& surroundings, sys::StepFailure& failure) {
    return hide_folder(kAllKept, surroundings.all_kept_fd, failure) &&
           hide_folder(kAllShown, surroundings.all_shown_fd, failure);
}

bool make_scratch(Surroundings& surroundings, sys::StepFailure& failure) {
    if (!sys::mount_tmpfs(kScratch, surroundings.disk, "0755", failure)) return false;
    for (const auto& folder : kFolders) {
        // chmod after mkdir: the umask of a Python zygote cannot be trusted.
        if (::mkdir(folder.inside, folder.mode) != 0 || ::chmod(folder.inside, folder.mode) != 0) {
            return failure.set("make ", folder.inside);
        }
        const bool users = folder.kind != Kind::KeptTemporary && folder.kind != Kind::Everyones;
        if (users && surroundings.user.change_ids &&
            ::chown(folder.inside, surroundings.user.uid, surroundings.user.gid) != 0) {
            return failure.set("give to the user ", folder.inside);
        }
        if (folder.appears != nullptr &&
            ::mount(folder.inside, folder.appears, nullptr, MS_BIND, nullptr) != 0) {
            return failure.set("show the folder ", folder.appears);
        }
    }
    if (!show_limits(kLimits, surroundings, failure)) return false;
    surroundings.scratch_fd = ::open(kScratch, O_PATH | O_DIRECTORY | O_CLOEXEC);
    // The folders stay where they appear; the whole is no longer to be seen anywhere.
    if (::umount2(kScratch, MNT_DETACH) != 0) return failure.set("hide ", kScratch);
    return true;
}

// The list of fonts takes seconds to make, so a template carries it. A link is enough: who wants
// another list replaces the link in the own home.
void link_font_cache(const Surroundings& surroundings) {
    const auto found = surroundings.environment.find("ATOLL_FONT_CACHE");
    if (found == surroundings.environment.end()) return;
    const auto slash = found->second.rfind('/');
    if (slash == std::string::npos) return;
    const std::string link = "/home/user/.cache/matplotlib" + found->second.substr(slash);
    [[maybe_unused]] const int unchecked = ::symlink(found->second.c_str(), link.c_str());
}

// The host counts these for the user who runs Atoll, all sandboxes together, and its own default is
// 128 instances: without a limit of its own one sandbox could take them from all others, and from
// the host. A kernel without the setting has no such count either.
void limit_watches() {
    (void)sys::write_small_file("/proc/sys/user/max_inotify_instances", "16");
    (void)sys::write_small_file("/proc/sys/user/max_inotify_watches", "16384");
}

bool raise_loopback(sys::StepFailure& failure) {
    const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return failure.set("open a socket");
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const bool up = ::ioctl(any, SIOCSIFFLAGS, &request) == 0;
    if (!up) failure.set("raise the loopback interface");
    ::close(any);
    return up;
}

}  // namespace

std::string place_in_scratch(const std::string& path) {
    for (const auto& folder : kFolders) {
        if (folder.appears == nullptr) continue;
        const std::string_view appears = folder.appears;
        if (path.rfind(appears, 0) != 0 || path.size() <= appears.size() + 1 ||
            path[appears.size()] != '/') {
            continue;
        }
        return std::string(folder.inside).substr(std::strlen(kScratch) + 1) +
               path.substr(appears.size());
    }
    return {};
}

bool raise_inner_walls(Surroundings& surroundings, const std::string& hostname,
                       sys::StepFailure& failure) {
    ::umask(022);
    // Sandboxes that are to take themselves to have few processors do not all take the first.
    std::uint16_t first_cpu = 0;
    (void)!::getrandom(&first_cpu, sizeof first_cpu, GRND_NONBLOCK);
    surroundings.limits.first_cpu = first_cpu;
    if (!sys::make_mounts_private(failure) || !hide_kept_folders(surroundings, failure) ||
        !sys::mount_proc("/proc", failure) || !make_scratch(surroundings, failure)) {
        return false;
    }
    limit_watches();  // before /proc/sys becomes read-only
    if (!sys::mask_proc(kScratch, failure) || !sys::mount_devpts("/dev/pts", failure) ||
        !raise_loopback(failure)) {
        return false;
    }
    link_font_cache(surroundings);
    for (const auto& mount : surroundings.mounts) {
        const UniqueFd tree(sys::open_tree(AT_FDCWD, mount.from.c_str(),
                                           OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
        if (tree.get() < 0) return failure.set("open the mount for ", mount.to.c_str());
        if (!attach_mount(tree.get(), mount.to.c_str(), surroundings.user, failure)) return false;
    }
    if (::sethostname(hostname.data(), hostname.size()) != 0)
        return failure.set("set the host name");
    ::prctl(PR_SET_NAME, "atoll-guest", 0, 0, 0);
    // The sandbox's own cgroup becomes the root of what /proc tells about cgroups.
    [[maybe_unused]] const int unchecked = ::unshare(CLONE_NEWCGROUP);
    return true;
}

bool show_kept_folders(int tree_fd, Surroundings& surroundings, sys::StepFailure& failure) {
    if (!sys::attach_tree(tree_fd, kScratch, failure)) return false;
    for (const auto& folder : kFolders) {
        const bool newer = folder.kind == Kind::KeptNewer || folder.kind == Kind::KeptTemporary;
        if ((folder.kind != Kind::Kept && !newer) || folder.appears == nullptr) continue;
        if (::mount(folder.inside, folder.appears, nullptr, MS_BIND, nullptr) != 0) {
            if (newer && errno == ENOENT) continue;
            return failure.set("show the kept folder ", folder.appears);
        }
    }
    if (surroundings.scratch_fd >= 0) ::close(surroundings.scratch_fd);
    surroundings.scratch_fd = ::open(kScratch, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (::umount2(kScratch, MNT_DETACH) != 0) return failure.set("hide ", kScratch);
    return true;
}

namespace {

bool is_plain_name(const std::string& name) {
    if (!name.empty() && name.find('/') == std::string::npos && name.front() != '.') return true;
    errno = EINVAL;
    return false;
}

}  // namespace

int shown_folder_named(const Surroundings& surroundings, const std::string& name) {
    if (!is_plain_name(name)) return -1;
    return sys::open_tree(surroundings.all_shown_fd, name.c_str(),
                          OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW);
}

int kept_folder_named(const Surroundings& surroundings, const std::string& name) {
    if (!is_plain_name(name)) return -1;
    return sys::open_tree(surroundings.all_kept_fd, name.c_str(),
                          OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
}

void forget_other_sessions(Surroundings& surroundings) {
    if (surroundings.all_kept_fd >= 0) ::close(surroundings.all_kept_fd);
    surroundings.all_kept_fd = -1;
    if (surroundings.all_shown_fd >= 0) ::close(surroundings.all_shown_fd);
    surroundings.all_shown_fd = -1;
}

}  // namespace atl::guest
