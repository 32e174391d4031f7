#include "core/ceilings.hpp"

#include <algorithm>
#include <cstdio>

namespace atl::core {

namespace {

std::string sentence(const std::string& most, const std::string& asked) {
    return "must be at most " + most + ", which is all that this server gives, not " + asked;
}

std::string bytes_text(std::uint64_t bytes) {
    return std::to_string(bytes) + " (" + format_bytes(bytes) + ")";
}

std::string decimal_text(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

constexpr std::uint64_t kOpenFilesLeast = 64;  // fewer are no use to anybody

std::uint64_t open_files_together(const Limits& limits) {
    return std::uint64_t{limits.open_files_max} * limits.processes_max;
}

}  // namespace

std::vector<Beyond> beyond(const Limits& limits, const Ceilings& ceilings) {
    std::vector<Beyond> found;
    const auto check = [&](const char* field, std::uint64_t asked, std::uint64_t most,
                           bool bytes = false) {
        if (asked <= most) return;
        found.push_back({field, sentence(bytes ? bytes_text(most) : std::to_string(most),
                                         std::to_string(asked))});
    };
    check("memory_bytes_max", limits.memory_bytes_max, ceilings.memory_bytes, true);
    check("processes_max", limits.processes_max, ceilings.processes);
    check("open_files_max", limits.open_files_max, ceilings.open_files);
    const auto together = open_files_together(limits);
    if (together > ceilings.open_files_together && limits.open_files_max <= ceilings.open_files &&
        limits.processes_max <= ceilings.processes) {
        found.push_back(
            {"open_files_max", "times processes_max must be at most " +
                                   std::to_string(ceilings.open_files_together) +
                                   ", a sandbox's share of the machine's open files, not " +
                                   std::to_string(limits.open_files_max) + " times " +
                                   std::to_string(limits.processes_max)});
    }
    check("disk_bytes_max", limits.disk_bytes_max, ceilings.disk_bytes, true);
    check("disk_files_max", limits.disk_files_max, ceilings.disk_files);
    check("output_bytes_max", limits.output_bytes_max, ceilings.output_bytes, true);
    // 0 is all processors, which is more than any number of them.
    const bool all = limits.cpus_max <= 0;
    if (ceilings.cpus > 0 && (all || limits.cpus_max > ceilings.cpus)) {
        found.push_back({"cpus_max", sentence(decimal_text(ceilings.cpus),
                                              all ? "all" : decimal_text(limits.cpus_max))});
    }
    return found;
}

std::string beyond(std::chrono::milliseconds run_time, const Ceilings& ceilings) {
    if (run_time <= ceilings.run_time) return {};
    const auto seconds = [](std::chrono::milliseconds time) {
        return decimal_text(std::chrono::duration<double>(time).count()) + " s";
    };
    return sentence(seconds(ceilings.run_time), seconds(run_time));
}

Limits below(Limits limits, const Ceilings& ceilings) {
    const auto lower = [](auto& value, auto most) { value = std::min(value, most); };
    lower(limits.memory_bytes_max, ceilings.memory_bytes);
    lower(limits.processes_max, ceilings.processes);
    lower(limits.open_files_max, ceilings.open_files);
    if (open_files_together(limits) > ceilings.open_files_together) {
        const auto each = ceilings.open_files_together / std::max(1u, limits.processes_max);
        lower(limits.open_files_max,
              static_cast<std::uint32_t>(std::max<std::uint64_t>(each, kOpenFilesLeast)));
    }
    lower(limits.disk_bytes_max, ceilings.disk_bytes);
    lower(limits.disk_files_max, ceilings.disk_files);
    lower(limits.output_bytes_max, ceilings.output_bytes);
    lower(limits.wall_time_max, ceilings.run_time);
    if (ceilings.cpus > 0 && (limits.cpus_max <= 0 || limits.cpus_max > ceilings.cpus)) {
        limits.cpus_max = ceilings.cpus;
    }
    return limits;
}

}  // namespace atl::core
