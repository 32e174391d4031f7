#pragma once
// API types of sessions and runs.
#include "core/ceilings.hpp"
#include "core/records.hpp"
#include "core/runtime.hpp"
#include "core/spec.hpp"
#include "schema/json.hpp"

#include <boost/json/object.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace atl::api {

// What a list is filtered by, from words `key=value`. InvalidArgument.
[[nodiscard]] std::map<std::string, std::string> metadata_in(const std::vector<std::string>& pairs);

struct LimitsBody {
    std::optional<std::uint64_t> memory_bytes_max;
    std::optional<std::uint32_t> processes_max;
    std::optional<double> cpus_max;
    std::optional<std::uint64_t> file_bytes_max;
    std::optional<std::uint32_t> open_files_max;
    std::optional<std::uint64_t> disk_bytes_max;
    std::optional<std::uint64_t> disk_files_max;
    std::optional<std::uint64_t> output_bytes_max;
};
ATOLL_DESCRIBED(LimitsBody);
// `otherwise`: what holds where the body names none. Throws schema::ValidationError, which names
// each field that is beyond its ceiling.
[[nodiscard]] core::Limits limits_of(const std::optional<LimitsBody>& body, core::Limits otherwise,
                                     const core::Ceilings& ceilings);
// The same for the time of a run, the field `timeout`.
void check_run_time(std::chrono::milliseconds asked, const core::Ceilings& ceilings);

struct CreateSession {
    std::string name;
    std::string template_name = "default";
    std::string runtime = "native";
    std::string network = "none";
    std::vector<std::string> datasets;
    std::optional<LimitsBody> limits;
    std::map<std::string, std::string> environment;
    std::map<std::string, std::string> metadata;
    std::optional<std::chrono::milliseconds> idle_to_warm;
    std::optional<std::chrono::milliseconds> idle_to_cold;
    std::optional<std::chrono::milliseconds> lifetime;
};
ATOLL_DESCRIBED(CreateSession);

struct PatchSession {
    std::optional<std::string> name;
    std::optional<std::map<std::string, std::string>> metadata;
    std::optional<std::chrono::milliseconds> idle_to_warm;
    std::optional<std::chrono::milliseconds> idle_to_cold;
    std::optional<std::chrono::milliseconds> lifetime;
};
ATOLL_DESCRIBED(PatchSession);

struct ForkSession {
    std::uint32_t count = 1;
    std::string name;
};
ATOLL_DESCRIBED(ForkSession);

struct UsageView {
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_peak_bytes = 0;
    std::uint64_t cpu_ms = 0;
    std::uint64_t processes = 0;
};
ATOLL_DESCRIBED(UsageView);

struct LimitsView {
    std::uint64_t memory_bytes_max = 0;
    std::uint32_t processes_max = 0;
    double cpus_max = 0;
    std::uint64_t file_bytes_max = 0;
    std::uint32_t open_files_max = 0;
    std::uint64_t disk_bytes_max = 0;
    std::uint64_t disk_files_max = 0;
    std::uint64_t output_bytes_max = 0;
    std::uint64_t run_ms_max = 0;
};
ATOLL_DESCRIBED(LimitsView);

struct SessionView {
    std::string id;
    std::string state;
    std::string name;
    std::string template_name;
    std::string runtime;
    std::string network;
    std::vector<std::string> datasets;
    std::map<std::string, std::string> metadata;
    std::string created_at;
    std::string last_used_at;
    std::optional<std::string> expires_at;
    std::int64_t idle_to_warm_s = 0;
    std::int64_t idle_to_cold_s = 0;
    std::optional<std::string> state_note;
    std::optional<LimitsView> limits;
    std::optional<UsageView> usage;
};
ATOLL_DESCRIBED(SessionView);
[[nodiscard]] SessionView view_of(const core::SessionRecord& record);
[[nodiscard]] SessionView view_of(const core::SessionRecord& record,
                                  const std::optional<core::Usage>& usage);

struct SessionList {
    std::vector<SessionView> sessions;
    std::optional<std::string> next_cursor;
};
ATOLL_DESCRIBED(SessionList);

struct SessionPath {
    std::string id;
};
ATOLL_DESCRIBED(SessionPath);

struct ListSessions {
    std::vector<std::string> state;
    std::vector<std::string> metadata;  // key=value
    std::string cursor;
    std::uint32_t limit = 100;
};
ATOLL_DESCRIBED(ListSessions);

enum class RunLanguage { Python, Shell, Javascript, Typescript };
ATOLL_DESCRIBED(RunLanguage);

struct RunBody {
    std::string code;
    RunLanguage language = RunLanguage::Python;
    std::string context = "default";
    std::chrono::milliseconds timeout{0};
    std::map<std::string, std::string> environment;
    bool keep_running = false;
};
ATOLL_DESCRIBED(RunBody);

struct EphemeralBody {
    std::string code;
    RunLanguage language = RunLanguage::Python;
    std::optional<std::string> session_id;
    std::chrono::milliseconds timeout{0};
    std::string template_name = "default";
    std::string runtime = "native";
    std::string network = "none";
    std::vector<std::string> datasets;
    std::optional<LimitsBody> limits;
    std::map<std::string, std::string> environment;
};
ATOLL_DESCRIBED(EphemeralBody);

struct OutputPath {
    std::string run_id;
    std::string path;
};
ATOLL_DESCRIBED(OutputPath);

struct LostView {
    std::string context;
    std::string name;
    std::string type;
    std::string reason;
};
ATOLL_DESCRIBED(LostView);

struct RunTimings {
    double sandbox = 0;  // until the sandbox was there, or awake
    double run = 0;
    double total = 0;
};
ATOLL_DESCRIBED(RunTimings);

struct ChangedFileView {
    std::string path;
    std::string change;
    std::string type;
    std::uint64_t size = 0;
};
ATOLL_DESCRIBED(ChangedFileView);

struct ImageView {
    std::string path;
    std::string content_type;
    std::uint64_t size = 0;
    std::string href;
};
ATOLL_DESCRIBED(ImageView);

struct LeftOutView {
    std::string path;
    std::string reason;
};
ATOLL_DESCRIBED(LeftOutView);

struct RunAnswer {
    std::string out;
    std::string err;
    std::vector<boost::json::object> results;
    std::optional<boost::json::object> error;
    int exit_code = 0;
    int signal = 0;
    std::string reason;
    std::optional<std::string> message;
    bool output_truncated = false;
    bool state_lost = false;
    std::int64_t execution_count = 0;
    RunTimings timings_ms;
    std::uint64_t memory_peak_bytes = 0;
    std::vector<ChangedFileView> files;
    bool files_complete = true;
    std::vector<ImageView> images;
    std::map<std::string, std::string> artifact_map;
    std::vector<LeftOutView> artifacts_left_out;
    std::vector<LostView> lost;
    std::optional<std::string> session_id;
    std::optional<std::string> run_id;  // of a run without a session
    std::optional<std::string> code;
};
ATOLL_DESCRIBED(RunAnswer);

}  // namespace atl::api
