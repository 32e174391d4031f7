#include "cli/limit_options.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace atl::cli {

// The person at this host's command line decides about the host's files. Defined here, so that
// nothing else can speak for that person.
class HostUser {
public:
    [[nodiscard]] static core::GrantedMount grants(core::Mount mount) {
        return core::GrantedMount(std::move(mount));
    }
};

namespace {

Error about(const std::string& option, const std::string& message) {
    return {Code::InvalidArgument, option + ": " + message};
}

Result<std::uint64_t> whole_number(const std::string& option, const std::string& text) {
    char* end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0')
        return about(option, "\"" + text + "\" is not a whole number");
    if (errno != 0 || value > 4'000'000'000) return about(option, text + " is too large");
    if (value < 0) return about(option, text + " is negative");
    return static_cast<std::uint64_t>(value);
}

// SOURCE or SOURCE:TARGET, cut at the last colon that an absolute path follows.
Result<core::Mount> mount_from(const std::string& option, const std::string& text, bool writable) {
    core::Mount mount;
    mount.writable = writable;
    const auto colon = text.rfind(":/");
    mount.source = text.substr(0, colon);
    if (mount.source.empty() || mount.source == ":") {
        return about(option, "\"" + text + "\" names nothing to mount: SOURCE[:TARGET]");
    }
    std::error_code failed;
    const auto source = std::filesystem::absolute(mount.source, failed);
    if (!std::filesystem::exists(source, failed)) {
        if (mount.source.find(':') != std::string::npos) {
            return about(option, "\"" + text +
                                     "\": what follows the colon must be an absolute path inside, "
                                     "such as /data/input");
        }
        return about(option, "there is nothing at " + mount.source + " to mount");
    }
    if (colon == std::string::npos) {
        auto name = source.lexically_normal().filename().string();
        if (name.empty()) name = source.lexically_normal().parent_path().filename().string();
        mount.target = "/data/" + name;
    } else {
        mount.target = text.substr(colon + 1);
    }
    mount.source = source.string();
    return mount;
}

}  // namespace

void SandboxOptions::add_to(CLI::App& command) {
    const char* group = "Sandbox";
    command.add_option("--template", template_name, "Template to start from")
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--env,-e", environment, "NAME=VALUE for the program; NAME passes on our value")
        ->group(group)
        ->allow_extra_args(false);
    command
        .add_option("--mount,-v", read_only,
                    "SOURCE[:TARGET] of this host, read-only (default target: /data/<name>)")
        ->group(group)
        ->allow_extra_args(false);
    command.add_option("--mount-rw", read_write, "SOURCE[:TARGET] of this host, writable")
        ->group(group)
        ->allow_extra_args(false);
    const char* limits = "Limits";
    command.add_option("--timeout,-t", timeout, "Wall time: 500ms, 30s, 2m; 0 = none (default 5m)")
        ->group(limits);
    command.add_option("--memory,-m", memory, "Memory: 512m, 2g (default 2g)")->group(limits);
    command.add_option("--cpus", cpus, "Number of processors, like 1.5; 0 = all (default)")
        ->group(limits);
    command.add_option("--processes", processes, "Processes and threads (default 128)")
        ->group(limits);
    command.add_option("--file-size", file_size, "Largest single file (default 1g)")->group(limits);
    command.add_option("--open-files", open_files, "Open files of one process (default 1024)")
        ->group(limits);
    command.add_option("--output", output, "stdout and stderr together (default 16m)")
        ->group(limits);
    command.add_option("--disk", disk, "Disk space for written files (default 1g)")->group(limits);
}

Result<core::SandboxSpec> SandboxOptions::spec() const {
    core::Limits limits;
    const auto bytes = [](const char* option, const std::string& text,
                          std::uint64_t& into) -> Result<void> {
        if (text.empty()) return {};
        auto value = core::parse_bytes(text);
        if (!value) return about(option, value.error().message);
        // Nothing starts in a few bytes, so they are not what was meant.
        const bool bare = std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
        if (option == std::string_view("--memory") && bare && *value > 0 && *value < 1u << 16) {
            return about(option, text + " are bytes; did you mean " + text + "m?");
        }
        into = *value;
        return {};
    };
    if (auto good = bytes("--memory", memory, limits.memory_bytes_max); !good) return good.error();
    if (auto good = bytes("--file-size", file_size, limits.file_bytes_max); !good)
        return good.error();
    if (auto good = bytes("--output", output, limits.output_bytes_max); !good) return good.error();
    if (auto good = bytes("--disk", disk, limits.disk_bytes_max); !good) return good.error();
    if (!timeout.empty()) {
        auto value = core::parse_duration(timeout);
        if (!value) return about("--timeout", value.error().message);
        limits.wall_time_max = *value;
    }
    if (!cpus.empty()) {
        char* end = nullptr;
        limits.cpus_max = std::strtod(cpus.c_str(), &end);
        if (*end != '\0' || !std::isfinite(limits.cpus_max)) {
            return about("--cpus", "\"" + cpus + "\" is not a number");
        }
    }
    if (!processes.empty()) {
        auto value = whole_number("--processes", processes);
        if (!value) return value.error();
        limits.processes_max = static_cast<std::uint32_t>(*value);
    }
    if (!open_files.empty()) {
        auto value = whole_number("--open-files", open_files);
        if (!value) return value.error();
        limits.open_files_max = static_cast<std::uint32_t>(*value);
    }
    core::SpecBuilder builder;
    builder.from_template(template_name).limits(limits);
    for (const auto& text : environment) {
        const auto equals = text.find('=');
        if (equals != std::string::npos) {
            builder.environment(text.substr(0, equals), text.substr(equals + 1));
        } else if (const char* value = std::getenv(text.c_str())) {
            builder.environment(text, value);
        } else {
            return about("--env", text + " has no value, and this environment has none to pass on");
        }
    }
    for (const auto& text : read_only) {
        auto mount = mount_from("--mount", text, false);
        if (!mount) return mount.error();
        builder.mount(HostUser::grants(*mount));
    }
    for (const auto& text : read_write) {
        auto mount = mount_from("--mount-rw", text, true);
        if (!mount) return mount.error();
        builder.mount(HostUser::grants(*mount));
    }
    return builder.build();
}

}  // namespace atl::cli
