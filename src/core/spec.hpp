#pragma once
// What a sandbox is to be. Valid once built: every check is in SpecBuilder::build, so no runtime
// needs to repeat one.
#include "base/result.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

// Those who may open a wall, and nobody else (see GrantedMount).
namespace atl::cli {
class HostUser;
}
namespace atl::sessions {
class DataSetReview;
class SessionFolderReview;
}  // namespace atl::sessions

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

// A tree of the host that shows inside: a hole in the wall, so it takes a grant.
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

// A mount that somebody who may decide about the host's files let pass. Who may is named here, so
// that opening a wall is a visible line in a diff; a request from a client never is.
class GrantedMount {
public:
    [[nodiscard]] const Mount& mount() const noexcept { return mount_; }

private:
    explicit GrantedMount(Mount mount) : mount_(std::move(mount)) {}
    friend class cli::HostUser;            // the command line of the host's own user
    friend class sessions::DataSetReview;  // folders that the server's settings name
    friend class GrantsForTests;
    Mount mount_;
};

// A folder of the host with session/, data/, work/ and home/ in it (core/folders.hpp), which then
// hold what the sandbox writes there, in place of memory. Never a client's to name.
class GrantedFolder {
public:
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    explicit GrantedFolder(std::string path) : path_(std::move(path)) {}
    friend class sessions::SessionFolderReview;  // a session's own, by its id
    friend class GrantsForTests;
    std::string path_;
};

// Made by SpecBuilder alone. As it is here it is the default template with default limits.
class SandboxSpec {
public:
    [[nodiscard]] const std::string& template_name() const noexcept { return template_name_; }
    [[nodiscard]] const Limits& limits() const noexcept { return limits_; }
    [[nodiscard]] const std::map<std::string, std::string>& environment() const noexcept {
        return environment_;
    }
    [[nodiscard]] const std::vector<Mount>& mounts() const noexcept { return mounts_; }
    [[nodiscard]] const std::string& kept_folder() const noexcept { return kept_folder_; }
    [[nodiscard]] const std::string& hostname() const noexcept { return hostname_; }

private:
    friend class SpecBuilder;
    std::string template_name_ = "default";
    Limits limits_;
    std::map<std::string, std::string> environment_;
    std::vector<Mount> mounts_;
    std::string kept_folder_;
    std::string hostname_ = "atoll";
};

class SpecBuilder {
public:
    SpecBuilder() = default;
    // What it has, and what is set in addition.
    explicit SpecBuilder(SandboxSpec from) : spec_(std::move(from)) {}

    SpecBuilder& from_template(std::string name);
    SpecBuilder& limits(Limits limits);
    SpecBuilder& environment(std::string name, std::string value);
    SpecBuilder& mount(const GrantedMount& mount);
    SpecBuilder& keep_in(const GrantedFolder& folder);
    // Every check is in here; runtimes need not repeat one.
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
