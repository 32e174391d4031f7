#pragma once
// The data of a message other than its text, stored in `details_json`: one type for the code that
// writes it (turns), shows it (history, export) and sends it to a model again (contexts).
//
//     Assistant, on the way   tool_calls, reasoning
//     Tool                    run: which call it answers, the code, its time, images, a table,
//     results Assistant, the answer   timings_ms, usage, model, stopped, reasoning
#include "core/threads.hpp"
#include "schema/json.hpp"

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

namespace atl::agent {

// An image that code made, where a client gets it.
struct ImageLink {
    std::string path;  // in the sandbox
    std::string content_type;
    std::uint64_t size = 0;
    std::string href;
};
ATOLL_DESCRIBED(ImageLink);

// A file that code left in /data/outputs and that is no image.
struct MadeFile {
    std::string path;  // in the sandbox
    std::uint64_t size = 0;
};

// A table that code answered with: the first rows of it, as data.
struct TableData {
    std::vector<std::string> columns;
    std::vector<boost::json::value> rows;  // each a list, one value a column
    std::uint64_t total_rows = 0;
    bool truncated = false;
};
ATOLL_DESCRIBED(TableData);

// What a run showed that a client draws (run_results.hpp), as it is stored: one type, as JSON text.
struct StoredResult {
    std::string type;
    std::string json;
};
ATOLL_DESCRIBED(StoredResult);

// The same for clients: {type: value}, as notebooks have it. `run` as below.
struct TurnResult {
    std::uint64_t run = 0;
    schema::ObjectText data;
};
ATOLL_DESCRIBED(TurnResult);

// One call of a tool that ran code, as clients see it.
struct CodeRun {
    std::string code;
    std::string output;
    double exec_ms = 0;
};
ATOLL_DESCRIBED(CodeRun);

// Such a call while it runs: it begins, prints, ends. `run` counts the runs of a turn from 1.
struct CodeStart {
    std::uint64_t run = 0;
    std::string code;
    std::string language;
    double at_ms = 0;
};
ATOLL_DESCRIBED(CodeStart);

struct CodeOutput {
    std::uint64_t run = 0;
    std::string stream;
    std::string text;
    bool truncated = false;
};
ATOLL_DESCRIBED(CodeOutput);

struct CodeEnd {
    std::uint64_t run = 0;
    std::string language;
    bool failed = false;
    std::optional<std::string> reason;
    std::optional<int> exit_code;
    double exec_ms = 0;
};
ATOLL_DESCRIBED(CodeEnd);

struct TurnTimings {
    double queue = 0;
    double sandbox = 0;
    double model_first_token = 0;
    double model = 0;
    double code = 0;
    double total = 0;
};
ATOLL_DESCRIBED(TurnTimings);

struct TurnUsage {
    std::uint64_t prompt_tokens = 0;
    std::uint64_t answer_tokens = 0;
    std::uint64_t model_calls = 0;
};
ATOLL_DESCRIBED(TurnUsage);

struct CallNote {
    std::string id;
    std::string name;
    std::string arguments;
};
ATOLL_DESCRIBED(CallNote);

struct RunNote {
    std::string call_id;
    std::string tool;
    std::optional<std::string> code;  // of tools that run code, as are the next four
    std::optional<std::uint64_t> run;
    std::optional<std::string> language;
    std::optional<std::string> reason;
    std::optional<int> exit_code;
    double exec_ms = 0;
    bool failed = false;
    std::vector<ImageLink> images;
    std::optional<TableData> table;
    std::optional<std::vector<StoredResult>> results;
};
ATOLL_DESCRIBED(RunNote);

struct MessageDetails {
    std::vector<CallNote> tool_calls;
    std::optional<std::string> reasoning;  // what the model thought aloud before it
    std::optional<RunNote> run;
    std::optional<TurnTimings> timings_ms;
    std::optional<TurnUsage> usage;
    std::optional<std::string> model;
    // Why the turn ended before the model was done: cancelled, steps, time, tokens, cost, error …
    std::optional<std::string> stopped;
};
ATOLL_DESCRIBED(MessageDetails);

[[nodiscard]] std::string text_of(const MessageDetails& details);
// How a run ended; nothing of a tool that runs no code. What older servers stored says less.
[[nodiscard]] std::optional<CodeEnd> end_of(const RunNote& run);
// What cannot be read (a newer server wrote it) is as if it were not there.
[[nodiscard]] MessageDetails details_of(const core::ThreadMessage& message);

}  // namespace atl::agent
