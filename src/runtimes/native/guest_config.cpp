#include "runtimes/native/guest_config.hpp"

#include <cmath>

namespace atl::native {

boost::json::object guest_limits(const core::Limits& limits, bool watch_memory) {
    return {{"memory_bytes_max", limits.memory_bytes_max},
            {"cpu_quota_us", static_cast<std::uint64_t>(std::llround(limits.cpus_max * 100'000))},
            {"cpus_max", static_cast<std::uint64_t>(std::ceil(limits.cpus_max))},
            {"file_bytes_max", limits.file_bytes_max},
            {"open_files_max", limits.open_files_max},
            {"processes_max", limits.processes_max},
            {"disk_bytes_max", limits.disk_bytes_max},
            {"disk_files_max", limits.disk_files_max},
            {"watched_memory_bytes_max", watch_memory ? limits.memory_bytes_max : 0}};
}

boost::json::object guest_user(bool own_ids) {
    return {{"uid", 1000}, {"gid", 1000}, {"change_ids", own_ids}};
}

std::string hex(const std::vector<sock_filter>& filter) {
    static constexpr char kDigits[] = "0123456789abcdef";
    const auto* bytes = reinterpret_cast<const unsigned char*>(filter.data());
    std::string text;
    text.reserve(filter.size() * sizeof(sock_filter) * 2);
    for (std::size_t i = 0; i < filter.size() * sizeof(sock_filter); ++i) {
        text.push_back(kDigits[bytes[i] >> 4]);
        text.push_back(kDigits[bytes[i] & 15]);
    }
    return text;
}

}  // namespace atl::native
