#pragma once
// Threads, their messages and their files, as the API shows them.
#include "agent/live_turn.hpp"
#include "agent/message_details.hpp"
#include "agent/model_contexts.hpp"
#include "agent/prompt.hpp"
#include "core/threads.hpp"
#include "schema/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace atl::api {

struct UploadedFile {
    std::string file_id;
    std::string name;
    std::uint64_t size = 0;
};
ATOLL_DESCRIBED(UploadedFile);

struct UploadAnswer {
    std::string file_id;
    std::vector<UploadedFile> files;
};
ATOLL_DESCRIBED(UploadAnswer);

struct UploadView {
    std::string file_id;
    std::string name;
    std::uint64_t size = 0;
    std::string sha256;
    std::string created_at;
    std::optional<std::uint64_t> threads;
};
ATOLL_DESCRIBED(UploadView);

struct UploadList {
    std::vector<UploadView> uploads;
    std::optional<std::string> next_cursor;
};
ATOLL_DESCRIBED(UploadList);

struct UploadPath {
    std::string id;
};
ATOLL_DESCRIBED(UploadPath);

struct NewThreadBody {
    std::vector<std::string> file_ids;
    std::string title;
    std::string model;
    bool temporary = false;
};
ATOLL_DESCRIBED(NewThreadBody);

struct ThreadFile {
    std::string path;
    std::uint64_t size = 0;
};
ATOLL_DESCRIBED(ThreadFile);

struct ThreadView {
    std::string thread_id;
    std::string title;
    std::string model;
    std::string state;
    std::string session_id;
    std::vector<std::string> file_ids;
    std::optional<std::vector<ThreadFile>> files;
    std::uint64_t turns = 0;
    bool temporary = false;
    std::string created_at;
    std::string updated_at;
    std::optional<std::string> family;
};
ATOLL_DESCRIBED(ThreadView);

struct VersionOrigin {
    std::string thread_id;
    std::uint64_t turn = 0;
};
ATOLL_DESCRIBED(VersionOrigin);

struct VersionView {
    std::string thread_id;
    std::uint64_t turns = 0;
    std::vector<VersionOrigin> origins;
    std::string created_at;
    std::string updated_at;
};
ATOLL_DESCRIBED(VersionView);

struct VersionList {
    std::string thread_id;
    std::vector<VersionView> versions;
};
ATOLL_DESCRIBED(VersionList);

struct DeleteQuery {
    bool versions = false;
};
ATOLL_DESCRIBED(DeleteQuery);

struct ThreadList {
    std::vector<ThreadView> threads;
    std::optional<std::string> next_cursor;
};
ATOLL_DESCRIBED(ThreadList);

struct PageQuery {
    std::string cursor;
    std::uint32_t limit = 100;
};
ATOLL_DESCRIBED(PageQuery);

struct ThreadPath {
    std::string id;
};
ATOLL_DESCRIBED(ThreadPath);

struct ThreadTabPath {
    std::string id;
    std::string tab;
};
ATOLL_DESCRIBED(ThreadTabPath);

struct ThreadFilePath {
    std::string id;
    std::string path;
};
ATOLL_DESCRIBED(ThreadFilePath);

struct ThreadFileQuery {
    bool download = false;
};
ATOLL_DESCRIBED(ThreadFileQuery);

struct MessageBody {
    std::string message;
    std::optional<std::string> message_id;
    std::optional<std::string> model;
};
ATOLL_DESCRIBED(MessageBody);

struct MessageAnswer {
    std::string thread_id;
    std::string answer;
    std::vector<agent::CodeRun> code_runs;
    std::vector<agent::ImageLink> images;
    std::vector<agent::TableData> tables;
    std::vector<agent::TurnResult> results;
    agent::TurnTimings timings_ms;
    std::string container_state;
    std::uint64_t turn = 0;
    std::string model;
    agent::TurnUsage usage;
    std::optional<std::string> stopped;
};
ATOLL_DESCRIBED(MessageAnswer);

struct ThreadStatus {
    std::string thread_id;
    std::string state;
    bool busy = false;
};
ATOLL_DESCRIBED(ThreadStatus);

