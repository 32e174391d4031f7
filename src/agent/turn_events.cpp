#include "agent/turn_events.hpp"

#include "agent/text.hpp"
#include "schema/describe.hpp"

namespace atl::agent {

namespace {

constexpr std::size_t kLiveCodeBytesMax = 64u << 10;  // all of it comes with the end

}  // namespace

BOOST_DESCRIBE_STRUCT(TextEvent, (), (text))
ATOLL_TYPE(TextEvent) { return response("A piece of text.", field<&T::text>("What is new.")); }

BOOST_DESCRIBE_STRUCT(ToolEvent, (), (tool, arguments, output, exec_ms, failed))
ATOLL_TYPE(ToolEvent) {
    return response("A tool that was called and runs no code.", field<&T::tool>("Which one."),
                    field<&T::arguments>("As the model wrote them."),
                    field<&T::output>("What the model was told."),
                    field<&T::exec_ms>("How long it took, in milliseconds."),
                    field<&T::failed>("It could not do it."));
}

BOOST_DESCRIBE_STRUCT(DoneEvent, (),
                      (timings_ms, container_state, thread_id, turn, answer, images, usage, model,
                       stopped))
ATOLL_TYPE(DoneEvent) {
    return response(
        "The turn has ended, and all of it is stored.",
        field<&T::timings_ms>("Where the time went."),
        field<&T::container_state>("hot, warm or cold: the thread's sandbox now."),
        field<&T::thread_id>("The thread."), field<&T::turn>("Which of its turns."),
        field<&T::answer>("All tokens together."), field<&T::images>("Images that code made."),
        field<&T::usage>("What was asked of the model."), field<&T::model>("Who answered."),
        field<&T::stopped>("Why it ended before the model was done: cancelled, time, "
                           "steps, tokens, cost, length, filtered."));
}

BOOST_DESCRIBE_STRUCT(ErrorEvent, (), (message))
ATOLL_TYPE(ErrorEvent) {
    return response("The turn has failed; the thread takes the next question.",
                    field<&T::message>("What went wrong, for people."));
}

std::string text_event(std::string_view text) {
    std::string data;
    data.reserve(text.size() + 16);
    data += R"({"text": )";
    schema::append_json_string(data, text);
    data += '}';
    return data;
}

CodeStart start_of(std::uint64_t run, std::string_view code, std::string_view language) {
    CodeStart start;
    start.run = run;
    start.code = cut_in_the_middle(code, kLiveCodeBytesMax);
    start.language = language;
    return start;
}

std::string output_event(std::uint64_t run, const LiveOutput::Piece& piece) {
    CodeOutput event;
    event.run = run;
    event.stream = piece.stream == core::Stream::Stdout ? "stdout" : "stderr";
    event.text = piece.text;
    event.truncated = piece.last;
    return schema::to_json(event);
}

std::string result_event(std::uint64_t run, const StoredResult& result) {
    std::string data;
    data.reserve(result.json.size() + 128);
    data += R"({"run": )" + std::to_string(run) + R"(, "data": {)";
    schema::append_json_string(data, result.type);
    return data.append(": ").append(result.json).append("}}");
}

DoneEvent done_event(const LiveTurn& turn) {
    const auto& outcome = turn.outcome;
    DoneEvent done;
    done.timings_ms = outcome.timings_ms;
    done.container_state = outcome.container_state;
    done.thread_id = turn.thread.text();
    done.turn = turn.number;
    done.answer = outcome.answer;
    done.images = outcome.images;
    done.usage = outcome.usage;
    done.model = outcome.model;
    if (!outcome.stopped.empty()) done.stopped = outcome.stopped;
    return done;
}

}  // namespace atl::agent
