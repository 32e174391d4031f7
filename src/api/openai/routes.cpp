#include "api/openai/routes.hpp"

#include "agent/text.hpp"
#include "api/answer_budget.hpp"
#include "api/file_content.hpp"
#include "api/openai/answer_text.hpp"
#include "api/openai/attachments.hpp"
#include "api/openai/errors.hpp"
#include "api/openai/request.hpp"
#include "api/openai/types.hpp"
#include "api/request_reading.hpp"
#include "base/utf8.hpp"
#include "base/workers.hpp"
#include "net/problem.hpp"
#include "sessions/new_id.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <memory>
#include <optional>
#include <utility>

namespace atl::api::openai {

namespace asio = boost::asio;
namespace json = boost::json;
using agent::Conversations;
using schema::json_answer;
using TurnPtr = std::shared_ptr<agent::LiveTurn>;

namespace {

constexpr std::string_view kOpenAiTag = "OpenAI";
constexpr std::size_t kTitleCharacters = 60;
constexpr std::chrono::seconds kTryAgainIn{5};
constexpr std::uint64_t kCopies = 3;      // of a request: its text, its values, its messages
constexpr std::size_t kModelsMax = 1000;  // that are listed
constexpr std::size_t kPieceBytes = 64 * 1024;

std::int64_t seconds_now() {
    return std::chrono::floor<std::chrono::seconds>(core::time_now()).time_since_epoch().count();
}

// A client that waits for a turn. Its leaving ends the turn, and no other one.
struct Client {
    Client(net::Exchange& exchange, TurnPtr waits_for)
        : turn(std::move(waits_for)), kept(*turn), left(exchange.on_gone([this] { leave(); })) {}
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    void leave() {
        gone = true;
        turn->cancellation.request("cancelled");
        turn->log.wake();
    }

    bool gone = false;
    TurnPtr turn;
    const agent::LiveTurn::Awaited kept;
    const net::Callbacks::Guard left;  // the last, for its callback refers to the rest
};

std::string finish_of(const agent::LiveTurn& turn, const AnswerText& text) {
    const auto& stopped = turn.outcome.stopped;
    if (stopped == "filtered") return "content_filter";
    return stopped.empty() && !text.cut() ? "stop" : "length";
}

// Of a turn without a language model there is nothing to count.
CompletionUsage usage_of(const agent::LiveTurn& turn) {
    const auto& outcome = turn.outcome;
    CompletionUsage usage;
    if (outcome.model.starts_with("offline")) return usage;
    usage.prompt_tokens = outcome.usage.prompt_tokens;
    usage.completion_tokens = outcome.usage.answer_tokens;
    usage.total_tokens = usage.prompt_tokens + usage.completion_tokens;
    return usage;
}

net::Problem problem_of(const Error& error) { return net::Problem(error); }

// A turn that was asked, and all that its answer needs.
struct Asked {
    CompletionRequest request;
    std::shared_ptr<const agent::Conversation> conversation;
    // Whether the conversation is found again by what was said: not where the client named a
    // thread.
    bool is_noted = true;
    Conversations::Hold hold;
    TurnPtr turn;
    AnswerText text;
    std::string id = sessions::random_id("chatcmpl-");
    std::int64_t created = seconds_now();
};

class Completions {
public:
    explicit Completions(OpenAiParts parts)
        : parts_(parts), budget_(parts.answer_bytes_max), requests_(parts.request_bytes_max) {}

    asio::awaitable<void> complete(net::Exchange& exchange) {
        AnswerBudget::Share room(requests_, caller_of(exchange.request()).owner);
        auto body = co_await read_body(exchange, room);
        auto request = co_await read(exchange, std::move(body));
        auto asked = co_await ask(exchange, std::move(request));
        note_object(exchange, asked->turn->thread.text());
        if (asked->request.stream) {
            co_await stream(exchange, *asked);
        } else {
            co_await answer(exchange, *asked);
        }
    }

    asio::awaitable<void> list_models(net::Exchange& exchange) const {
        ModelList list;
        const auto ids = co_await model_ids();
        for (const auto& id : ids) list.data.push_back(view_of(id));
        co_await exchange.respond(json_response(200, std::move(list)));
    }

    asio::awaitable<void> get_model(net::Exchange& exchange) const {
        const std::string id = exchange.request().parameter("id");
        const auto choice = model_choice(id);
        if (!choice) throw_no_model(id);
        co_await check_upstream(id, choice->upstream);
        co_await exchange.respond(json_response(200, view_of(id)));
    }

