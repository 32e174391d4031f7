#include "api/thread_routes.hpp"

#include "agent/export.hpp"
#include "agent/text.hpp"
#include "agent/turn_events.hpp"
#include "api/file_content.hpp"
#include "api/file_paths.hpp"
#include "api/request_reading.hpp"
#include "api/thread_history.hpp"
#include "api/thread_types.hpp"
#include "api/web_routes.hpp"
#include "base/utf8.hpp"
#include "base/workers.hpp"
#include "net/problem.hpp"

#include <charconv>
#include <memory>
#include <optional>

namespace atl::api {

namespace asio = boost::asio;
using schema::described;
using schema::json_answer;
using schema::json_body;
using TurnPtr = std::shared_ptr<agent::LiveTurn>;

namespace {

constexpr std::string_view kThreadTag = "Threads";

ThreadId thread_in(const net::Exchange& exchange) {
    return ThreadId(std::string(exchange.request().parameter("id")));
}

// "3-17": event 17 of turn 3.
struct EventPosition {
    std::uint64_t turn = 0;
    std::uint64_t event = 0;
};

std::optional<EventPosition> position_from(std::string_view id) {
    const auto dash = id.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto number = [](std::string_view text, std::uint64_t& value) {
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
        return !text.empty() && failed == std::errc{} && end == text.data() + text.size() &&
               value < 1ull << 53;
    };
    EventPosition position;
    if (!number(id.substr(0, dash), position.turn) ||
        !number(id.substr(dash + 1), position.event)) {
        return std::nullopt;
    }
    return position;
}

[[noreturn]] void throw_failure(const Error& error) {
    throw net::Problem(error).with_member("message", boost::json::value(error.message.c_str()));
}

// A client that follows a turn. Its leaving wakes whoever waits for the turn.
struct Follower {
    Follower(net::Exchange& exchange, TurnPtr follows)
        : turn(std::move(follows)), left(exchange.on_gone([this] {
              gone = true;
              turn->log.wake();
          })) {}
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    bool gone = false;
    TurnPtr turn;
    const net::Callbacks::Guard left;  // the last, for its callback refers to the rest
};

// For a client that saw some of a turn, when its events are gone: the whole answer in place of what
// it has, and how it ended.
asio::awaitable<void> send_whole(net::EventStream& stream, const Follower& follower) {
    // Kept until it is copied, and not while a slow client reads.
    std::optional<agent::LiveTurn::Awaited> awaited;
    awaited.emplace(*follower.turn);
    auto& log = follower.turn->log;
    while (!follower.gone && !log.ended()) co_await log.news();
    if (follower.gone) co_return;
    net::EventStream::Event whole, last;
    if (const auto* end = log.after(log.last() - 1)) {
        last = {end->data, std::string(end->name), {}};
        whole = {agent::text_event(follower.turn->outcome.answer), "answer", {}};
    } else {
        agent::ErrorEvent lost;
        lost.message = "This answer is no longer in memory; the thread's history has it.";
        last = {schema::to_json(lost), "error", {}};
    }
    awaited.reset();
    if (!whole.event.empty()) co_await stream.send(std::move(whole));
    co_await stream.send(std::move(last));
}

class ThreadRoutes {
public:
    ThreadRoutes(agent::Threads& threads, ThreadRules rules, std::string ports_domain)
        : threads_(threads),
          rules_(rules),
          ports_domain_(std::move(ports_domain)),
          budget_(std::make_shared<AnswerBudget>(rules.answer_bytes_max)) {}

