#include "sys/open_files.hpp"

#include "sys/files.hpp"
#include "sys/process_folder.hpp"

#include <algorithm>
#include <charconv>
#include <dirent.h>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::sys {

namespace {

constexpr std::uint64_t kUsualFiles = 1024;
// Some machines have hard limits beyond all reason, and tables grow with the numbers in use.
constexpr std::uint64_t kFilesMost = 1u << 20;

}  // namespace

std::uint64_t allow_many_open_files() noexcept {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return kUsualFiles;
    const auto wanted = std::min<rlim_t>(files.rlim_max, kFilesMost);
    if (files.rlim_cur >= wanted) return std::min<std::uint64_t>(files.rlim_cur, kFilesMost);
    const rlimit raised{wanted, files.rlim_max};
    return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? wanted : files.rlim_cur;
}

std::uint64_t open_files_for_programs(std::uint64_t wanted) noexcept {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
    return std::min<std::uint64_t>(wanted, files.rlim_max / 2);
}

std::uint64_t machine_open_files() {
    constexpr auto kUnknown = std::numeric_limits<std::uint64_t>::max();
    const auto text = read_small_file("/proc/sys/fs/file-max");
    std::uint64_t files = kUnknown;
    if (text) std::from_chars(text->data(), text->data() + text->size(), files);
    return files == 0 ? kUnknown : files;
}

std::uint64_t machine_open_files_now() {
    const auto text = read_small_file("/proc/sys/fs/file-nr");
    std::uint64_t files = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), files);
    return files;
}

std::uint64_t open_files_of(pid_t pid) {
    const std::string path = process_folder(std::to_string(pid)) + "/fd";
    DIR* folder = ::opendir(path.c_str());
    if (folder == nullptr) return 0;
    // Since Linux 6.2 the folder's size is how many there are.
    struct stat info {};
    std::uint64_t files = 0;
    if (::fstat(::dirfd(folder), &info) == 0 && info.st_size > 0) {
        files = static_cast<std::uint64_t>(info.st_size);
    } else {
        while (const dirent* entry = ::readdir(folder)) files += entry->d_name[0] != '.' ? 1 : 0;
    }
    ::closedir(folder);
    // Our own look at ourselves is one of them.
    return pid == ::getpid() && files > 0 ? files - 1 : files;
}

}  // namespace atl::sys