struct HistoryMessage {
    std::string role;
    std::string content;
    std::uint64_t turn = 0;
    std::uint64_t sequence = 0;
    std::string at;
    std::optional<std::string> reasoning;
    std::optional<std::vector<agent::CodeRun>> code_runs;
    std::optional<std::vector<agent::ImageLink>> images;
    std::optional<std::vector<agent::TableData>> tables;
    std::optional<std::vector<agent::TurnResult>> results;
    std::optional<agent::TurnTimings> timings_ms;
    std::optional<std::string> model;
    std::optional<std::string> stopped;
    std::optional<std::vector<agent::CallNote>> tool_calls;
    std::optional<std::string> tool;
    std::optional<agent::CodeEnd> run;
};
ATOLL_DESCRIBED(HistoryMessage);

struct HistoryAnswer {
    std::string thread_id;
    std::vector<HistoryMessage> messages;
    std::optional<std::string> next_cursor;
};
ATOLL_DESCRIBED(HistoryAnswer);

struct HistoryQuery {
    bool all = false;
    std::string cursor;
    std::optional<std::uint32_t> limit;
};
ATOLL_DESCRIBED(HistoryQuery);

struct ResumeQuery {
    std::optional<std::uint64_t> turn;
};
ATOLL_DESCRIBED(ResumeQuery);

struct PatchThread {
    std::optional<std::string> title;
    std::optional<std::string> model;
};
ATOLL_DESCRIBED(PatchThread);

struct ForkThread {
    std::optional<std::uint64_t> turn;
    std::string title;
    bool version = false;
};
ATOLL_DESCRIBED(ForkThread);

enum class ExportFormat { Markdown, Ipynb };
ATOLL_DESCRIBED(ExportFormat);

struct ExportQuery {
    ExportFormat format = ExportFormat::Markdown;
};
ATOLL_DESCRIBED(ExportQuery);

struct CancelAnswer {
    std::string thread_id;
    bool cancelled = false;
};
ATOLL_DESCRIBED(CancelAnswer);

struct ContextQuery {
    std::string question;
};
ATOLL_DESCRIBED(ContextQuery);

struct ContextPartView {
    std::string kind;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t tokens = 0;
    bool sent = false;
    std::string why;
};
ATOLL_DESCRIBED(ContextPartView);

struct ContextMessageView {
    std::string role;
    std::string content;
    std::optional<std::vector<agent::CallNote>> tool_calls;
};
ATOLL_DESCRIBED(ContextMessageView);

struct ThreadContextView {
    std::string thread_id;
    std::uint64_t tokens = 0;
    std::uint64_t tokens_max = 0;
    std::vector<ContextPartView> parts;
    std::vector<ContextMessageView> messages;
};
ATOLL_DESCRIBED(ThreadContextView);

[[nodiscard]] ThreadView view_of(const core::ThreadRecord& thread, const std::string& state);
[[nodiscard]] VersionList versions_of(const ThreadId& id,
                                      const std::vector<core::ThreadRecord>& versions);
[[nodiscard]] UploadView view_of(const core::UploadRecord& upload);
[[nodiscard]] MessageAnswer view_of(const agent::LiveTurn& turn);
[[nodiscard]] ThreadContextView view_of(const ThreadId& id, const agent::ModelContext& context);

// Where the messages that clients are shown begin among those that are stored: questions, answers
// with the code they rest on, notes. With `all`, every message that the model and its tools
// exchanged.
class ShownMessages {
public:
    explicit ShownMessages(bool all) : all_(all) {}
    // Of the next message of a thread. False: it belongs to the one before, if in_answer().
    [[nodiscard]] bool begins(const core::ThreadMessage& message);
    [[nodiscard]] bool in_answer() const noexcept { return answer_of_.has_value(); }

private:
    bool all_;
    std::optional<std::uint64_t> answer_of_;  // the turn that is being answered
};

// As they are shown. With results it takes its time: not for a loop.
[[nodiscard]] std::vector<HistoryMessage> history_of(std::vector<core::ThreadMessage> messages,
                                                     bool all);

}  // namespace atl::api
