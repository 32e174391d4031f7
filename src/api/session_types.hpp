#pragma once
// Sessions and runs as the API speaks of them.
#include "api/schema/json.hpp"
#include "core/records.hpp"
#include "core/runtime.hpp"
#include "core/spec.hpp"

#include <boost/json/object.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace atl::api {

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
[[nodiscard]] core::Limits limits_of(const std::optional<LimitsBody>& body);

struct CreateSession {
    std::string name;
    std::string template_name = "default";
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

struct UsageView {
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_peak_bytes = 0;
    std::uint64_t cpu_ms = 0;
    std::uint64_t processes = 0;
};
ATOLL_DESCRIBED(UsageView);
[[nodiscard]] UsageView view_of(const core::Usage& usage);

struct SessionView {
    std::string id;
    std::string state;
    std::string name;
    std::string template_name;
    std::string runtime;
    std::map<std::string, std::string> metadata;
    std::string created_at;
    std::string last_used_at;
    std::optional<std::string> expires_at;
    std::int64_t idle_to_warm_s = 0;
    std::int64_t idle_to_cold_s = 0;
    std::optional<std::string> state_note;
    std::optional<UsageView> usage;
};
ATOLL_DESCRIBED(SessionView);
[[nodiscard]] SessionView view_of(const core::SessionRecord& record);

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
};
ATOLL_DESCRIBED(RunBody);

struct EphemeralBody {
    std::string code;
    RunLanguage language = RunLanguage::Python;
    std::chrono::milliseconds timeout{0};
    std::string template_name = "default";
    std::optional<LimitsBody> limits;
    std::map<std::string, std::string> environment;
};
ATOLL_DESCRIBED(EphemeralBody);

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

struct RunAnswer {
    std::string out;
    std::string err;
    std::vector<boost::json::object> results;
    std::optional<boost::json::object> error;
    int exit_code = 0;
    int signal = 0;
    std::string reason;
    bool output_truncated = false;
    bool state_lost = false;
    std::int64_t execution_count = 0;
    RunTimings timings_ms;
    std::uint64_t memory_peak_bytes = 0;
    std::vector<LostView> lost;
};
ATOLL_DESCRIBED(RunAnswer);

}  // namespace atl::api
