#include "guest/lib/memory_watch.hpp"

#include "sys/files.hpp"
#include "sys/process_folder.hpp"
#include "sys/socket_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <map>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::guest {

namespace {

// The sum of all lines "Key:   123 kB" with that key.
std::uint64_t kilobytes(const std::string& text, const char* key) {
    const auto at = text.find(key);
    if (at == std::string::npos) return 0;
    const auto digits = text.find_first_of("0123456789", at + std::strlen(key));
    if (digits == std::string::npos) return 0;
    std::uint64_t value = 0;
    std::from_chars(text.data() + digits, text.data() + text.size(), value);
    return value;
}

using MemoryFiles = std::map<ino_t, std::uint64_t>;

// What processes hold in addition to their pages, each thing counted once for all of them.
struct Held {
    MemoryFiles files;
    sys::SocketMemory sockets;
};

struct HeldByOne {
    std::uint64_t files = 0;
    std::uint64_t sockets = 0;
};

// "socket:[1234]"
ino_t socket_inode(std::string_view target) {
    constexpr std::string_view kBegin = "socket:[";
    if (!target.starts_with(kBegin)) return 0;
    ino_t inode = 0;
    std::from_chars(target.data() + kBegin.size(), target.data() + target.size(), inode);
    return inode;
}

HeldByOne add_held(const std::string& process, Held& held) {
    HeldByOne one;
    const std::string folder = process + "/fd";
    DIR* directory = ::opendir(folder.c_str());
    if (directory == nullptr) return one;
    while (const dirent* entry = ::readdir(directory)) {
        const std::string path = folder + "/" + entry->d_name;
        char space[32];
        const ssize_t n = ::readlink(path.c_str(), space, sizeof space);
        const std::string_view target(space, n > 0 ? static_cast<std::size_t>(n) : 0);
        if (const ino_t inode = socket_inode(target); inode != 0) {
            const auto found = held.sockets.of.find(inode);
            if (found != held.sockets.of.end()) one.sockets += found->second;
            continue;
        }
        struct stat info {};
        if (!target.starts_with("/memfd:") || ::stat(path.c_str(), &info) != 0) continue;
        const auto bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
        one.files += bytes;
        held.files[info.st_ino] = bytes;
    }
    ::closedir(directory);
    return one;
}

std::uint64_t sum_of(const MemoryFiles& files) {
    std::uint64_t sum = 0;
    for (const auto& [inode, bytes] : files) sum += bytes;
    return sum;
}

std::uint64_t mapped_bytes(const std::string& rollup) {
    const std::uint64_t own =
        1024 * (kilobytes(rollup, "Private_Clean:") + kilobytes(rollup, "Private_Dirty:"));
    return std::max(own, 1024 * kilobytes(rollup, "Pss_Shmem:"));
}

// A process can shut its details away from us, but not this. It counts what is shared with the
// zygote as well: too much rather than nothing.
std::uint64_t resident_bytes_of(const std::string& process) {
    const auto text = sys::read_small_file(process + "/status");
    if (!text) return 0;  // it has ended
    return 1024 * (kilobytes(*text, "\nRssAnon:") + kilobytes(*text, "\nRssShmem:"));
}

}  // namespace

MemoryUse measure_memory(const StartingKernels& starting) {
    MemoryUse use;
    Held held{{}, sys::socket_memory()};
    std::uint64_t most = 0;
    DIR* directory = ::opendir("/proc");
    if (directory == nullptr) return use;
    while (const dirent* entry = ::readdir(directory)) {
        pid_t pid = 0;
        const char* end = entry->d_name + std::strlen(entry->d_name);
        if (std::from_chars(entry->d_name, end, pid).ptr != end) continue;
        const std::string process = sys::process_folder(entry->d_name);
        const auto text = sys::read_small_file(process + "/smaps_rollup");
        ++use.processes;
        std::uint64_t mapped = 0;
        if (text) {
            mapped = mapped_bytes(*text);
        } else if (!starting.may_be(pid)) {
            mapped = resident_bytes_of(process);
        }
        const HeldByOne one = pid > 1 ? add_held(process, held) : HeldByOne{};
        const std::uint64_t bytes = std::max(mapped, one.files) + one.sockets;
        use.bytes += mapped;
        if (pid > 1 && bytes >= most) {
            most = bytes;
            use.largest = pid;
        }
    }
    ::closedir(directory);
    use.bytes = std::max(use.bytes, sum_of(held.files)) + held.sockets.bytes;
    return use;
}

std::uint64_t memory_bound() {
    std::uint64_t pages = 0;
    Held held{{}, sys::socket_memory()};
    DIR* directory = ::opendir("/proc");
    if (directory == nullptr) return 0;
    while (const dirent* entry = ::readdir(directory)) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        const std::string process = sys::process_folder(entry->d_name);
        const auto text = sys::read_small_file(process + "/statm");
        if (!text) continue;
        const auto second = text->find(' ') + 1;  // "size resident shared …"
        std::uint64_t resident = 0;
        std::from_chars(text->data() + second, text->data() + text->size(), resident);
        pages += resident;
        if (std::strcmp(entry->d_name, "1") != 0) add_held(process, held);
    }
    ::closedir(directory);
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + sum_of(held.files) +
           held.sockets.bytes;
}

std::uint64_t own_data_bytes() {
    const auto text = sys::read_small_file("/proc/self/status");
    return text ? 1024 * kilobytes(*text, "VmData:") : 0;
}

}  // namespace atl::guest
