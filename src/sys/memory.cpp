#include "sys/memory.hpp"

#include "sys/cgroup.hpp"
#include "sys/files.hpp"

#include <algorithm>
#include <cstdlib>

namespace atl::sys {

namespace {

double field_of(const std::string& text, const char* name) {
    const auto at = text.find(name);
    return at == std::string::npos
               ? 0
               : std::strtod(text.c_str() + at + std::char_traits<char>::length(name), nullptr);
}

}  // namespace

std::uint64_t memory_total() {
    auto most = memory_limit_above(CgroupHost::detect());
    const auto text = read_small_file("/proc/meminfo");
    const double kilobytes = text ? field_of(*text, "MemTotal:") : 0;
    if (kilobytes > 0) most = std::min(most, static_cast<std::uint64_t>(kilobytes) * 1024);
    return most;
}

double memory_free() {
    const auto text = read_small_file("/proc/meminfo");
    if (!text) return 1;
    const double total = field_of(*text, "MemTotal:");
    return total > 0 ? field_of(*text, "MemAvailable:") / total : 1;
}

std::uint64_t own_memory_bytes() {
    const auto text = read_small_file("/proc/self/status");
    return text ? static_cast<std::uint64_t>(field_of(*text, "VmRSS:")) * 1024 : 0;
}

}  // namespace atl::sys
