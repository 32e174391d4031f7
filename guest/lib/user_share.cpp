#include "guest/lib/user_share.hpp"

#include "base/fd.hpp"
#include "sys/files.hpp"
#include "sys/process_folder.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace atl::guest {

namespace {

// A thirty-second part: the server and some twenty greedy sandboxes find enough. The upper bound is
// more than any program that we know of needs, the lower what every program may have.
constexpr std::uint64_t kWatchesPart = 32;
constexpr std::uint64_t kWatchesLeast = 4096;
constexpr std::uint64_t kWatchesMost = 65'536;
// Who passes descriptors sends a few, and the other end takes them.
constexpr std::uint64_t kInFlightMax = 128;

// How often `word` begins a line, up to `most`: one that is far beyond need not be read to its end.
std::uint64_t lines_with(const std::string& path, std::string_view word, std::uint64_t most) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return 0;
    std::uint64_t count = 0;
    std::string text;
    char piece[16 * 1024];
    while (count <= most) {
        const ssize_t n = ::read(file.get(), piece, sizeof piece);
        if (n <= 0) break;
        text.append(piece, static_cast<std::size_t>(n));
        std::size_t begin = 0;
        for (;;) {
            const auto end = text.find('\n', begin);
            if (end == std::string::npos) break;
            count += std::string_view(text).substr(begin, end - begin).starts_with(word) ? 1 : 0;
            begin = end + 1;
        }
        text.erase(0, begin);
    }
    return count;
}

std::uint64_t number_after(const std::string& path, std::string_view word) {
    const auto text = sys::read_small_file(path);
    if (!text) return 0;
    const auto at = text->find(word);
    const auto digits = at == std::string::npos ? at : text->find_first_of("0123456789", at);
    std::uint64_t number = 0;
    if (digits != std::string::npos) {
        std::from_chars(text->data() + digits, text->data() + text->size(), number);
    }
    return number;
}

UserShare share_of(const std::string& pid, const UserShare& most) {
    UserShare share;
    const std::string process = sys::process_folder(pid);
    const std::string folder = process + "/fd";
    DIR* directory = ::opendir(folder.c_str());
    if (directory == nullptr) return share;
    while (const dirent* entry = ::readdir(directory)) {
        char space[32];
        const ssize_t n = ::readlinkat(::dirfd(directory), entry->d_name, space, sizeof space);
        const std::string_view target(space, n > 0 ? static_cast<std::size_t>(n) : 0);
        const std::string details = process + "/fdinfo/" + entry->d_name;
        if (target == "anon_inode:[eventpoll]") {
            if (share.epoll_watches > most.epoll_watches) continue;
            share.epoll_watches += lines_with(details, "tfd:", most.epoll_watches);
        } else if (target.starts_with("socket:")) {
            share.descriptors_in_flight += number_after(details, "scm_fds:");
        }
    }
    ::closedir(directory);
    return share;
}

}  // namespace

UserShare user_share_max() {
    const auto watches = number_after("/proc/sys/fs/epoll/max_user_watches", "");
    return {std::clamp(watches / kWatchesPart, kWatchesLeast, kWatchesMost), kInFlightMax};
}

UserShareUse measure_user_share(const UserShare& most) {
    UserShareUse use;
    DIR* directory = ::opendir("/proc");
    if (directory == nullptr) return use;
    struct Most {
        std::uint64_t count = 0;
        pid_t pid = 0;
        void see(std::uint64_t other, pid_t whose) {
            if (other <= count) return;
            count = other;
            pid = whose;
        }
    } watcher, sender;
    while (const dirent* entry = ::readdir(directory)) {
        pid_t pid = 0;
        const char* end = entry->d_name + std::strlen(entry->d_name);
        if (std::from_chars(entry->d_name, end, pid).ptr != end || pid == ::getpid()) continue;
        const UserShare share = share_of(entry->d_name, most);
        use.all.epoll_watches += share.epoll_watches;
        use.all.descriptors_in_flight += share.descriptors_in_flight;
        watcher.see(share.epoll_watches, pid);
        sender.see(share.descriptors_in_flight, pid);
    }
    ::closedir(directory);
    if (use.all.epoll_watches > most.epoll_watches) use.most = watcher.pid;
    if (use.all.descriptors_in_flight > most.descriptors_in_flight) use.most = sender.pid;
    use.beyond = use.most != 0;
    return use;
}

}  // namespace atl::guest