    asio::awaitable<void> send_link(net::Exchange& exchange) const {
        const auto link = parts_.links.link_in(exchange.request());
        const auto use =
            co_await parts_.threads.use(core::Whose::of(link.owner), ThreadId(link.thread));
        const guest_client::Files files(use.link());
        const auto entry = co_await files.stat(link.path, true);
        if (entry.type == guest_client::FileType::Directory) {
            throw ErrorException({Code::Conflict, "this is a folder"});
        }
        co_await send_file_content(exchange, files, link.path, entry, false, Embedding::AnySite);
    }

private:
    [[nodiscard]] ModelView view_of(std::string id) const {
        ModelView view;
        view.id = std::move(id);
        view.created = began_;
        return view;
    }

    // Ours, and behind them what the endpoint in force lists, if questions may choose.
    asio::awaitable<std::vector<std::string>> model_ids() const {
        std::vector<std::string> ids{std::string(kModelId), std::string(kQuietModelId)};
        const auto state = parts_.models.state();
        if (state.offline || !state.questions_may_choose) co_return ids;
        std::vector<std::string> names;
        try {
            names = co_await parts_.models.available();
        } catch (const ErrorException&) {
            // It cannot be reached: ours are there all the same.
        }
        for (const auto& name : names) {
            if (ids.size() >= kModelsMax) break;
            ids.push_back(std::string(kModelId) + "/" + name);
        }
        co_return ids;
    }

    // Before anything is made for the question.
    asio::awaitable<void> check_upstream(std::string id, std::string upstream) const {
        if (upstream.empty()) co_return;
        bool none = false;
        try {
            co_await parts_.models.pick(std::move(upstream));
        } catch (const ErrorException& error) {
            if (error.error.code != Code::InvalidArgument && error.error.code != Code::Forbidden) {
                throw;
            }
            none = true;
        }
        if (none) throw_no_model(id);
    }

    // Counts what has come, not what may: a client that does not say how long its request is, or
    // takes its time to send it, must not keep others from asking, for as long as its answer takes.
    static asio::awaitable<std::string> read_body(net::Exchange& exchange,
                                                  AnswerBudget::Share& room) {
        exchange.limit_body(kRequestBytesMax);
        std::string body;
        for (;;) {
            const auto piece = co_await exchange.read_some(kPieceBytes);
            if (piece.empty()) co_return body;
            if (!room.take(kCopies * piece.size())) {
                throw net::Problem(Code::RateLimited, "many large requests are being read already")
                    .with_retry_after(kTryAgainIn);
            }
            body += piece;
        }
    }

    static asio::awaitable<CompletionRequest> read(net::Exchange& exchange, std::string body) {
        const auto& headers = exchange.request().headers;
        const FindHeader header = [&headers](std::string_view name) -> std::optional<std::string> {
            const auto value = headers.get(name);
            if (!value) return std::nullopt;
            return std::string(*value);
        };
        const auto parse = [&] {
            const auto value = schema::parse_json(body, kRequestBytesMax);
            if (!value.is_object()) {
                throw schema::ValidationError(
                    {schema::Issue{"", "the body must be a JSON object"}});
            }
            return read_request(value.get_object(), header);
        };
        if (body.size() <= kWholeBytesMax) co_return parse();
        co_return co_await workers_of(exchange.executor()).run(parse);
    }

    asio::awaitable<std::unique_ptr<Asked>> ask(net::Exchange& exchange,
                                                CompletionRequest request) {
        const std::string owner = caller_of(exchange.request()).owner;
        const auto characters = count_characters(request.messages.back().said.text);
        if (characters > parts_.input_chars_max) {
            throw refused(Code::InvalidArgument,
                          "the question has " + std::to_string(characters) +
                              " characters, and this server takes " +
                              std::to_string(parts_.input_chars_max),
                          "messages", "context_length_exceeded");
        }
        co_await check_upstream(request.model_id, request.model.upstream);
        const bool named = !request.thread.empty();
        if (named) co_await check_thread(owner, request.thread);
        const auto conversation = conversation_of(request, owner);
        auto files =
            co_await stored(parts_.uploads, owner, std::move(request.messages.back().attachments));
        std::optional<Conversations::Hold> hold;
        if (named) {
            hold.emplace(parts_.conversations, ThreadId(request.thread));
        } else {
            hold = co_await parts_.conversations.find(conversation);
        }
        agent::Question question;
        question.text = conversation->said.back().text;
        question.instructions = std::move(request.instructions);
        question.model = request.model.upstream;
        if (hold) {
            if (hold->forked()) note_made(exchange, "thread.fork", hold->thread().text());
            co_await parts_.threads.add_files(core::Whose::of(owner), hold->thread(), files);
        } else {
            const auto made = co_await begin(request, *conversation, files);
            note_made(exchange, "thread.new", made.text());
            hold.emplace(parts_.conversations, made);
        }
        co_await name_files(question, owner, hold->thread(), files);
        TurnPtr turn;
        std::optional<Error> failed;
        try {
            turn = co_await parts_.threads.ask(core::Whose::of(owner), hold->thread(),
                                               std::move(question));
        } catch (const ErrorException& error) { failed = error.error; }
        if (failed) {
            auto problem = problem_of(*failed);
            // Of turns at a time, not of anything that stays used up.
            if (failed->code == Code::Exhausted) problem.retry_after = kTryAgainIn;
            throw problem;
        }
        const bool shows_code = request.model.shows_code;
        auto links = parts_.links.links_for(exchange.request(), turn->thread.text());
        co_return std::make_unique<Asked>(Asked{std::move(request), conversation, !named,
                                                std::move(*hold), turn,
                                                AnswerText(shows_code, std::move(links))});
    }

