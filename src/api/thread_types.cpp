#include "api/thread_types.hpp"

#include "agent/run_results.hpp"
#include "agent/threads.hpp"
#include "api/time_text.hpp"
#include "schema/describe.hpp"

namespace atl::api {

namespace {

constexpr const char* kThreadExample = "th-mfrggzdfmztwq2lkmfrggzdfmztwq2lk";
constexpr const char* kUploadExample = "f-mfrggzdfmztwq2lkmfrggzdfmztwq2lk";

template <class T>
void append(std::optional<std::vector<T>>& to, const T& value) {
    if (!to) to.emplace();
    to->push_back(value);
}

std::string_view name_of(core::ChatRole role) {
    switch (role) {
        case core::ChatRole::System: return "system";
        case core::ChatRole::User: return "user";
        case core::ChatRole::Assistant: return "assistant";
        case core::ChatRole::Tool: return "tool";
    }
    return "user";
}

HistoryMessage message_view(const core::ThreadMessage& message) {
    HistoryMessage view;
    view.role = std::string(core::name_of(message.role));
    view.content = message.content;
    view.turn = message.turn;
    view.sequence = message.sequence;
    view.at = time_text(message.at);
    return view;
}

void add_run(HistoryMessage& view, agent::RunNote& run, const std::string& output) {
    if (run.code) append(view.code_runs, agent::CodeRun{*run.code, output, run.exec_ms});
    for (const auto& image : run.images) append(view.images, image);
    if (run.table) append(view.tables, *run.table);
    for (const auto& shown : agent::take_results(run)) {
        if (!view.results) view.results.emplace();
        view.results->push_back(agent::view_of(run.run.value_or(0), shown));
    }
}

void add_end(HistoryMessage& view, const agent::MessageDetails& details) {
    if (details.timings_ms) view.timings_ms = details.timings_ms;
    if (details.model) view.model = details.model;
    if (details.stopped) view.stopped = details.stopped;
}

}  // namespace

ThreadView view_of(const core::ThreadRecord& thread, const std::string& state) {
    ThreadView view;
    view.thread_id = thread.id.text();
    view.title = thread.title;
    view.model = thread.model;
    view.state = state;
    view.session_id = thread.session_id.text();
    for (const auto& file : thread.files) view.file_ids.push_back(file.text());
    view.turns = thread.turns;
    view.temporary = agent::is_temporary(thread.id);
    view.created_at = time_text(thread.created_at);
    view.updated_at = time_text(thread.updated_at);
    if (!thread.family.text().empty()) view.family = thread.family.text();
    return view;
}

VersionList versions_of(const ThreadId& id, const std::vector<core::ThreadRecord>& versions) {
    VersionList list;
    list.thread_id = id.text();
    for (const auto& one : versions) {
        VersionView view;
        view.thread_id = one.id.text();
        view.turns = one.turns;
        for (const auto& origin : one.origins) {
            view.origins.push_back({origin.thread.text(), origin.turn});
        }
        view.created_at = time_text(one.created_at);
        view.updated_at = time_text(one.updated_at);
        list.versions.push_back(std::move(view));
    }
    return list;
}

UploadView view_of(const core::UploadRecord& upload) {
    return {
        upload.id.text(), upload.name, upload.bytes, upload.sha256, time_text(upload.created_at),
        std::nullopt};
}

MessageAnswer view_of(const agent::LiveTurn& turn) {
    const auto& outcome = turn.outcome;
    MessageAnswer answer;
    answer.thread_id = turn.thread.text();
    answer.answer = outcome.answer;
    answer.code_runs = outcome.code_runs;
    answer.images = outcome.images;
    answer.tables = outcome.tables;
    for (const auto& shown : outcome.results) {
        answer.results.push_back(agent::view_of(shown.run, shown.result));
    }
    answer.timings_ms = outcome.timings_ms;
    answer.container_state = outcome.container_state;
    answer.turn = turn.number;
    answer.model = outcome.model;
    answer.usage = outcome.usage;
    if (!outcome.stopped.empty()) answer.stopped = outcome.stopped;
    return answer;
}

ThreadContextView view_of(const ThreadId& id, const agent::ModelContext& context) {
    ThreadContextView view;
    view.thread_id = id.text();
    view.tokens = context.tokens;
    view.tokens_max = context.tokens_max;
    for (const auto& part : context.parts) {
        view.parts.push_back({part.kind, part.first, part.last, part.tokens, part.sent, part.why});
    }
    for (const auto& message : context.request.messages) {
        ContextMessageView one{std::string(name_of(message.role)), message.text, {}};
        for (const auto& call : message.tool_calls) {
            append(one.tool_calls, agent::CallNote{call.id, call.name, call.arguments});
        }
        view.messages.push_back(std::move(one));
    }
    return view;
}

bool ShownMessages::begins(const core::ThreadMessage& message) {
    if (all_) return true;
    if (answer_of_ && *answer_of_ != message.turn) answer_of_.reset();
    switch (message.role) {
        case core::MessageRole::User:
        case core::MessageRole::Note: answer_of_.reset(); return true;
        case core::MessageRole::Assistant:
            if (answer_of_) return false;
            answer_of_ = message.turn;
            return true;
        case core::MessageRole::Tool: return false;
    }
    return false;
}

std::vector<HistoryMessage> history_of(std::vector<core::ThreadMessage> messages, bool all) {
    std::vector<HistoryMessage> history;
    ShownMessages shown(all);
    for (auto& stored : messages) {
        const auto message = std::move(stored);  // gone once it is shown: its results are large
        const bool begins = shown.begins(message);
        if (!begins && !shown.in_answer()) continue;
        if (begins) history.push_back(message_view(message));
        auto& view = history.back();
        auto details = agent::details_of(message);
        if (all) {
            for (const auto& call : details.tool_calls) append(view.tool_calls, call);
            view.reasoning = details.reasoning;
            if (details.run) {
                view.tool = details.run->tool;
                view.run = agent::end_of(*details.run);
                add_run(view, *details.run, message.content);
            }
            add_end(view, details);
            continue;
        }
        switch (message.role) {
            case core::MessageRole::User: view.model = details.model; break;
            case core::MessageRole::Note: add_end(view, details); break;
            case core::MessageRole::Assistant:
                if (!begins) {
                    if (!view.content.empty() && !message.content.empty()) view.content += "\n\n";
                    view.content += message.content;
                    view.sequence = message.sequence;
                    view.at = time_text(message.at);
                }
                if (details.reasoning) {
                    if (!view.reasoning) view.reasoning.emplace();
                    *view.reasoning += (view.reasoning->empty() ? "" : "\n\n");
                    *view.reasoning += *details.reasoning;
                }
                add_end(view, details);
                break;
            case core::MessageRole::Tool:
                if (details.run) add_run(view, *details.run, message.content);
                break;
        }
    }
    return history;
}

BOOST_DESCRIBE_STRUCT(UploadedFile, (), (file_id, name, size))
ATOLL_TYPE(UploadedFile) {
    return response("A file that was stored.", field<&T::file_id>("For /thread/new."),
                    field<&T::name>("As it is called in a thread's /data."),
                    field<&T::size>("Bytes."));
}

BOOST_DESCRIBE_STRUCT(UploadAnswer, (), (file_id, files))
ATOLL_TYPE(UploadAnswer) {
    return response("What was stored.", field<&T::file_id>("Of the first file."),
                    field<&T::files>("All of them, in their order."));
}

BOOST_DESCRIBE_STRUCT(UploadView, (), (file_id, name, size, sha256, created_at, threads))
ATOLL_TYPE(UploadView) {
    return response("An upload.", field<&T::file_id>("Its id."),
                    field<&T::name>("As it is called in a thread's /data."),
                    field<&T::size>("Bytes."), field<&T::sha256>("Of its bytes, in hexadecimal."),
                    field<&T::created_at>("When it was stored.", format("date-time")),
                    field<&T::threads>("How many threads use it; told in lists."));
}

BOOST_DESCRIBE_STRUCT(UploadList, (), (uploads, next_cursor))
ATOLL_TYPE(UploadList) {
    return response("Uploads, the latest first.", field<&T::uploads>("This page."),
                    field<&T::next_cursor>("For the next page; left out at the end."));
}

BOOST_DESCRIBE_STRUCT(UploadPath, (), (id))
ATOLL_TYPE(UploadPath) {
    return request("",
                   field<&T::id>("The upload.", required, length(1, 128), example(kUploadExample)));
}

BOOST_DESCRIBE_STRUCT(NewThreadBody, (), (file_ids, title, model, temporary))
ATOLL_TYPE(NewThreadBody) {
    return request("What a new thread is about. No body at all is enough.",
                   field<&T::file_ids>("Uploads that it gets in /data; none: a bundled "
                                       "transactions.csv.",
                                       items(0, 50), each(length(1, 128))),
                   field<&T::title>("What people call it; else its first question.", length(0, 200),
                                    one_line()),
                   field<&T::model>("Which model answers in it, of those at /v1/models/available; "
                                    "left out: the server's.",
                                    length(0, 200), one_line()),
                   field<&T::temporary>("It is removed with its session and the uploads that it "
                                        "alone has, a moment after the last page that shows it "
                                        "was left (/v1/threads/{id}/presence), or when nobody "
                                        "used it for long (threads.temporary_unused)."));
}

BOOST_DESCRIBE_STRUCT(ThreadFile, (), (path, size))
ATOLL_TYPE(ThreadFile) {
    return response("A file of a thread.",
                    field<&T::path>("In its sandbox.", example("/data/transactions.csv")),
                    field<&T::size>("Bytes."));
}

BOOST_DESCRIBE_STRUCT(ThreadView, (),
                      (thread_id, title, model, state, session_id, file_ids, files, turns,
                       temporary, created_at, updated_at, family))
ATOLL_TYPE(ThreadView) {
    return response("A thread.", field<&T::thread_id>("Its id."),
                    field<&T::title>("Its first question, until it is renamed."),
                    field<&T::model>("Which model answers in it; empty: the server's."),
                    field<&T::state>("hot, warm or cold: its sandbox.", example("cold")),
                    field<&T::session_id>("Its sandbox's session; files are to be had there."),
                    field<&T::file_ids>("Uploads that it was made with."),
                    field<&T::files>("What it got in /data, when it was made."),
                    field<&T::turns>("Questions so far."),
                    field<&T::temporary>("It is removed when everybody has left it."),
                    field<&T::created_at>("When it was made.", format("date-time")),
                    field<&T::updated_at>("When it was last spoken in.", format("date-time")),
                    field<&T::family>("Of a version of another thread: the first one of them. "
                                      "They are one chat."));
}

BOOST_DESCRIBE_STRUCT(ThreadList, (), (threads, next_cursor))
ATOLL_TYPE(ThreadList) {
    return response("Threads, the latest first.", field<&T::threads>("This page."),
                    field<&T::next_cursor>("For the next page; left out at the end."));
}

BOOST_DESCRIBE_STRUCT(PageQuery, (), (cursor, limit))
ATOLL_TYPE(PageQuery) {
    return request("", field<&T::cursor>("Of the page before.", length(0, 512)),
                   field<&T::limit>("How many at most.", range(1, 1000)));
}

BOOST_DESCRIBE_STRUCT(ThreadPath, (), (id))
ATOLL_TYPE(ThreadPath) {
    return request("",
                   field<&T::id>("The thread.", required, length(1, 128), example(kThreadExample)));
}

BOOST_DESCRIBE_STRUCT(ThreadTabPath, (), (id, tab))
ATOLL_TYPE(ThreadTabPath) {
    return request(
        "", field<&T::id>("The thread.", required, length(1, 128), example(kThreadExample)),
        field<&T::tab>(
            "The page's own name for itself: random, and another one each time it comes.", required,
            length(8, 64),
            pattern("A-Za-z0-9", "A-Za-z0-9._-", "letters, digits, dot, dash and underscore"),
            example("4f1c2f60-8f0e-4c55-9d0c-6f0c1f6b0f7e")));
}

BOOST_DESCRIBE_STRUCT(ThreadFilePath, (), (id, path))
ATOLL_TYPE(ThreadFilePath) {
    return request("",
                   field<&T::id>("The thread.", required, length(1, 128), example(kThreadExample)),
                   field<&T::path>("In its sandbox, without the first slash.", required,
                                   length(1, 4096), example("data/outputs/chart.png")));
}

BOOST_DESCRIBE_STRUCT(ThreadFileQuery, (), (download))
ATOLL_TYPE(ThreadFileQuery) {
    return request("", field<&T::download>("A browser stores it in place of showing it."));
}

BOOST_DESCRIBE_STRUCT(MessageBody, (), (message, message_id, model))
ATOLL_TYPE(MessageBody) {
    return request(
        "A question.",
        field<&T::message>("What you want to know.", required, length(1, 200'000),
                           example("What were the total sales by region?")),
        field<&T::message_id>(
            "Your own name for it: sent twice, it is answered once.", length(1, 128),
            pattern("A-Za-z0-9._-", "A-Za-z0-9._-", "letters, digits, dot, dash and underscore")),
        field<&T::model>("Which model answers this one, of those at /v1/models/available; left "
                         "out: the thread's.",
                         length(1, 200), one_line()),
        rule([](const T& value, Findings& findings) {
            if (value.message.find_first_not_of(" \t\r\n\v\f") == std::string::npos) {
                findings.add("message", "is empty: write a question");
            }
        }));
}

BOOST_DESCRIBE_STRUCT(MessageAnswer, (),
                      (thread_id, answer, code_runs, images, tables, results, timings_ms,
                       container_state, turn, model, usage, stopped))
ATOLL_TYPE(MessageAnswer) {
    return response("An answer, and what it rests on.", field<&T::thread_id>("The thread."),
                    field<&T::answer>("In Markdown."),
                    field<&T::code_runs>("Code that was run for it, in its order."),
                    field<&T::images>("Images that the code made."),
                    field<&T::tables>("Tables that the code answered with, as data."),
                    field<&T::results>("What else the code showed: charts as data, for example."),
                    field<&T::timings_ms>("Where the time went."),
                    field<&T::container_state>("hot, warm or cold: the thread's sandbox now."),
                    field<&T::turn>("Which of the thread's turns."),
                    field<&T::model>("Who answered."), field<&T::usage>("What was asked of it."),
                    field<&T::stopped>("Why it ended before the model was done."));
}

BOOST_DESCRIBE_STRUCT(ThreadStatus, (), (thread_id, state, busy))
ATOLL_TYPE(ThreadStatus) {
    return response("How a thread's sandbox is.", field<&T::thread_id>("The thread."),
                    field<&T::state>("hot: running; warm: paused; cold: on disk.", example("hot")),
                    field<&T::busy>("A question is being answered."));
}

BOOST_DESCRIBE_STRUCT(HistoryMessage, (),
                      (role, content, turn, sequence, at, reasoning, code_runs, images, tables,
                       results, timings_ms, model, stopped, tool_calls, tool, run))
ATOLL_TYPE(HistoryMessage) {
    return response("A message of a thread.",
                    field<&T::role>("user, assistant or note (the server's own word: why a turn "
                                    "has no answer); with all=true also tool."),
                    field<&T::content>("Its text."), field<&T::turn>("Which turn it belongs to."),
                    field<&T::sequence>("Its place in the thread."),
                    field<&T::at>("When.", format("date-time")),
                    field<&T::reasoning>("What the model thought aloud before it."),
                    field<&T::code_runs>("Code that was run for it."),
                    field<&T::images>("Images that the code made."),
                    field<&T::tables>("Tables that the code answered with."),
                    field<&T::results>("What else the code showed: charts as data, for example."),
                    field<&T::timings_ms>("Where the turn's time went."),
                    field<&T::model>("Who answered; of a question, the model that it named."),
                    field<&T::stopped>("Why the turn ended before the model was done."),
                    field<&T::tool_calls>("Tools that the model called with it."),
                    field<&T::tool>("Which tool this is the answer of."),
                    field<&T::run>("How the code ended, if the tool ran some."));
}

BOOST_DESCRIBE_STRUCT(HistoryAnswer, (), (thread_id, messages, next_cursor))
ATOLL_TYPE(HistoryAnswer) {
    return response("A conversation.", field<&T::thread_id>("The thread."),
                    field<&T::messages>("From the first to the last, or of this page."),
                    field<&T::next_cursor>("For the next page; left out at the end."));
}

BOOST_DESCRIBE_STRUCT(HistoryQuery, (), (all, cursor, limit))
ATOLL_TYPE(HistoryQuery) {
    return request(
        "", field<&T::all>("Also what the model and its tools exchanged."),
        field<&T::cursor>("Of the page before.", length(0, 512)),
        field<&T::limit>("How many messages at most, and fewer of large ones: next_cursor says "
                         "whether there are more; left out: all of them.",
                         range(1, 1000)));
}

BOOST_DESCRIBE_STRUCT(ResumeQuery, (), (turn))
ATOLL_TYPE(ResumeQuery) {
    return request("", field<&T::turn>("Which turn; left out: that of Last-Event-ID, or the "
                                       "latest.",
                                       range(1, 1ull << 53)));
}

BOOST_DESCRIBE_STRUCT(PatchThread, (), (title, model))
ATOLL_TYPE(PatchThread) {
    return request(
        "What is to change; the rest stays.",
        field<&T::title>("What people call it.", length(1, 200), one_line(), example("Sales 2024")),
        field<&T::model>("Which model answers in it, of those at /v1/models/available; "
                         "empty: the server's.",
                         length(0, 200), one_line()),
        rule([](const T& value, Findings& findings) {
            if (!value.title && !value.model) {
                findings.add("title", "or `model` is missing: nothing is to change");
            }
        }));
}

BOOST_DESCRIBE_STRUCT(VersionOrigin, (), (thread_id, turn))
ATOLL_TYPE(VersionOrigin) {
    return response("Where a version has its first turns from.",
                    field<&T::thread_id>("Whose they are; it may be gone by now."),
                    field<&T::turn>("Up to which; from the origin before on."));
}

BOOST_DESCRIBE_STRUCT(VersionView, (), (thread_id, turns, origins, created_at, updated_at))
ATOLL_TYPE(VersionView) {
    return response(
        "A version of a chat: a thread that begins as another one and goes on with a "
        "question of its own.",
        field<&T::thread_id>("The thread."), field<&T::turns>("Questions so far."),
        field<&T::origins>("Whose its first turns are; the rest are its own."),
        field<&T::created_at>("When it was made.", format("date-time")),
        field<&T::updated_at>("When it was last spoken in.", format("date-time")));
}

BOOST_DESCRIBE_STRUCT(VersionList, (), (thread_id, versions))
ATOLL_TYPE(VersionList) {
    return response("The versions of a chat.", field<&T::thread_id>("The thread asked for."),
                    field<&T::versions>("With itself, the oldest first."));
}

BOOST_DESCRIBE_STRUCT(DeleteQuery, (), (versions))
ATOLL_TYPE(DeleteQuery) {
    return request("", field<&T::versions>("Also all other versions of this chat."));
}

BOOST_DESCRIBE_STRUCT(ForkThread, (), (turn, title, version))
ATOLL_TYPE(ForkThread) {
    return request("How a thread is to be forked. No body at all is enough.",
                   field<&T::turn>("The last question that the copy has, with its answer; 0: "
                                   "none; left out: the latest.",
                                   range(0, 1ull << 53), example(3)),
                   field<&T::title>("What people call the copy; else as the thread.",
                                    length(0, 200), one_line()),
                   field<&T::version>("It is another version of this chat, in which a question is "
                                      "asked anew, and no chat of its own."));
}

BOOST_DESCRIBE_ENUM(ExportFormat, Markdown, Ipynb)
ATOLL_TYPE(ExportFormat) {
    return choices("What a thread is written as.", choice<ExportFormat::Markdown>("a text to read"),
                   choice<ExportFormat::Ipynb>("a notebook that runs again"));
}

BOOST_DESCRIBE_STRUCT(ExportQuery, (), (format))
ATOLL_TYPE(ExportQuery) { return request("", field<&T::format>("What it is written as.")); }

BOOST_DESCRIBE_STRUCT(CancelAnswer, (), (thread_id, cancelled))
ATOLL_TYPE(CancelAnswer) {
    return response("What became of the wish.", field<&T::thread_id>("The thread."),
                    field<&T::cancelled>("Something was under way, and ends now."));
}

BOOST_DESCRIBE_STRUCT(ContextQuery, (), (question))
ATOLL_TYPE(ContextQuery) {
    return request("",
                   field<&T::question>("For which question; it is not asked.", length(0, 10'000)));
}

BOOST_DESCRIBE_STRUCT(ContextPartView, (), (kind, first, last, tokens, sent, why))
ATOLL_TYPE(ContextPartView) {
    return response("A stretch of what could be sent.",
                    field<&T::kind>("system, tools, summary, recalled, turn or question."),
                    field<&T::first>("Its first message; 0: none."),
                    field<&T::last>("Its last message; 0: none."), field<&T::tokens>("About."),
                    field<&T::sent>("Whether it is."), field<&T::why>("Why, or why not."));
}

BOOST_DESCRIBE_STRUCT(ContextMessageView, (), (role, content, tool_calls))
ATOLL_TYPE(ContextMessageView) {
    return response("A message as the model gets it.",
                    field<&T::role>("system, user, assistant or tool."),
                    field<&T::content>("Its text."), field<&T::tool_calls>("Tools it called."));
}

BOOST_DESCRIBE_STRUCT(ThreadContextView, (), (thread_id, tokens, tokens_max, parts, messages))
ATOLL_TYPE(ThreadContextView) {
    return response("What would be sent to the model, and why.",
                    field<&T::thread_id>("The thread."), field<&T::tokens>("Of all of it, about."),
                    field<&T::tokens_max>("The budget."),
                    field<&T::parts>("What it is made of, in its order."),
                    field<&T::messages>("As the model gets them."));
}

}  // namespace atl::api
