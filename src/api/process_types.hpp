#pragma once
// API types of processes.
#include "schema/json.hpp"
#include "sessions/processes.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace atl::api {

struct StartProcess {
    std::vector<std::string> argv;
    std::optional<std::string> command;
    std::string cwd = "/session";
    std::map<std::string, std::string> environment;
    std::optional<std::string> input;
    bool stdin_open = false;
    std::chrono::milliseconds timeout{0};
    bool wait = false;
    bool keep_awake = false;
};
ATOLL_DESCRIBED(StartProcess);

struct ProcessView {
    std::string id;
    std::vector<std::string> argv;
    std::string cwd;
    std::string state;
    std::int64_t pid = 0;
    bool stdin_open = false;
    bool keep_awake = false;
    std::string started_at;
    std::optional<std::string> ended_at;
    std::optional<int> exit_code;
    std::optional<int> signal;
    std::optional<std::string> reason;
    std::optional<std::string> note;
    std::uint64_t output_begin = 0;
    std::uint64_t output_end = 0;
};
ATOLL_DESCRIBED(ProcessView);
// `frozen`: the session is warm.
[[nodiscard]] ProcessView view_of(const sessions::Process& process, bool frozen);

struct ProcessResult {
    std::string id;
    std::string out;
    std::string err;
    bool output_truncated = false;
    int exit_code = 0;
    int signal = 0;
    std::string reason;
    std::optional<std::string> note;
    double run_ms = 0;
};
ATOLL_DESCRIBED(ProcessResult);
void fill(ProcessResult& result, const sessions::ProcessEnd& end);

struct ProcessList {
    std::vector<ProcessView> processes;
};
ATOLL_DESCRIBED(ProcessList);

struct ProcessPath {
    std::string id;
    std::string process;
};
ATOLL_DESCRIBED(ProcessPath);

struct WriteInput {
    bool end = false;
};
ATOLL_DESCRIBED(WriteInput);

struct WriteInputAnswer {
    std::uint64_t bytes = 0;
    bool stdin_open = false;
};
ATOLL_DESCRIBED(WriteInputAnswer);

enum class SignalName {
    Hup,
    Int,
    Quit,
    Usr1,
    Usr2,
    Pipe,
    Alrm,
    Term,
    Kill,
    Cont,
    Stop,
    Tstp,
    Winch
};
ATOLL_DESCRIBED(SignalName);
[[nodiscard]] int number_of(SignalName name);

struct SendSignal {
    SignalName signal = SignalName::Term;
};
ATOLL_DESCRIBED(SendSignal);

struct WaitForProcess {
    std::chrono::milliseconds timeout{30000};
};
ATOLL_DESCRIBED(WaitForProcess);

struct ReadOutput {
    std::optional<std::uint64_t> after;
};
ATOLL_DESCRIBED(ReadOutput);

struct ReadOutputHeaders {
    std::optional<std::uint64_t> last_event_id;
};
ATOLL_DESCRIBED(ReadOutputHeaders);

struct OutputText {
    std::uint64_t offset = 0;
    std::string text;
};
ATOLL_DESCRIBED(OutputText);

struct OutputGap {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};
ATOLL_DESCRIBED(OutputGap);

struct OutputAnswer {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t lost_bytes = 0;
    std::string out;
    std::string err;
    std::string state;
};
ATOLL_DESCRIBED(OutputAnswer);

}  // namespace atl::api