    asio::awaitable<void> check_thread(std::string owner, std::string thread) const {
        std::optional<Error> failed;
        try {
            co_await parts_.threads.get(core::Whose::of(std::move(owner)), ThreadId(thread));
        } catch (const ErrorException& error) { failed = error.error; }
        if (!failed) co_return;
        if (failed->code != Code::NotFound && failed->code != Code::InvalidArgument) {
            throw ErrorException(*failed);
        }
        throw refused(Code::NotFound, "there is no thread " + schema::quoted(thread, 128),
                      "X-Atoll-Thread", "thread_not_found");
    }

    // Takes what was said out of the request: it may have megabytes.
    static std::shared_ptr<const agent::Conversation> conversation_of(CompletionRequest& request,
                                                                      const std::string& owner) {
        auto conversation = std::make_shared<agent::Conversation>();
        conversation->owner = owner;
        conversation->user = request.user;
        conversation->chat = request.chat;
        for (auto& message : request.messages) {
            conversation->said.push_back(std::move(message.said));
        }
        return conversation;
    }

    // A thread with what was said so far, and all its files.
    asio::awaitable<ThreadId> begin(CompletionRequest& request,
                                    const agent::Conversation& conversation,
                                    const std::vector<UploadId>& files) const {
        agent::NewThread wanted;
        wanted.owner = conversation.owner;
        wanted.prefix = agent::kConversationPrefix;
        wanted.title = agent::first_line(conversation.said.front().text, kTitleCharacters);
        const agent::SaidSpan said(conversation.said);
        const auto past = [&said] { return agent::past_of(said.first(said.size() - 1)); };
        wanted.past = co_await workers_of(co_await asio::this_coro::executor).run(past);
        std::vector<Attachment> earlier;
        for (auto& message : request.messages) {
            std::move(message.attachments.begin(), message.attachments.end(),
                      std::back_inserter(earlier));
        }
        if (earlier.size() > kAttachmentsMax) {
            earlier.erase(earlier.begin(), earlier.end() - std::ptrdiff_t{kAttachmentsMax});
        }
        wanted.files = co_await stored(parts_.uploads, conversation.owner, std::move(earlier));
        wanted.files.insert(wanted.files.end(), files.begin(), files.end());
        const auto made = co_await parts_.threads.create(std::move(wanted));
        co_return made.id;
    }

    // Which of the thread's files belong to this question.
    asio::awaitable<void> name_files(agent::Question& question, std::string owner, ThreadId thread,
                                     const std::vector<UploadId>& files) const {
        if (files.empty()) co_return;
        auto record =
            co_await parts_.threads.get(core::Whose::of(std::move(owner)), std::move(thread));
        const auto all = record.files;
        const auto paths = co_await parts_.threads.files_of(std::move(record));
        std::string names;
        for (std::size_t i = 0; i < all.size() && i < paths.size(); ++i) {
            if (std::find(files.begin(), files.end(), all[i]) == files.end()) continue;
            names += (names.empty() ? "" : ", ") + paths[i].path;
        }
        // Beside the question, not in it: people and the history have their own words.
        auto& also = question.instructions;
        also += (also.empty() ? "" : "\n\n") + ("Files that came with this question: " + names);
        if (question.text.empty()) question.text = "[" + names + "]";
    }