    asio::awaitable<void> create(net::Exchange& exchange) const {
        const auto wanted = co_await read_json_if_any<NewThreadBody>(exchange);
        agent::NewThread thread;
        thread.owner = caller_of(exchange.request()).owner;
        thread.title = wanted.title;
        thread.model = wanted.model;
        if (wanted.temporary) thread.prefix = agent::kTemporaryPrefix;
        for (const auto& id : wanted.file_ids) thread.files.emplace_back(id);
        const auto record = co_await threads_.create(std::move(thread));
        note_object(exchange, record.id.text());
        const auto state = co_await threads_.state_of(record);
        auto view = view_of(record, state);
        const auto files = co_await threads_.files_of(record);
        view.files.emplace();
        for (const auto& file : files) view.files->push_back({file.path, file.bytes});
        auto response = json_response(201, view);
        response.headers.set("Location", "/v1/threads/" + record.id.text());
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> list(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<PageQuery>(exchange.request().target.query);
        core::ThreadQuery query{whose(exchange), asked.cursor, asked.limit};
        const auto page = co_await threads_.list(std::move(query));
        ThreadList answer;
        for (const auto& record : page.threads) {
            const auto state = co_await threads_.state_of(record);
            answer.threads.push_back(view_of(record, state));
        }
        if (!page.next_cursor.empty()) answer.next_cursor = page.next_cursor;
        co_await exchange.respond(json_response(200, std::move(answer)));
    }

    asio::awaitable<void> get(net::Exchange& exchange) const {
        const auto record = co_await threads_.get(whose(exchange), thread_in(exchange));
        const auto state = co_await threads_.state_of(record);
        auto view = view_of(record, state);
        const auto files = co_await threads_.files_of(record);
        view.files.emplace();
        for (const auto& file : files) view.files->push_back({file.path, file.bytes});
        co_await exchange.respond(json_response(200, view));
    }

    asio::awaitable<void> status(net::Exchange& exchange) const {
        const auto record = co_await threads_.get(whose(exchange), thread_in(exchange));
        ThreadStatus answer;
        answer.thread_id = record.id.text();
        answer.state = co_await threads_.state_of(record);
        answer.busy = record.lease && core::lives(*record.lease, core::time_now());
        co_await exchange.respond(json_response(200, answer));
    }

    asio::awaitable<void> history(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<HistoryQuery>(exchange.request().target.query);
        const auto id = thread_in(exchange);
        AnswerBudget::Share share(*budget_, caller_of(exchange.request()).owner);
        auto answer = co_await read_history(threads_, whose(exchange), id, asked, share);
        co_await exchange.respond(json_response(200, std::move(answer)));
    }

    asio::awaitable<void> message(net::Exchange& exchange) const {
        const auto turn = co_await ask(exchange);
        std::optional<agent::LiveTurn::Awaited> awaited(std::in_place, *turn);
        Follower follower(exchange, turn);
        while (!turn->log.ended() && !follower.gone) co_await turn->log.news();
        if (follower.gone) co_return;  // the turn goes on, and its answer is in the history
        if (turn->outcome.error) throw_failure(*turn->outcome.error);
        auto answer = view_of(*turn);
        awaited.reset();  // a client that reads slowly keeps its answer, not the turn as well
        co_await exchange.respond(json_response(200, std::move(answer)));
    }

    asio::awaitable<void> stream(net::Exchange& exchange) const {
        const auto turn = co_await ask(exchange);
        co_await send_events(exchange, turn, 0);
    }

    asio::awaitable<void> resume(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<ResumeQuery>(exchange.request().target.query);
        const auto last = exchange.last_event_id();
        std::optional<EventPosition> position;
        if (!last.empty()) {
            position = position_from(last);
            if (!position) {
                throw ErrorException(
                    {Code::InvalidArgument, "Last-Event-ID: " + schema::quoted(last) +
                                                " is not an event of a turn, like 3-17"});
            }
        }
        auto number = asked.turn;
        if (!number && position) number = position->turn;
        const auto turn = co_await threads_.follow(whose(exchange), thread_in(exchange), number);
        const bool same = position && position->turn == turn->number;
        if (same && turn->told_again) {
            Follower follower(exchange, turn);
            auto stream = co_await exchange.begin_events();
            co_await send_whole(stream, follower);
            if (!follower.gone) co_await stream.end();
        } else {
            co_await send_events(exchange, turn, same ? position->event : 0);
        }
    }

    asio::awaitable<void> cancel(net::Exchange& exchange) const {
        const auto id = thread_in(exchange);
        CancelAnswer answer;
        answer.cancelled = co_await threads_.cancel(whose(exchange), id);
        answer.thread_id = id.text();
        co_await exchange.respond(json_response(200, answer));
    }

    asio::awaitable<void> patch(net::Exchange& exchange) const {
        auto wanted = co_await read_json<PatchThread>(exchange);
        agent::ThreadChange change{std::move(wanted.title), std::move(wanted.model)};
        const auto record =
            co_await threads_.change(whose(exchange), thread_in(exchange), std::move(change));
        const auto state = co_await threads_.state_of(record);
        co_await exchange.respond(json_response(200, view_of(record, state)));
    }

    asio::awaitable<void> fork(net::Exchange& exchange) const {
        auto wanted = co_await read_json_if_any<ForkThread>(exchange);
        const auto record = co_await threads_.fork(
            whose(exchange), thread_in(exchange), wanted.turn, std::move(wanted.title),
            agent::kThreadPrefix, wanted.version ? agent::ForkAs::Version : agent::ForkAs::Thread);
        note_object(exchange, record.id.text());
        const auto state = co_await threads_.state_of(record);
        auto response = json_response(201, view_of(record, state));
        response.headers.set("Location", "/v1/threads/" + record.id.text());
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> remove(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<DeleteQuery>(exchange.request().target.query);
        if (asked.versions) {
            co_await threads_.remove_versions(whose(exchange), thread_in(exchange));
        } else {
            co_await threads_.remove(whose(exchange), thread_in(exchange));
        }
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> arrive(net::Exchange& exchange) const {
        auto where = schema::from_parameters<ThreadTabPath>(exchange.request().parameters);
        co_await threads_.tab_here(whose(exchange), ThreadId(where.id), std::move(where.tab));
        co_await exchange.respond(net::Response::empty());
    }

    // Also of a thread that is gone: nobody is in it, which is what was said.
    asio::awaitable<void> leave(net::Exchange& exchange) const {
        const auto where = schema::from_parameters<ThreadTabPath>(exchange.request().parameters);
        threads_.tab_left(caller_of(exchange.request()).owner, ThreadId(where.id), where.tab);
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> versions(net::Exchange& exchange) const {
        const auto id = thread_in(exchange);
        const auto versions = co_await threads_.versions(whose(exchange), id);
        co_await exchange.respond(json_response(200, versions_of(id, versions)));
    }

    asio::awaitable<void> write_out(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<ExportQuery>(exchange.request().target.query);
        const auto record = co_await threads_.get(whose(exchange), thread_in(exchange));
        AnswerBudget::Share share(*budget_, caller_of(exchange.request()).owner);
        const auto messages = co_await read_messages(threads_, whose(exchange), record.id, share);
        const auto files = co_await threads_.files_of(record);
        auto images = co_await charts_of(whose(exchange), record.id, messages);
        if (!has_room_for(images, share)) images.clear();
        const bool notebook = asked.format == ExportFormat::Ipynb;
        net::Response response{200, {}, {}};
        const auto write = [&] {
            return notebook ? agent::notebook_of(record, files, messages, images)
                            : agent::markdown_of(record, files, messages, images);
        };
        response.body = co_await workers_of(exchange.executor()).run(write);
        response.headers.set("Content-Type",
                             notebook ? "application/json" : "text/plain; charset=utf-8");
        response.headers.set("Content-Disposition", "attachment; filename=\"" + record.id.text() +
                                                        (notebook ? ".ipynb\"" : ".md\""));
        response.headers.set("X-Content-Type-Options", "nosniff");
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> file(net::Exchange& exchange) const {
        const auto asked =
            schema::from_parameters<ThreadFileQuery>(exchange.request().target.query);
        const auto path = path_in(exchange.request());
        const auto use = co_await threads_.use(whose(exchange), thread_in(exchange));
        const guest_client::Files files(use.link());
        const auto entry = co_await files.stat(path, true);
        if (entry.type == guest_client::FileType::Directory) {
            throw ErrorException({Code::Conflict, path_text(path) + " is a folder"});
        }
        co_await send_file_content(exchange, files, path, entry, asked.download);
    }

    asio::awaitable<void> ui(net::Exchange& exchange) const {
        co_await send_web_page(exchange, ports_domain_);
    }

    asio::awaitable<void> context(net::Exchange& exchange) const {
        auto asked = schema::from_parameters<ContextQuery>(exchange.request().target.query);
        const auto id = thread_in(exchange);
        const auto context =
            co_await threads_.context(whose(exchange), id, std::move(asked.question));
        co_await exchange.respond(json_response(200, view_of(id, context)));
    }

private:
    // Events of a turn from the one after `seen` on, until it ends or the client leaves. The turn
    // goes on either way.
    asio::awaitable<void> send_events(net::Exchange& exchange, TurnPtr turn,
                                      std::uint64_t seen) const {
        Follower follower(exchange, turn);
        auto stream = co_await exchange.begin_events();
        while (!follower.gone) {
            net::EventStream::Event event;
            if (turn->log.missed(seen) && turn->forgotten) {
                // It has ended, and others needed the memory: the store has it.
                if (turn->number != 0) {
                    follower.turn =
                        co_await threads_.follow(whose(exchange), turn->thread, turn->number);
                }
                co_await send_whole(stream, follower);
                break;
            }
            if (turn->log.missed(seen)) {
                // Too far behind: the answer so far stands for what was dropped.
                event.data = agent::text_event(turn->outcome.answer);
                event.event = "answer";
                seen = turn->log.last();
            } else if (const auto* next = turn->log.after(seen)) {
                event.data = next->data;
                event.event = std::string(next->name);
                ++seen;
            } else if (turn->log.ended()) {
                break;
            } else {
                co_await turn->log.news();
                continue;
            }
            if (turn->number != 0) {
                event.id = std::to_string(turn->number) + "-" + std::to_string(seen);
            }
            co_await stream.send(std::move(event));
        }
        if (!follower.gone) co_await stream.end();
    }

    // In the text, and in the values that it is printed from.
    static bool has_room_for(const agent::ExportImages& images, AnswerBudget::Share& share) {
        std::uint64_t bytes = 0;
        for (const auto& [path, image] : images) bytes += 3 * image.base64.size();
        return share.take(bytes);
    }

    // A sandbox that cannot be woken costs an export its charts, not the rest.
    asio::awaitable<agent::ExportImages> charts_of(
        core::Whose whose, ThreadId id, const std::vector<core::ThreadMessage>& messages) const {
        auto paths = agent::image_paths(messages);
        if (paths.empty()) co_return agent::ExportImages{};
        try {
            const auto use = co_await threads_.use(std::move(whose), std::move(id));
            co_return co_await agent::read_images(guest_client::Files(use.link()),
                                                  std::move(paths));
        } catch (const ErrorException&) { co_return agent::ExportImages{}; }
    }

    asio::awaitable<TurnPtr> ask(net::Exchange& exchange) const {
        auto wanted = co_await read_json<MessageBody>(exchange);
        // The described type has the highest limit there is; this is the server's own.
        const auto characters = count_characters(wanted.message);
        if (characters > rules_.input_chars_max) {
            throw schema::ValidationError(
                {{std::string("message"), "has " + std::to_string(characters) +
                                              " characters, and this server takes " +
                                              std::to_string(rules_.input_chars_max)}});
        }
        agent::Question question;
        question.text = std::move(wanted.message);
        question.client_id = wanted.message_id.value_or("");
        question.model = wanted.model.value_or("");
        co_return co_await threads_.ask(whose(exchange), thread_in(exchange), std::move(question));
    }

    agent::Threads& threads_;
    ThreadRules rules_;
    std::string ports_domain_;
    std::shared_ptr<AnswerBudget> budget_;  // shared by the copies that handlers have
};

schema::Answer exported_bytes(int status, std::string description) {
    schema::Answer answer;
    answer.status = status;
    answer.description = std::move(description);
    answer.content_type = "*/*";
    return answer;
}

schema::Answer page_answer() {
    auto answer = exported_bytes(200, "The page.");
    answer.content_type = "text/html";
    return answer;
}

schema::Answer turn_events() {
    return schema::event_answer(
        "What happens, as it happens; `done` or `error` is the last. An `id` is what Last-Event-ID "
        "resumes after.",
        {schema::event<agent::TextEvent>("status", "What is being done."),
         schema::event<agent::TextEvent>("token", "More of the answer."),
         schema::event<agent::TextEvent>("reasoning", "What the model thinks aloud."),
         schema::event<agent::CodeStart>("code_start", "Code begins to run."),
         schema::event<agent::CodeOutput>("code_output",
                                          "What it prints; at most 32 KiB of a run."),
         schema::event<agent::CodeEnd>("code_end", "How it ended; its `code_run` follows at once."),
         schema::event<agent::CodeRun>("code_run", "Code was run: all of it, stored."),
         schema::event<agent::ToolEvent>("tool", "A tool was used that runs no code."),
         schema::event<agent::TurnResult>("result", "Code showed a chart, or what else is drawn."),
         schema::event<agent::ImageLink>("image", "Code made an image."),
         schema::event<agent::TableData>("table", "Code answered with a table."),
         schema::event<agent::TextEvent>("answer", "All of the answer so far, for who is behind."),
         schema::event<agent::DoneEvent>("done", "The turn has ended."),
         schema::event<agent::ErrorEvent>("error", "The turn has failed.")});
}

}  // namespace

void add_thread_routes(Api& api, agent::Threads& threads, ThreadRules rules) {
    const ThreadRoutes routes(threads, rules, api.ports_domain());
    using Method = asio::awaitable<void> (ThreadRoutes::*)(net::Exchange&) const;
    const auto add = [&](schema::Route route, Method method) {
        if (route.path == nullptr && route.pattern.find("{id}") != std::string_view::npos) {
            route.path = described<ThreadPath>();
        }
        api.add(std::move(route),
                [routes, method](net::Exchange& exchange) { return (routes.*method)(exchange); });
    };
    auto optional_body = json_body<NewThreadBody>();
    optional_body.required = false;
    add({.method = "POST",
         .pattern = "/thread/new",
         .id = "new_thread",
         .tag = kThreadTag,
         .summary = "Begin a thread",
         .description = "With uploads, or without: then it gets a bundled transactions.csv.",
         .bodies = {optional_body},
         .answers = {json_answer<ThreadView>(201, "The thread.")}},
        &ThreadRoutes::create);
    add({.method = "POST",
         .pattern = "/thread/{id}/message",
         .id = "send_message",
         .tag = kThreadTag,
         .summary = "Ask, and wait for the answer",
         .description = "One question at a time is answered in a thread; the next waits. It goes "
                        "on when the client leaves, and is in the history then.",
         .bodies = {json_body<MessageBody>()},
         .answers = {json_answer<MessageAnswer>(200, "The answer.")}},
        &ThreadRoutes::message);
    add({.method = "POST",
         .pattern = "/thread/{id}/message/stream",
         .id = "stream_message",
         .tag = kThreadTag,
         .summary = "Ask, and hear the answer while it grows",
         .bodies = {json_body<MessageBody>()},
         .answers = {turn_events()}},
        &ThreadRoutes::stream);
    add({.method = "GET",
         .pattern = "/thread/{id}/message/stream",
         .id = "resume_stream",
         .tag = kThreadTag,
         .summary = "Go on hearing a turn",
         .description = "With Last-Event-ID: what came after that event. Without: the whole turn.",
         .query = described<ResumeQuery>(),
         .answers = {turn_events()}},
        &ThreadRoutes::resume);
    add({.method = "POST",
         .pattern = "/thread/{id}/cancel",
         .id = "cancel_message",
         .tag = kThreadTag,
         .summary = "End the turn under way, and those that wait",
         .answers = {json_answer<CancelAnswer>(200, "It ends.")}},
        &ThreadRoutes::cancel);
    add({.method = "GET",
         .pattern = "/thread/{id}/status",
         .id = "thread_status",
         .tag = kThreadTag,
         .summary = "Hot, warm or cold",
         .answers = {json_answer<ThreadStatus>(200, "How its sandbox is.")}},
        &ThreadRoutes::status);
    add({.method = "GET",
         .pattern = "/thread/{id}/history",
         .id = "thread_history",
         .tag = kThreadTag,
         .summary = "The conversation",
         .query = described<HistoryQuery>(),
         .answers = {json_answer<HistoryAnswer>(200, "All of it, or a page.")}},
        &ThreadRoutes::history);
    for (const bool short_way : {true, false}) {
        add({.method = "GET",
             .pattern = short_way ? "/threads" : "/v1/threads",
             .id = short_way ? "threads" : "list_threads",
             .tag = kThreadTag,
             .summary = "All threads, the latest first",
             .query = described<PageQuery>(),
             .answers = {json_answer<ThreadList>(200, "A page of threads.")}},
            &ThreadRoutes::list);
    }
    add({.method = "GET",
         .pattern = "/v1/threads/{id}",
         .id = "get_thread",
         .tag = kThreadTag,
         .summary = "One thread",
         .answers = {json_answer<ThreadView>(200, "The thread.")}},
        &ThreadRoutes::get);
    add({.method = "PATCH",
         .pattern = "/v1/threads/{id}",
         .id = "patch_thread",
         .tag = kThreadTag,
         .summary = "Rename a thread, or choose its model",
         .bodies = {json_body<PatchThread>()},
         .answers = {json_answer<ThreadView>(200, "The thread.")}},
        &ThreadRoutes::patch);
    auto how = json_body<ForkThread>();
    how.required = false;
    add({.method = "POST",
         .pattern = "/v1/threads/{id}/fork",
         .id = "fork_thread",
         .tag = kThreadTag,
         .summary = "Go on from an earlier answer in a thread of its own",
         .description = "Copies the conversation up to a turn, and the session with its files and "
                        "variables as they are now. The thread itself goes on.",
         .bodies = {how},
         .answers = {json_answer<ThreadView>(201, "The new thread.")}},
        &ThreadRoutes::fork);
    add({.method = "DELETE",
         .pattern = "/v1/threads/{id}",
         .id = "delete_thread",
         .tag = kThreadTag,
         .summary = "Remove a thread with its messages, its session and its files",
         .description = "A turn under way is cancelled. Uploads stay.",
         .query = described<DeleteQuery>(),
         .answers = {schema::empty_answer(204, "It is gone.")}},
        &ThreadRoutes::remove);
    add({.method = "PUT",
         .pattern = "/v1/threads/{id}/presence/{tab}",
         .id = "enter_thread",
         .tag = kThreadTag,
         .summary = "Say that a page shows the thread",
         .description = "Said again each minute while it does; a page that is silent for five is "
                        "forgotten, and the session goes by its idle times. Clients that never say "
                        "it notice nothing of it.",
         .path = described<ThreadTabPath>(),
         .answers = {schema::empty_answer(204, "Noted.")}},
        &ThreadRoutes::arrive);
    add({.method = "DELETE",
         .pattern = "/v1/threads/{id}/presence/{tab}",
         .id = "leave_thread",
         .tag = kThreadTag,
         .summary = "Say that a page does not show the thread any more",
         .description = "When no page shows it, and none comes for a while "
                        "(threads.leave_grace), its session is stored on disk with files and "
                        "variables, and a temporary thread is removed; if an answer or a program "
                        "is at work there, once that has ended. A page that comes back, as after a "
                        "reload, takes another name.",
         .path = described<ThreadTabPath>(),
         .answers = {schema::empty_answer(204, "Noted.")}},
        &ThreadRoutes::leave);
    add({.method = "GET",
         .pattern = "/v1/threads/{id}/versions",
         .id = "thread_versions",
         .tag = kThreadTag,
         .summary = "The versions of a chat in which a question was asked anew",
         .description = "Each is a thread. They are named, renamed and shown as one chat.",
         .answers = {json_answer<VersionList>(200, "All of them, with this one.")}},
        &ThreadRoutes::versions);
    auto notebook = schema::bytes_answer("The notebook.");
    notebook.content_type = schema::kJson;
    add({.method = "GET",
         .pattern = "/v1/threads/{id}/export",
         .id = "export_thread",
         .tag = kThreadTag,
         .summary = "The conversation as a text, or as a notebook that runs again",
         .query = described<ExportQuery>(),
         .answers = {schema::text_answer("Markdown."), notebook}},
        &ThreadRoutes::write_out);
    add({.method = "GET",
         .pattern = "/v1/threads/{id}/files/{path...}",
         .id = "thread_file",
         .tag = kThreadTag,
         .summary = "A file of the thread's sandbox: a chart, a result",
         .description = "Its type goes by its name, and nothing in it runs in a browser. `Range` "
                        "and `If-None-Match` work as usual.",
         .path = described<ThreadFilePath>(),
         .query = described<ThreadFileQuery>(),
         .answers = {exported_bytes(200, "The file."), exported_bytes(206, "The range asked for."),
                     schema::empty_answer(304, "It has not changed.")}},
        &ThreadRoutes::file);
    add({.method = "GET",
         .pattern = "/v1/threads/{id}/context",
         .id = "thread_context",
         .tag = kThreadTag,
         .summary = "What would be sent to the model, and why",
         .query = described<ContextQuery>(),
         .answers = {json_answer<ThreadContextView>(200, "All of it.")}},
        &ThreadRoutes::context);
    add({.method = "GET",
         .pattern = "/ui",
         .id = "ui",
         .tag = "Server",
         .summary = "The chat",
         .description = "The web interface. Its views have addresses below /ui/.",
         .answers = {page_answer()},
         .security = schema::Security::None},
        &ThreadRoutes::ui);
}

}  // namespace atl::api
