#include "agent/message_details.hpp"

#include "schema/describe.hpp"

namespace atl::agent {

namespace {

constexpr std::size_t kDetailsBytesMax = 16u << 20;

}  // namespace

std::string text_of(const MessageDetails& details) { return schema::to_json(details); }

MessageDetails details_of(const core::ThreadMessage& message) {
    if (message.details_json.empty() || message.details_json == "{}") return {};
    try {
        return schema::from_json<MessageDetails>(message.details_json, kDetailsBytesMax);
    } catch (const ErrorException&) { return {}; }
}

std::optional<CodeEnd> end_of(const RunNote& run) {
    if (!run.code) return std::nullopt;
    CodeEnd end;
    end.run = run.run.value_or(0);
    end.language = run.language.value_or("python");
    end.failed = run.failed;
    end.reason = run.reason;
    end.exit_code = run.exit_code;
    end.exec_ms = run.exec_ms;
    return end;
}

BOOST_DESCRIBE_STRUCT(ImageLink, (), (path, content_type, size, href))
ATOLL_TYPE(ImageLink) {
    return response("An image that code made.",
                    field<&T::path>("Where, in the sandbox.", example("/data/outputs/chart.png")),
                    field<&T::content_type>("What it is.", example("image/png")),
                    field<&T::size>("Bytes."), field<&T::href>("Where to get it."));
}

BOOST_DESCRIBE_STRUCT(TableData, (), (columns, rows, total_rows, truncated))
ATOLL_TYPE(TableData) {
    return response("A table that code answered with, as data.",
                    field<&T::columns>("Names of the columns; the index comes first."),
                    field<&T::rows>("The first rows, each a list with one value a column."),
                    field<&T::total_rows>("How many rows there are."),
                    field<&T::truncated>("There are more rows, or columns, than these."));
}

BOOST_DESCRIBE_STRUCT(StoredResult, (), (type, json))
ATOLL_TYPE(StoredResult) {
    return response("What a run showed, as it is stored.", field<&T::type>("Its media type."),
                    field<&T::json>("What it is, as JSON."));
}

BOOST_DESCRIBE_STRUCT(TurnResult, (), (run, data))
ATOLL_TYPE(TurnResult) {
    return response(
        "What code showed besides text and images, for clients that draw it: a chart of plotly or "
        "altair as JSON, a table as HTML, a formula. The model knows only that it was shown.",
        field<&T::run>("Which run of the turn; 0: not known."),
        field<&T::data>("One value, named by its media type, as in a notebook. Whoever shows HTML "
                        "must treat it as a stranger's."));
}

BOOST_DESCRIBE_STRUCT(CodeRun, (), (code, output, exec_ms))
ATOLL_TYPE(CodeRun) {
    return response("Code that was run for an answer.", field<&T::code>("What was run."),
                    field<&T::output>("What it printed and answered, as the model saw it."),
                    field<&T::exec_ms>("How long it ran, in milliseconds."));
}

BOOST_DESCRIBE_STRUCT(CodeStart, (), (run, code, language, at_ms))
ATOLL_TYPE(CodeStart) {
    return response(
        "Code that begins to run.", field<&T::run>("Which run of the turn, from 1."),
        field<&T::code>("What is run; very long code is cut in the middle.", example("df.head()")),
        field<&T::language>("python or shell.", example("python")),
        field<&T::at_ms>("When, in milliseconds since the question was taken."));
}

BOOST_DESCRIBE_STRUCT(CodeOutput, (), (run, stream, text, truncated))
ATOLL_TYPE(CodeOutput) {
    return response("What code printed while it runs.", field<&T::run>("Which run."),
                    field<&T::stream>("stdout or stderr.", example("stdout")),
                    field<&T::text>("What is new."),
                    field<&T::truncated>("It prints more than is sent while it runs: the rest "
                                         "comes with its end."));
}

BOOST_DESCRIBE_STRUCT(CodeEnd, (), (run, language, failed, reason, exit_code, exec_ms))
ATOLL_TYPE(CodeEnd) {
    return response("How code ended.", field<&T::run>("Which run of the turn; 0: not known."),
                    field<&T::language>("python or shell."),
                    field<&T::failed>("With an error, or before it was done."),
                    field<&T::reason>("exited, signalled, timeout, memory, disk, output or killed; "
                                      "left out: its sandbox was lost.",
                                      example("exited")),
                    field<&T::exit_code>("0 when all went well."),
                    field<&T::exec_ms>("How long it ran, in milliseconds."));
}

BOOST_DESCRIBE_STRUCT(TurnTimings, (), (queue, sandbox, model_first_token, model, code, total))
ATOLL_TYPE(TurnTimings) {
    return response(
        "Where the time of a turn went, in milliseconds.",
        field<&T::queue>("Until the turn began: turns before it in the same thread."),
        field<&T::sandbox>("Until the sandbox was there; it is readied while the model thinks."),
        field<&T::model_first_token>("From the first request to the model to its first word."),
        field<&T::model>("All requests to the model together."),
        field<&T::code>("All runs of code together."), field<&T::total>("All of it."));
}

BOOST_DESCRIBE_STRUCT(TurnUsage, (), (prompt_tokens, answer_tokens, model_calls))
ATOLL_TYPE(TurnUsage) {
    return response("What a turn asked of the model.",
                    field<&T::prompt_tokens>("Sent, over all requests."),
                    field<&T::answer_tokens>("Received, over all requests."),
                    field<&T::model_calls>("Requests."));
}

BOOST_DESCRIBE_STRUCT(CallNote, (), (id, name, arguments))
ATOLL_TYPE(CallNote) {
    return response("A tool that the model called.",
                    field<&T::id>("The model's name for the call."), field<&T::name>("Which tool."),
                    field<&T::arguments>("As the model wrote them: JSON, mostly."));
}

BOOST_DESCRIBE_STRUCT(RunNote, (),
                      (call_id, tool, code, run, language, reason, exit_code, exec_ms, failed,
                       images, table, results))
ATOLL_TYPE(RunNote) {
    return response(
        "What became of a call.", field<&T::call_id>("Which call this answers."),
        field<&T::tool>("Which tool."), field<&T::code>("What was run."),
        field<&T::run>("Which run of the turn."),
        field<&T::language>("What the code is written in."), field<&T::reason>("Why it ended."),
        field<&T::exit_code>("Of the run."), field<&T::exec_ms>("How long it took."),
        field<&T::failed>("It ended with an error."), field<&T::images>("Images that it made."),
        field<&T::table>("A table that it answered with."),
        field<&T::results>("What else it showed."));
}

BOOST_DESCRIBE_STRUCT(MessageDetails, (),
                      (tool_calls, reasoning, run, timings_ms, usage, model, stopped))
ATOLL_TYPE(MessageDetails) {
    return response("What belongs to a message besides its text.",
                    field<&T::tool_calls>("Tools that the model called with it."),
                    field<&T::reasoning>("What the model thought aloud before it."),
                    field<&T::run>("Of a tool's answer: what became of the call."),
                    field<&T::timings_ms>("Of an answer: where the time went."),
                    field<&T::usage>("Of an answer: what was asked of the model."),
                    field<&T::model>("Of an answer: who gave it."),
                    field<&T::stopped>("Why the turn ended before the model was done."));
}

}  // namespace atl::agent