    // What there is to say by now. False: nothing more will come.
    asio::awaitable<bool> read_events(Client& client, AnswerText& text, std::uint64_t& seen) const {
        auto& log = client.turn->log;
        while (!client.gone) {
            if (log.missed(seen)) {
                text.catch_up(*client.turn);
                seen = log.last();
                continue;
            }
            if (const auto* next = log.after(seen)) {
                text.event(*client.turn, next->name, next->data);
                ++seen;
                if (text.empty() || log.after(seen) != nullptr) continue;
            } else if (log.ended()) {
                co_return !text.empty();
            }
            if (!text.empty()) co_return true;
            co_await log.news();
        }
        co_return false;
    }

    // Where the conversation has got to, before the client hears that the answer is whole.
    asio::awaitable<void> note(Asked& asked) const {
        if (!asked.is_noted) co_return;
        const core::ThreadMark mark{asked.turn->thread, asked.turn->number};
        const bool whole = !asked.turn->outcome.error && asked.turn->outcome.stopped != "cancelled";
        if (whole) {
            co_await parts_.conversations.answered(asked.conversation, asked.text.whole(), mark);
        } else {
            co_await parts_.conversations.broken_off(asked.conversation, mark);
        }
    }

    // The client has left: its turn ends, and then it is known which one it was.
    asio::awaitable<void> see_off(Asked& asked) const {
        while (!asked.turn->log.ended()) co_await asked.turn->log.news();
        co_await note(asked);
    }

    asio::awaitable<void> answer(net::Exchange& exchange, Asked& asked) {
        AnswerBudget::Share share(budget_, asked.conversation->owner);
        std::string reasoning;
        {
            Client client(exchange, asked.turn);
            std::uint64_t seen = 0;
            bool fits = true;
            while (fits && co_await read_events(client, asked.text, seen)) {
                auto piece = asked.text.take();
                fits = share.take(2 * piece.size());
                if (reasoning.size() < kReasoningBytesMax) reasoning += piece.reasoning;
            }
            if (!fits) client.leave();
            if (client.gone) co_await see_off(asked);
            if (!fits) throw ErrorException(AnswerBudget::full());
            if (client.gone) co_return;
        }
        asked.text.end();
        co_await note(asked);
        if (const auto& error = asked.turn->outcome.error) throw problem_of(*error);
        ChatCompletion completion;
        completion.id = asked.id;
        completion.created = asked.created;
        completion.model = asked.request.model_id;
        CompletionChoice choice;
        choice.message.content = asked.text.whole();
        if (!reasoning.empty()) choice.message.reasoning_content = std::move(reasoning);
        choice.finish_reason = finish_of(*asked.turn, asked.text);
        completion.choices.push_back(std::move(choice));
        completion.usage = usage_of(*asked.turn);
        auto response = json_response(200, std::move(completion));
        response.headers.set("X-Atoll-Thread", asked.turn->thread.text());
        co_await exchange.respond(std::move(response));
    }

    [[nodiscard]] static ChatCompletionChunk chunk_of(const Asked& asked, AnswerDelta delta) {
        ChatCompletionChunk chunk;
        chunk.id = asked.id;
        chunk.created = asked.created;
        chunk.model = asked.request.model_id;
        ChunkChoice choice;
        choice.delta = std::move(delta);
        chunk.choices.push_back(std::move(choice));
        return chunk;
    }

    static asio::awaitable<void> send(net::EventStream& stream, std::string data) {
        net::EventStream::Event event;
        event.data = std::move(data);
        co_await stream.send(std::move(event));
    }

    static asio::awaitable<void> send(net::EventStream& stream, const Asked& asked,
                                      AnswerPiece piece) {
        AnswerDelta delta;
        if (!piece.content.empty()) delta.content = std::move(piece.content);
        if (!piece.reasoning.empty()) delta.reasoning_content = std::move(piece.reasoning);
        co_await send(stream, schema::to_json(chunk_of(asked, std::move(delta))));
    }

    asio::awaitable<void> stream(net::Exchange& exchange, Asked& asked) {
        bool gone = false;
        {
            Client client(exchange, asked.turn);
            try {
                co_await send_stream(exchange, client, asked);
            } catch (const net::ClientGone&) { client.leave(); }
            gone = client.gone;
        }
        if (gone) co_await see_off(asked);
    }

