#pragma once
// What a sandbox is asked to be. Valid once built: every check stands in SpecBuilder::build, so no
// runtime needs to repeat one.
#include "base/result.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace atl::core {

struct Limits {
    std::uint64_t memory_bytes_max = 2ull << 30;
    std::uint32_t processes_max = 128;
    double cpus_max = 0;  // 0 = all
    std::uint64_t file_bytes_max = 1ull << 30;
    std::uint32_t open_files_max = 1024;
    std::uint64_t disk_bytes_max = 1ull << 30;  // all that is written, in one quota
    std::uint64_t disk_files_max = 200'000;
    std::uint64_t output_bytes_max = 16ull << 20;  // stdout and stderr of one run together
    std::chrono::milliseconds wall_time_max{std::chrono::minutes{5}};  // of one run; 0 = none

    bool operator==(const Limits&) const = default;
};

// A tree of the host that shows inside. Naming one is a hole in the wall, so it takes a grant.
struct Mount {
    std::string source;
    std::string target;
    bool writable = false;

    bool operator==(const Mount&) const = default;
};

// All variables together, as JSON text: what one message to a zygote has room for.
inline constexpr std::size_t kEnvironmentBytesMax = 192 * 1024;
// How many bytes they take as JSON text, at most: some characters are written in six.
[[nodiscard]] std::size_t environment_bytes(const std::map<std::string, std::string>& variables);

struct SandboxSpec {
    std::string template_name = "default";
    Limits limits;
    std::map<std::string, std::string> environment;
    std::vector<Mount> mounts;
    // A folder of the host with session/, data/, work/ and home/ in it (core/folders.hpp), which
    // then hold what the sandbox writes there, in place of memory. Never a client's to name.
    std::string kept_folder;
    std::string hostname = "atoll";
};

// Only who may decide about the host's files makes one: the command line of the host's own user
// (main/run_command.cpp). A request from a client never does.
class MountGrant {
    MountGrant() = default;
    friend class HostUser;
};
class HostUser {
public:
    [[nodiscard]] static MountGrant grant() { return {}; }
};

class SpecBuilder {
public:
    SpecBuilder& from_template(std::string name);
    SpecBuilder& limits(Limits limits);
    SpecBuilder& environment(std::string name, std::string value);
    SpecBuilder& mount(Mount mount, MountGrant);
    [[nodiscard]] Result<SandboxSpec> build() const;

private:
    SandboxSpec spec_;
};

// "512m", "2g", "1.5GiB", "1048576": how people write sizes.
[[nodiscard]] Result<std::uint64_t> parse_bytes(const std::string& text);
// "30", "30s", "500ms", "2m", "1h".
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(const std::string& text);
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace atl::core
