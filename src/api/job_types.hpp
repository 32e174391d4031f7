#pragma once
// API types of jobs.
#include "api/session_types.hpp"
#include "core/records.hpp"
#include "schema/json.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace atl::api {

enum class JobKindName { Python, Shell, Typescript, Javascript, Gui };
ATOLL_DESCRIBED(JobKindName);
[[nodiscard]] core::JobKind kind_of(JobKindName name);

enum class AfterCrashName { Fail, RunAgain };
ATOLL_DESCRIBED(AfterCrashName);

struct ScheduleBody {
    JobKindName kind = JobKindName::Python;
    std::string code;
};
ATOLL_DESCRIBED(ScheduleBody);

struct ScheduleAnswer {
    std::string job_id;
};
ATOLL_DESCRIBED(ScheduleAnswer);

struct StatusPath {
    std::string job_id;
};
ATOLL_DESCRIBED(StatusPath);

struct StatusAnswer {
    std::string state;
    std::string out;
    std::string err;
};
ATOLL_DESCRIBED(StatusAnswer);
// Only four states, as clients of /status know them: a cancelled job has failed.
[[nodiscard]] std::string status_word(core::JobState state);

struct CreateJob {
    JobKindName kind = JobKindName::Python;
    std::string code;
    std::chrono::milliseconds timeout{0};
    std::uint32_t retries = 0;
    std::int32_t priority = 0;
    AfterCrashName after_crash = AfterCrashName::Fail;
    std::optional<std::string> session;
    std::optional<std::string> context;
    std::optional<std::string> template_name;
    std::optional<LimitsBody> limits;
    std::map<std::string, std::string> environment;
    std::map<std::string, std::string> metadata;
};
ATOLL_DESCRIBED(CreateJob);

struct JobView {
    std::string id;
    std::string kind;
    std::string state;
    std::optional<std::string> code;
    std::int32_t priority = 0;
    std::uint32_t attempts = 0;
    std::uint32_t interruptions = 0;
    std::uint32_t retries = 0;
    std::string after_crash;
    double timeout_s = 0;
    std::optional<std::string> session;
    std::map<std::string, std::string> metadata;
    std::string created_at;
    std::optional<std::string> not_before;
    std::optional<std::string> started_at;
    std::optional<std::string> ended_at;
    std::optional<std::int32_t> exit_code;
    std::optional<std::string> error;
    bool cancel_requested = false;
    std::uint64_t log_bytes = 0;
    bool log_truncated = false;
};
ATOLL_DESCRIBED(JobView);
[[nodiscard]] JobView view_of(const core::JobRecord& record, bool with_code);

struct JobList {
    std::vector<JobView> jobs;
    std::optional<std::string> next_cursor;
};
ATOLL_DESCRIBED(JobList);

struct JobPath {
    std::string id;
};
ATOLL_DESCRIBED(JobPath);

struct ListJobs {
    std::vector<std::string> state;
    std::vector<std::string> metadata;
    std::string cursor;
    std::uint32_t limit = 100;
};
ATOLL_DESCRIBED(ListJobs);

struct ReadLog {
    std::uint64_t from = 0;
};
ATOLL_DESCRIBED(ReadLog);

struct LogChunkView {
    std::uint64_t sequence = 0;
    std::string stream;
    std::string time;
    std::string text;
};
ATOLL_DESCRIBED(LogChunkView);
[[nodiscard]] LogChunkView view_of(const core::LogChunk& chunk);

struct LogPage {
    std::vector<LogChunkView> chunks;
    std::uint64_t next = 0;
    bool complete = false;
};
ATOLL_DESCRIBED(LogPage);

}  // namespace atl::api
