#include "guest/lib/config.hpp"

#include "guest/lib/memory_watch.hpp"
#include "guest/lib/operation.hpp"
#include "sys/open_files.hpp"

#include <cstring>

namespace atl::guest {

namespace {

int nibble(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

// The filter travels as hexadecimal text: some ten kilobytes, once for each zygote.
std::vector<sock_filter> filter_from(std::string_view hex) {
    std::vector<sock_filter> filter(hex.size() / 2 / sizeof(sock_filter));
    auto* bytes = reinterpret_cast<unsigned char*>(filter.data());
    for (std::size_t i = 0; i < filter.size() * sizeof(sock_filter); ++i) {
        bytes[i] = static_cast<unsigned char>(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
    }
    return filter;
}

void set(std::uint64_t& field, const json::object& from, std::string_view key) {
    if (const auto value = number_of(from, key, -1); value >= 0) {
        field = static_cast<std::uint64_t>(value);
    }
}

void set(std::vector<std::string>& words, const json::object& from, std::string_view key) {
    const auto* list = from.if_contains(key);
    if (list == nullptr || !list->is_array()) return;
    words.clear();
    for (const auto& word : list->get_array()) {
        if (word.is_string()) words.emplace_back(word.get_string().c_str());
    }
}

}  // namespace

void apply_config(const json::object& config, Surroundings& surroundings) {
    if (const auto* user = config.if_contains("user"); user != nullptr && user->is_object()) {
        const auto& from = user->get_object();
        surroundings.user.uid = static_cast<std::uint32_t>(number_of(from, "uid", 1000));
        surroundings.user.gid = static_cast<std::uint32_t>(number_of(from, "gid", 1000));
        surroundings.user.change_ids = flag_of(from, "change_ids", true);
    }
    if (const auto* limits = config.if_contains("limits");
        limits != nullptr && limits->is_object()) {
        const auto& from = limits->get_object();
        set(surroundings.limits.file_bytes_max, from, "file_bytes_max");
        set(surroundings.limits.open_files_max, from, "open_files_max");
        if (!surroundings.user.change_ids) {
            surroundings.limits.open_files_max =
                sys::open_files_for_programs(surroundings.limits.open_files_max);
        }
        set(surroundings.limits.processes_max, from, "processes_max");
        set(surroundings.limits.cpus_max, from, "cpus_max");
        set(surroundings.limits.first_cpu, from, "first_cpu");
        set(surroundings.shown_memory_bytes_max, from, "memory_bytes_max");
        set(surroundings.shown_cpu_quota_us, from, "cpu_quota_us");
        set(surroundings.disk.bytes_max, from, "disk_bytes_max");
        set(surroundings.disk.inodes_max, from, "disk_files_max");
        set(surroundings.watched_memory_bytes_max, from, "watched_memory_bytes_max");
        if (surroundings.watched_memory_bytes_max > 0) {
            surroundings.limits.data_bytes_max =
                surroundings.watched_memory_bytes_max + own_data_bytes();
        }
    }
    if (const auto* variables = config.if_contains("env");
        variables != nullptr && variables->is_object()) {
        for (const auto& [name, value] : variables->get_object()) {
            if (value.is_string()) {
                surroundings.environment[std::string(name)] = value.get_string().c_str();
            }
        }
    }
    if (const auto* mounts = config.if_contains("mounts");
        mounts != nullptr && mounts->is_array()) {
        for (const auto& mount : mounts->get_array()) {
            if (!mount.is_object()) continue;  // a claim names places only; descriptors come along
            surroundings.mounts.push_back(
                {text_of(mount.get_object(), "from"), text_of(mount.get_object(), "to")});
        }
    }
    set(surroundings.kernel_program, config, "kernel_program");
    set(surroundings.javascript_program, config, "javascript_program");
    if (const std::string hex = text_of(config, "filter"); !hex.empty()) {
        surroundings.user_filter = filter_from(hex);
    }
}

json::object describe_limits(const Surroundings& surroundings) {
    return {{"limits",
             {{"file_bytes_max", surroundings.limits.file_bytes_max},
              {"open_files_max", surroundings.limits.open_files_max},
              {"processes_max", surroundings.limits.processes_max},
              {"cpus_max", surroundings.limits.cpus_max},
              {"first_cpu", surroundings.limits.first_cpu},
              {"watched_memory_bytes_max", surroundings.watched_memory_bytes_max}}},
            {"user",
             {{"uid", surroundings.user.uid},
              {"gid", surroundings.user.gid},
              {"change_ids", surroundings.user.change_ids}}}};
}

}  // namespace atl::guest
