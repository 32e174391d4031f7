#include "guest/lib/memory_watch.hpp"

#include "sys/files.hpp"

#include <charconv>
#include <cstring>
#include <dirent.h>
#include <string>
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

}  // namespace

MemoryUse measure_memory() {
    MemoryUse use;
    std::uint64_t most = 0;
    DIR* directory = ::opendir("/proc");
    if (directory == nullptr) return use;
    while (const dirent* entry = ::readdir(directory)) {
        pid_t pid = 0;
        const char* end = entry->d_name + std::strlen(entry->d_name);
        if (std::from_chars(entry->d_name, end, pid).ptr != end) continue;
        const auto text = sys::read_small_file(std::string("/proc/") + entry->d_name +
                                               "/smaps_rollup");
        ++use.processes;
        if (!text) continue;
        const std::uint64_t bytes =
            1024 * (kilobytes(*text, "Private_Clean:") + kilobytes(*text, "Private_Dirty:"));
        use.bytes += bytes;
        if (pid > 1 && bytes >= most) {
            most = bytes;
            use.largest = pid;
        }
    }
    ::closedir(directory);
    return use;
}

std::uint64_t resident_bytes() {
    std::uint64_t pages = 0;
    DIR* directory = ::opendir("/proc");
    if (directory == nullptr) return 0;
    while (const dirent* entry = ::readdir(directory)) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        const auto text = sys::read_small_file(std::string("/proc/") + entry->d_name + "/statm");
        if (!text) continue;
        const auto second = text->find(' ') + 1;  // "size resident shared …"
        std::uint64_t resident = 0;
        std::from_chars(text->data() + second, text->data() + text->size(), resident);
        pages += resident;
    }
    ::closedir(directory);
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t own_data_bytes() {
    const auto text = sys::read_small_file("/proc/self/status");
    return text ? 1024 * kilobytes(*text, "VmData:") : 0;
}

}  // namespace atl::guest