    asio::awaitable<void> send_stream(net::Exchange& exchange, Client& client, Asked& asked) {
        net::EventOptions options;
        options.headers.set("X-Atoll-Thread", asked.turn->thread.text());
        auto stream = co_await exchange.begin_events(std::move(options));
        AnswerDelta first;
        first.role = "assistant";
        first.content = "";
        co_await send(stream, schema::to_json(chunk_of(asked, std::move(first))));
        std::uint64_t seen = 0;
        while (co_await read_events(client, asked.text, seen)) {
            co_await send(stream, asked, asked.text.take());
        }
        if (client.gone) co_return;
        asked.text.end();
        if (!asked.text.empty()) co_await send(stream, asked, asked.text.take());
        co_await note(asked);
        if (const auto& error = asked.turn->outcome.error) {
            co_await send(stream, json::serialize(error_object(problem_of(*error))));
        } else {
            auto last = chunk_of(asked, {});
            last.choices.front().finish_reason =
                json::value(json::string(finish_of(*asked.turn, asked.text)));
            co_await send(stream, schema::to_json(last));
            if (asked.request.include_usage) {
                auto usage = chunk_of(asked, {});
                usage.choices.clear();
                usage.usage = usage_of(*asked.turn);
                co_await send(stream, schema::to_json(usage));
            }
        }
        co_await send(stream, "[DONE]");
        co_await stream.end();
    }

    static constexpr std::size_t kReasoningBytesMax = 1u << 20;

    OpenAiParts parts_;
    AnswerBudget budget_;
    AnswerBudget requests_;
    std::int64_t began_ = seconds_now();
};

std::vector<schema::Answer> with_failures(std::vector<schema::Answer> answers) {
    const std::pair<int, const char*> kFailures[] = {
        {400, "Something in it is wrong, or is not done here."},
        {401, "No key, or one that is not valid."},
        {403, "The key lacks a scope."},
        {404, "No such model, or no such thread."},
        {405, "Another method."},
        {409, "Too many questions wait in the thread."},
        {413, "It is too large."},
        {429, "Too many requests, or a quota is used up."},
        {500, "A fault of the server."},
        {503, "The model cannot be reached, or the server is stopping."},
        {504, "The model took too long."},
        {507, "There is no room for its files."},
    };
    for (const auto& [status, says] : kFailures) {
        answers.push_back(json_answer<Failure>(status, says));
    }
    return answers;
}

}  // namespace

}  // namespace atl::api::openai

namespace atl::api {

void add_openai_routes(Api& api, OpenAiParts parts) {
    using namespace openai;
    using schema::described;
    namespace asio = boost::asio;
    const auto routes = std::make_shared<Completions>(parts);
    const auto add = [&](schema::Route route, auto method) {
        route.tag = kOpenAiTag;
        route.scope = "threads";
        api.add(std::move(route), [routes, method](net::Exchange& exchange) {
            return ((*routes).*method)(exchange);
        });
    };
    const std::vector<schema::Event> events{schema::event<ChatCompletionChunk>(
        "message", "A piece of the answer; [DONE] after the last.")};
    add({.method = "POST",
         .pattern = "/v1/chat/completions",
         .id = "create_chat_completion",
         .tag = kOpenAiTag,
         .summary = "The next answer of a conversation, in the form of the OpenAI API",
         .description = "The agent answers, with a sandbox behind it that goes on from question to "
                        "question. A client that leaves ends the answer. docs/openai.md.",
         .headers = described<CompletionHeaders>(),
         .bodies = {schema::json_body<ChatCompletionBody>()},
         .answers = with_failures({json_answer<ChatCompletion>(200, "The answer."),
                                   schema::event_answer("The same in pieces.", events)})},
        &Completions::complete);
    add({.method = "GET",
         .pattern = "/v1/models",
         .id = "list_models",
         .tag = kOpenAiTag,
         .summary = "The models of /v1/chat/completions",
         .answers = with_failures({json_answer<ModelList>(200, "All of them.")})},
        &Completions::list_models);
    add({.method = "GET",
         .pattern = "/v1/models/{id...}",
         .id = "get_model",
         .tag = kOpenAiTag,
         .summary = "One model",
         .path = described<ModelPath>(),
         .answers = with_failures({json_answer<ModelView>(200, "The model.")})},
        &Completions::get_model);
    const auto& links = parts.links;
    api.usher_below(std::string(kLinkPlace),
                    [&links](net::Exchange& exchange) { return links.admit(exchange); });
    schema::Answer whole = schema::bytes_answer("The file.");
    whole.content_type = "*/*";
    schema::Answer part = whole;
    part.status = 206;
    part.description = "The range asked for.";
    add({.method = "GET",
         .pattern = "/v1/links/{name}",
         .id = "get_linked_file",
         .tag = kOpenAiTag,
         .summary = "A file that an answer links to",
         .description = "The link is its own proof, for a bounded time: no key is needed.",
         .path = described<LinkPath>(),
         .query = described<LinkQuery>(),
         .answers = {whole, part, schema::empty_answer(304, "It has not changed.")}},
        &Completions::send_link);
}

}  // namespace atl::api
